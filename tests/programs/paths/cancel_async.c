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

/* Two call sites a level: the digits of `turns` are the path. */
NOINLINE static void ask_by(unsigned turns, int depth)
{
	if (depth == 0) {
		ask_below(0);
	} else if (turns & 1) {
		ask_by(turns >> 1, depth - 1);
		__asm__ volatile("# 1" ::: "memory");
	} else {
		ask_by(turns >> 1, depth - 1);
		__asm__ volatile("# 0" ::: "memory");
	}
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
				ask_by(turns, 8);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	say("done\n");
	return 0;
}
