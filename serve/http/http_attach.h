// SPDX-License-Identifier: GPL-3.0-or-later
/* POST /attach: recording a process of the server's own user, where the server was told at its
 * start to allow that. `scprof attach` does it, in a process of its own. */
#ifndef SCPROF_SERVE_HTTP_HTTP_ATTACH_H
#define SCPROF_SERVE_HTTP_HTTP_ATTACH_H

#include "serve/http/http_private.h"

/* Fills an empty answer: the report as JSON, or a 4xx or 5xx with a text. `browser`: it
 * sent headers that only browsers send. Who leaves ends the recording. */
void http_attach_answer(struct http *h, const struct request *r, bool browser, int client,
			struct http_answer *out);

#endif
