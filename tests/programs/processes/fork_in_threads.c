// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: fork while other threads are inside wrapped calls leaves nothing
 * locked in the child, which makes calls on new paths, and loses none here. */
#include "target.h"

#include <pthread.h>
#include <sys/wait.h>

#define CHILDREN 100
#define CALLS	 20000

static void *work(void *unused)
{
	int pair[2];

	(void)unused;
	make_pair(pair);
	for (int i = 0; i < CALLS; i++)
		exchange_below(pair, i % 50);
	return NULL;
}

static void be_child(void)
{
	int pair[2];

	alarm(900); /* a lock held for ever shows as a death by SIGALRM */
	make_pair(pair);
	for (int depth = 0; depth < 20; depth++)
		exchange_below(pair, depth);
	_exit(0);
}

int main(void)
{
	pthread_t thread[2];
	int status, bad = 0;

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			die("pthread_create");
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child == 0)
			be_child();
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
			bad++;
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	say("children that failed: %d\n", bad);
	expect_exchanges(2 * CALLS + CHILDREN * 20);
	return 0;
}
