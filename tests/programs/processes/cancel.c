// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: threads end by cancellation in a blocked call, and by pthread_exit,
 * as they would: clean-up handlers run, and later threads are recorded. */
#include "target.h"

#include <poll.h>
#include <pthread.h>

static int silent[2], pair[2], cleaned;

static void clean_up(void *unused)
{
	(void)unused;
	exchange(pair);
	cleaned++;
}

static void *block_in_recv(void *unused)
{
	char c;

	(void)unused;
	pthread_cleanup_push(clean_up, NULL);
	recv(silent[1], &c, 1, 0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *block_in_poll(void *unused)
{
	struct pollfd p = {.fd = silent[1], .events = POLLIN};

	(void)unused;
	pthread_cleanup_push(clean_up, NULL);
	poll(&p, 1, -1);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *leave_from_below(void *unused)
{
	(void)unused;
	pthread_cleanup_push(clean_up, NULL);
	exchange_below(pair, 5);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static void run_and_cancel(void *(*body)(void *))
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, body, NULL))
		die("pthread_create");
	usleep(2000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	if (result != PTHREAD_CANCELED)
		say("not cancelled\n");
}

int main(void)
{
	pthread_t thread;

	make_pair(silent);
	make_pair(pair);
	for (int i = 0; i < 20; i++) {
		run_and_cancel(block_in_recv);
		run_and_cancel(block_in_poll);
		pthread_create(&thread, NULL, leave_from_below, NULL);
		pthread_join(thread, NULL);
	}
	say("clean-up handlers ran %d times\n", cleaned);
	expect_calls("send", 80);
	expect_between("recv", 80, 100, 0);
	return 0;
}
