// SPDX-License-Identifier: GPL-3.0-or-later
/* POST /attach: recording a process, where the server was told at its start to allow that. `scprof
 * attach` does it, in a process of its own that has the rights of who asks: the kernel then decides
 * what they may trace, whatever happens between a look and the attach. Only root's server can
 * become somebody else; another one records for its own user, and for root. */
#ifndef SCPROF_SERVE_HTTP_HTTP_ATTACH_H
#define SCPROF_SERVE_HTTP_HTTP_ATTACH_H

#include "serve/http/http_peer.h"
#include "serve/http/http_private.h"

struct http_attach_asker {
	struct http_peer peer;
	bool browser; /* it sent headers that only browsers send */
	int client;   /* who leaves ends the recording */
};

/* Fills an empty answer: the report as JSON, or a 4xx or 5xx with a text. */
void http_attach_answer(struct http *h, const struct request *r,
			const struct http_attach_asker *asker, struct http_answer *out);

#endif
