// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: threads that are cancelled at any instant, in the midst of calls on new paths, leave the
 * library to those that go on. In a forked child all paths are new; its main thread alone makes
 * calls on 256 more in the end. */
#include "target.h"

#include <pthread.h>
#include <sys/wait.h>

#define CHILDREN 10
#define ROUNDS	 15
#define THREADS	 4

static int pair[2];

NOINLINE static void ask_below(int depth)
{
	char byte;

	if (depth > 0)
		ask_below(depth - 1);
	else
		recv(pair[0], &byte, 1, MSG_DONTWAIT);
	NO_TAIL_CALL();
}

static void *ask(void *unused)
{
	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (int i = 0;; i++)
		ask_below(i % 30);
	return NULL;
}

static void ask_left(unsigned turns, int depth);

NOINLINE static void ask_right(unsigned turns, int depth)
{
	if (depth > 0)
		(turns & 1 ? ask_left : ask_right)(turns >> 1, depth - 1);
	else
		ask_below(0);
	NO_TAIL_CALL();
}

NOINLINE static void ask_left(unsigned turns, int depth)
{
	if (depth > 0)
		(turns & 1 ? ask_left : ask_right)(turns >> 1, depth - 1);
	else
		ask_below(0);
	NO_TAIL_CALL();
}

static void cancel_many(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread[THREADS];

		for (int k = 0; k < THREADS; k++)
			if (pthread_create(&thread[k], NULL, ask, NULL))
				die("thread");
		usleep((useconds_t)i * 10);
		for (int k = 0; k < THREADS; k++) {
			pthread_cancel(thread[k]);
			pthread_join(thread[k], NULL);
		}
	}
}

int main(void)
{
	make_pair(pair);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (!child) {
			cancel_many();
			for (unsigned turns = 0; turns < 256; turns++)
				ask_right(turns, 8);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	say("done\n");
	return 0;
}
