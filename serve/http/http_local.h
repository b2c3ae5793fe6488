// SPDX-License-Identifier: GPL-3.0-or-later
/* The Unix socket that POST /attach comes by. */
#ifndef SCPROF_SERVE_HTTP_HTTP_LOCAL_H
#define SCPROF_SERVE_HTTP_HTTP_LOCAL_H

#include <sys/un.h>

#include "serve/http/http.h"

/* Listen there; `wanted` NULL: at a name made of the port, in /run for root, else in
 * XDG_RUNTIME_DIR, else in /tmp. A socket of ours that nobody answers at is replaced. All users may
 * connect to root's server, nobody else to another's. The descriptor, with *name; -1 with *err. */
int http_local_listen(const char *wanted, const struct http_address *tcp, struct sockaddr_un *name,
		      struct profile_error *err);

/* Take its name away; the server has closed the descriptor. */
void http_local_remove(const struct sockaddr_un *name);

#endif
