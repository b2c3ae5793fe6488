// SPDX-License-Identifier: GPL-3.0-or-later
/* The server: sockets, limits, and who answers what. A thread a connection, of which there are
 * few; all state is in the agent, behind its lock. */
#ifndef SCPROF_SERVE_HTTP_HTTP_H
#define SCPROF_SERVE_HTTP_HTTP_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "serve/agent/agent.h"

#define HTTP_WINDOWS 8	 /* /debug/pprof/profile at a time */
#define HTTP_STILL_S 5	 /* in which a client that asks or is answered moves no byte */
#define HTTP_LOOK_S  1.0 /* between looks whether a window's client is there */

struct http_address {
	struct sockaddr_storage address;
	socklen_t bytes;
	bool loopback;
	char text[80]; /* as it can be put into a URL */
};

struct http;

/* "ADDR:PORT", "[ADDR]:PORT", "ADDR", ":PORT" or "PORT"; names other than localhost are not looked
 * up. 0, or -1 with *err. */
int http_address_parse(struct http_address *a, const char *text, struct profile_error *err);

/* Listen and answer from now on. Port 0: any; a->text says which it became. NULL and *err. */
struct http *http_start(struct agent *agent, struct http_address *a, struct profile_error *err);

/* Every second: look after connections and processes. What is to be logged, because trouble began
 * or ended, until the next call; NULL: nothing more. */
const char *http_tend(struct http *h);

/* Ends all connections; windows that are being waited for are given up. So is, within HTTP_LOOK_S,
 * a window whose client has closed its connection. */
void http_stop(struct http *h);

#endif
