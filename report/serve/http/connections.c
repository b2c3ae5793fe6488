// SPDX-License-Identifier: GPL-3.0-or-later
/* The table is small: it is searched from the beginning. */
#include "report/serve/http/connections.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

static const char refusal[] =
	"HTTP/1.1 503 Service Unavailable\r\n"
	"Content-Type: text/plain; charset=utf-8\r\n"
	"Connection: close\r\n"
	"Retry-After: 10\r\n"
	"\r\n"
	"too many connections are open, from this address or at all; close some "
	"or try again later\n";

void connections_begin(struct connections *c)
{
	*c = (struct connections){0};
	pthread_mutex_init(&c->lock, NULL);
}

void connections_end(struct connections *c)
{
	pthread_mutex_destroy(&c->lock);
}

static bool counts(const struct connection *one)
{
	return one->state != CONNECTION_NONE && one->state != CONNECTION_PARTING;
}

static bool same_address(const struct connection *a, const struct connection *b)
{
	return !memcmp(a->address, b->address, sizeof(a->address));
}

/* Of a Unix socket, the user. */
static void note_address(struct connection *one, const struct sockaddr *address)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	if (address && address->sa_family == AF_INET6)
		memcpy(one->address,
		       &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
	else if (address && address->sa_family == AF_INET)
		memcpy(one->address, &((const struct sockaddr_in *)(const void *)address)->sin_addr,
		       4);
	else if (address && address->sa_family == AF_UNIX &&
		 !getsockopt(one->fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes))
		memcpy(one->address + 4, &peer.uid, sizeof(peer.uid)); /* no address begins so */
}

static void enter(struct connection *one, enum connection_state state, uint64_t now_ns)
{
	one->state = state;
	one->since_ns = now_ns;
}

static void drop(struct connection *one, uint64_t now_ns)
{
	shutdown(one->fd, SHUT_RDWR);
	enter(one, CONNECTION_PARTING, now_ns);
}

/* Of the address of `like`; NULL: of any. */
static struct connection *kept_longest(struct connections *c, const struct connection *like)
{
	struct connection *longest = NULL;

	for (size_t i = 0; i < CONNECTIONS_PLACES; i++) {
		struct connection *one = &c->place[i];

		if (one->state == CONNECTION_KEPT && (!like || same_address(one, like)) &&
		    (!longest || one->since_ns < longest->since_ns))
			longest = one;
	}
	return longest;
}

/* A new socket has room for the answer. The request is still read if it comes soon: closing a
 * socket with unread data would discard the answer. */
static void refuse(struct connections *c, struct connection *one, unsigned parting, uint64_t now_ns)
{
	c->refused_ns = now_ns;
	if (parting < CONNECTIONS_PARTED / 2 &&
	    send(one->fd, refusal, sizeof(refusal) - 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
		shutdown(one->fd, SHUT_WR);
		enter(one, CONNECTION_PARTING, now_ns);
	} else {
		drop(one, now_ns);
	}
}

static void admit(struct connections *c, struct connection *one, uint64_t now_ns)
{
	unsigned all = 0, of_one = 0, parting = 0;
	struct connection *gives_way;

	for (size_t i = 0; i < CONNECTIONS_PLACES; i++) {
		const struct connection *other = &c->place[i];

		parting += other->state == CONNECTION_PARTING;
		all += counts(other);
		of_one += counts(other) && same_address(other, one);
	}
	enter(one, CONNECTION_ASKS, now_ns);
	if (all < CONNECTIONS_MOST && of_one < CONNECTIONS_OF_ONE)
		return;
	gives_way = kept_longest(c, of_one < CONNECTIONS_OF_ONE ? NULL : one);
	if (gives_way)
		drop(gives_way, now_ns);
	else
		refuse(c, one, parting, now_ns);
}

struct connection *connections_open(struct connections *c, int fd, const struct sockaddr *address,
				    uint64_t now_ns)
{
	struct connection *one = NULL;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < CONNECTIONS_PLACES && !one; i++)
		if (c->place[i].state == CONNECTION_NONE)
			one = &c->place[i];
	if (one) {
		*one = (struct connection){.fd = fd};
		note_address(one, address);
		admit(c, one, now_ns);
	} else {
		c->refused_ns = now_ns;
		shutdown(fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&c->lock);
	return one;
}

void connections_close(struct connections *c, struct connection *one)
{
	pthread_mutex_lock(&c->lock);
	one->state = CONNECTION_NONE;
	pthread_mutex_unlock(&c->lock);
}

/* From one of the states that count; false: it is parting. */
static bool go_on(struct connections *c, struct connection *one, enum connection_state state,
		  uint64_t now_ns)
{
	bool stays;

	pthread_mutex_lock(&c->lock);
	stays = counts(one);
	if (stays)
		enter(one, state, now_ns);
	pthread_mutex_unlock(&c->lock);
	return stays;
}

bool connections_ask(struct connections *c, struct connection *one, uint64_t now_ns)
{
	return go_on(c, one, CONNECTION_WAITS, now_ns);
}

void connections_answered(struct connections *c, struct connection *one, uint64_t now_ns)
{
	go_on(c, one, CONNECTION_KEPT, now_ns);
}

static uint64_t time_of(enum connection_state state)
{
	switch (state) {
	case CONNECTION_ASKS:
		return CONNECTIONS_ASK_NS;
	case CONNECTION_KEPT: /* part of this time may be a request that has begun */
		return CONNECTIONS_KEEP_NS + CONNECTIONS_ASK_NS;
	case CONNECTION_PARTING:
		return CONNECTIONS_PART_NS;
	default:
		return UINT64_MAX;
	}
}

void connections_tend(struct connections *c, uint64_t now_ns)
{
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < CONNECTIONS_PLACES; i++)
		if (now_ns > c->place[i].since_ns &&
		    now_ns - c->place[i].since_ns > time_of(c->place[i].state))
			drop(&c->place[i], now_ns);
	pthread_mutex_unlock(&c->lock);
}

bool connections_refused_since(struct connections *c, uint64_t then_ns)
{
	bool refused;

	pthread_mutex_lock(&c->lock);
	refused = c->refused_ns && c->refused_ns >= then_ns;
	pthread_mutex_unlock(&c->lock);
	return refused;
}

bool connections_drop_one(struct connections *c, uint64_t now_ns)
{
	struct connection *one;

	pthread_mutex_lock(&c->lock);
	one = kept_longest(c, NULL);
	if (one)
		drop(one, now_ns);
	pthread_mutex_unlock(&c->lock);
	return one != NULL;
}
