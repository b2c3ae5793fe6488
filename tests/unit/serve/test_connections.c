// SPDX-License-Identifier: GPL-3.0-or-later
/* Who may stay connected: limits, who gives way, and what the one hears who cannot come in. Time is
 * what the test says; sockets are pairs. */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/serve/http/connections.h"

#define SECOND	UINT64_C(1000000000)
#define CLIENTS (2 * CONNECTIONS_PLACES)

static struct connections all;
static int client[CLIENTS], server[CLIENTS];
static struct connection *place[CLIENTS];
static unsigned clients;

static int begin(void **state)
{
	(void)state;
	connections_begin(&all);
	clients = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (unsigned i = 0; i < clients; i++) {
		close(client[i]);
		close(server[i]);
	}
	connections_end(&all);
	return 0;
}

/* From 10.0.0.`from`; its number. */
static unsigned come(unsigned from, uint64_t now_ns)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	int pair[2];

	address.sin_addr.s_addr = htonl(0x0a000000 + from);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	client[clients] = pair[0];
	server[clients] = pair[1];
	place[clients] = connections_open(&all, pair[1], (const void *)&address, now_ns);
	return clients++;
}

/* What the client hears until its connection is shut; NULL: it is open, and silent. */
static const char *hears(unsigned who)
{
	static char text[1024];
	ssize_t got = recv(client[who], text, sizeof(text) - 1, MSG_DONTWAIT);

	if (got < 0)
		return NULL;
	text[got] = '\0';
	return text;
}

static bool is_dropped(unsigned who)
{
	const char *text = hears(who);

	return text && !*text;
}

static void keep(unsigned who, uint64_t now_ns)
{
	assert_true(connections_ask(&all, place[who], now_ns));
	connections_answered(&all, place[who], now_ns);
}

static void one_too_many_is_told_so(void **state)
{
	unsigned late;

	(void)state;
	for (unsigned i = 0; i < CONNECTIONS_OF_ONE; i++)
		assert_null(hears(come(1, SECOND)));
	assert_false(connections_refused_since(&all, 0));
	late = come(1, 2 * SECOND);
	assert_non_null(strstr(hears(late), "HTTP/1.1 503 "));
	assert_true(is_dropped(late));
	assert_false(connections_ask(&all, place[late], 2 * SECOND));
	assert_true(connections_refused_since(&all, 2 * SECOND));
	assert_false(connections_refused_since(&all, 3 * SECOND));
	/* other addresses have places */
	for (unsigned i = CONNECTIONS_OF_ONE; i < CONNECTIONS_MOST; i++)
		assert_null(hears(come(2 + i, 2 * SECOND)));
	assert_non_null(strstr(hears(come(1000, 2 * SECOND)), " 503 "));
	/* and one that closes makes room */
	connections_close(&all, place[0]);
	assert_null(hears(come(1000, 2 * SECOND)));
}

static void who_comes_on_and_on_finds_no_end_of_places(void **state)
{
	unsigned refused = 0, dropped = 0;

	(void)state;
	for (unsigned i = 0; i < CONNECTIONS_OF_ONE; i++)
		come(1, SECOND);
	for (unsigned i = CONNECTIONS_OF_ONE; i < CONNECTIONS_PLACES; i++) {
		unsigned who = come(1, SECOND);
		const char *text = hears(who);

		assert_non_null(text);
		refused += *text != '\0';
		dropped += *text == '\0';
	}
	assert_int_equal(refused, CONNECTIONS_PARTED / 2);
	assert_true(dropped > 0);
	assert_null(place[come(1, 2 * SECOND)]);
	assert_true(is_dropped(clients - 1));
	assert_true(connections_refused_since(&all, 2 * SECOND));
}

static void the_one_kept_longest_gives_way(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CONNECTIONS_OF_ONE; i++)
		come(1, SECOND);
	unsigned other = come(2, SECOND);

	keep(other, SECOND);
	keep(7, 5 * SECOND);
	keep(3, 4 * SECOND);
	/* of its own address */
	assert_null(hears(come(1, 6 * SECOND)));
	assert_true(is_dropped(3));
	assert_null(hears(7));
	assert_null(hears(other));
	/* of any, where there are too many at all */
	while (clients < CONNECTIONS_MOST + 1)
		come(10 + clients, 6 * SECOND);
	assert_null(hears(other));
	assert_null(hears(come(3, 7 * SECOND)));
	assert_true(is_dropped(other));
	assert_null(hears(7));
	assert_true(connections_drop_one(&all, 7 * SECOND));
	assert_true(is_dropped(7));
	assert_false(connections_drop_one(&all, 7 * SECOND));
}

static void a_request_has_its_time_and_an_idle_one_more(void **state)
{
	unsigned asks, waits, kept;

	(void)state;
	asks = come(1, SECOND);
	waits = come(1, SECOND);
	kept = come(1, SECOND);
	assert_true(connections_ask(&all, place[waits], SECOND));
	keep(kept, SECOND);
	connections_tend(&all, SECOND + CONNECTIONS_ASK_NS);
	assert_null(hears(asks));
	connections_tend(&all, SECOND + CONNECTIONS_ASK_NS + 1);
	assert_true(is_dropped(asks));
	connections_tend(&all, SECOND + CONNECTIONS_KEEP_NS);
	assert_null(hears(kept));
	/* it asks again, and its time begins anew */
	keep(kept, SECOND + CONNECTIONS_KEEP_NS);
	connections_tend(&all, SECOND + 2 * CONNECTIONS_KEEP_NS);
	assert_null(hears(kept));
	connections_tend(&all, 3 * SECOND + 2 * CONNECTIONS_KEEP_NS + CONNECTIONS_ASK_NS);
	assert_true(is_dropped(kept));
	/* an answer may take as long as it takes */
	assert_null(hears(waits));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_too_many_is_told_so, begin, end),
		cmocka_unit_test_setup_teardown(who_comes_on_and_on_finds_no_end_of_places, begin,
						end),
		cmocka_unit_test_setup_teardown(the_one_kept_longest_gives_way, begin, end),
		cmocka_unit_test_setup_teardown(a_request_has_its_time_and_an_idle_one_more, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
