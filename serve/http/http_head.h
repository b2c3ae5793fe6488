// SPDX-License-Identifier: GPL-3.0-or-later
/* What libmicrohttpd does not say of a request's headers: whether all their text is in its values.
 */
#ifndef SCPROF_SERVE_HTTP_HTTP_HEAD_H
#define SCPROF_SERVE_HTTP_HTTP_HEAD_H

#include <microhttpd.h>

#include "serve/http/request.h"

/* Before the body is read; `method` is what the handler was given. Pointers are the connection's.
 */
void http_head_look(struct MHD_Connection *connection, const char *method,
		    struct request_head *head);

#endif
