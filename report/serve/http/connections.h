// SPDX-License-Identifier: GPL-3.0-or-later
/* Who is connected, and who is dropped if there are too many.
 *
 * A client that has been answered may stay connected, since scrapers come again, but is the first
 * to be dropped if another one needs the place. A request must be complete within a limit of
 * time, however slowly its bytes come. Sockets are only shut down here: the server then closes
 * them. Thread-safe. */
#ifndef SCPROF_REPORT_SERVE_HTTP_CONNECTIONS_H
#define SCPROF_REPORT_SERVE_HTTP_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define CONNECTIONS_MOST   64 /* at a time */
#define CONNECTIONS_OF_ONE 32 /* from one address */
#define CONNECTIONS_PARTED 16 /* in addition: those that are being refused */
#define CONNECTIONS_PLACES (CONNECTIONS_MOST + CONNECTIONS_PARTED)

#define CONNECTIONS_ASK_NS  (UINT64_C(10) * 1000000000) /* for a whole request */
#define CONNECTIONS_KEEP_NS (UINT64_C(90) * 1000000000) /* without one: a scrape a minute stays */
#define CONNECTIONS_PART_NS (UINT64_C(1) * 1000000000)	/* for its request, not answered */

enum connection_state {
	CONNECTION_NONE,
	CONNECTION_ASKS,    /* its first request has not come wholly */
	CONNECTION_WAITS,   /* for its answer */
	CONNECTION_KEPT,    /* was answered */
	CONNECTION_PARTING, /* refused or dropped */
};

struct connection {
	enum connection_state state;
	int fd;
	uint64_t since_ns;
	uint8_t address[16];
};

struct connections {
	pthread_mutex_t lock;
	struct connection place[CONNECTIONS_PLACES];
	uint64_t refused_ns; /* the last one; 0: none */
};

void connections_begin(struct connections *c);
void connections_end(struct connections *c);

/* A new connection, which takes a place until connections_close. If it is one too many, the
 * connection that was idle longest is dropped (of the same address, if that has too many); if
 * none is idle, this one gets a 503. NULL: all places are taken, and the socket is shut down. */
struct connection *connections_open(struct connections *c, int fd, const struct sockaddr *address,
				    uint64_t now_ns);
void connections_close(struct connections *c, struct connection *one);

/* The request is complete. false: do not answer it. */
bool connections_ask(struct connections *c, struct connection *one, uint64_t now_ns);
/* It was answered. */
void connections_answered(struct connections *c, struct connection *one, uint64_t now_ns);

/* Call this every second: drops those whose time is over. */
void connections_tend(struct connections *c, uint64_t now_ns);

/* Was any refused? */
bool connections_refused_since(struct connections *c, uint64_t then_ns);

/* Drop the one that was kept longest. false: none is kept. */
bool connections_drop_one(struct connections *c, uint64_t now_ns);

#endif
