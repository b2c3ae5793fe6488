// SPDX-License-Identifier: GPL-3.0-or-later
/* Who is connected, and who gives way where too many are.
 *
 * A client that has been answered may stay connected for long, since those that scrape come again,
 * and is the first to go where another one needs the place. One that goes on sending its request
 * is dropped when its time is over, however it spreads the bytes. Sockets are only shut down here:
 * the server then closes them. Thread-safe. */
#ifndef SCPROF_SERVE_HTTP_CONNECTIONS_H
#define SCPROF_SERVE_HTTP_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define CONNECTIONS_MOST   64 /* at a time */
#define CONNECTIONS_OF_ONE 32 /* from one address */
#define CONNECTIONS_PARTED 16 /* besides: those that are being told to go */
#define CONNECTIONS_PLACES (CONNECTIONS_MOST + CONNECTIONS_PARTED)

#define CONNECTIONS_ASK_NS  (UINT64_C(10) * 1000000000) /* for a whole request */
#define CONNECTIONS_KEEP_NS (UINT64_C(90) * 1000000000) /* without one: a scrape a minute stays */
#define CONNECTIONS_PART_NS                                                                        \
	(UINT64_C(1) * 1000000000) /* for its request, which is not answered                       \
				    */

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

/* A new one, which takes a place until connections_close. Where it is one too many, the one that
 * was kept longest (of its address, where these are too many) is dropped; where none is kept, this
 * one is told so in an HTTP answer. NULL: all places are taken, nothing was done. */
struct connection *connections_open(struct connections *c, int fd, const struct sockaddr *address,
				    uint64_t now_ns);
void connections_close(struct connections *c, struct connection *one);

/* A whole request has come. false: it is not to be answered. */
bool connections_ask(struct connections *c, struct connection *one, uint64_t now_ns);
/* It was answered. */
void connections_answered(struct connections *c, struct connection *one, uint64_t now_ns);

/* Now and then: drop those whose time is over. */
void connections_tend(struct connections *c, uint64_t now_ns);

/* Was any refused? */
bool connections_refused_since(struct connections *c, uint64_t then_ns);

/* Drop the one that was kept longest. false: none is kept. */
bool connections_drop_one(struct connections *c, uint64_t now_ns);

#endif
