// SPDX-License-Identifier: GPL-3.0-or-later
/* The Unix socket that POST /attach comes by, and who is at the other end of a connection. The
 * kernel says it of a Unix socket; over TCP, who sends the token has read the file that only the
 * server's user can read. */
#ifndef SCPROF_SERVE_HTTP_HTTP_PEER_H
#define SCPROF_SERVE_HTTP_HTTP_PEER_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include "serve/http/http.h"

#define HTTP_PEER_TOKEN 256 /* bytes of a token, with its end */

struct http_peer {
	bool known;
	uid_t uid; /* effective, when it connected */
	gid_t gid;
};

/* Does the connection come by a Unix socket? */
bool http_peer_is_local(int client);

/* `authorization`: the header, NULL: not sent. `token`: what the server knows, NULL: none. */
struct http_peer http_peer_find(int client, const char *authorization, const char *token);

/* Of a regular file that only our user can read: one line of 16 bytes or more without blanks.
 * 0, or -1 with *err. */
int http_peer_read_token(const char *path, char token[HTTP_PEER_TOKEN], struct profile_error *err);

/* Listen there; `wanted` NULL: at a name made of the port, in /run for root, else in
 * XDG_RUNTIME_DIR, else in /tmp. A socket of ours that nobody answers at is replaced. All users may
 * connect to root's server, nobody else to another's. The descriptor, with *name; -1 with *err. */
int http_peer_listen(const char *wanted, const struct http_address *tcp, struct sockaddr_un *name,
		     struct profile_error *err);

/* Take its name away; the server has closed the descriptor. */
void http_peer_unlisten(const struct sockaddr_un *name);

#endif
