// SPDX-License-Identifier: GPL-3.0-or-later
/* The HTTP server. Each connection has a thread, and one request; their number is limited. The
 * state is in the agent, behind its lock. */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "report/serve/agent/agent.h"

#define HTTP_WINDOWS 8 /* /debug/pprof/profile at a time */

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

#define HTTP_PEER_TOKEN 256 /* bytes of a token for POST /attach, with its end */

/* The file must be a regular one that only our user can read: one line of 16 bytes or more without
 * blanks. 0, or -1 with *err. */
int http_peer_read_token(const char *path, char token[HTTP_PEER_TOKEN], struct profile_error *err);

/* Listen and answer from now on. Port 0: any; a->text says which it became. NULL and *err. */
struct http *http_start(struct agent *agent, struct http_address *a, struct profile_error *err);

/* The Unix socket that POST /attach comes by; "": none. */
const char *http_local(const struct http *h);

/* Call this every second: drops clients whose request does not come. */
void http_tend(struct http *h);

/* After agent_stop, with which answers in preparation end. */
void http_stop(struct http *h);
