// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: 10 000 short threads are recorded in the tables of a few.
 * Usage: many_threads N; four run at a time, each makes three exchanges. */
#include "target.h"

#include <pthread.h>

#define AT_ONCE 4

static void *work(void *pair)
{
	exchange_times(pair, 3);
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 10000, started = 0;
	pthread_t thread[AT_ONCE];
	int pair[AT_ONCE][2];

	for (int i = 0; i < AT_ONCE; i++)
		make_pair(pair[i]);
	while (started < threads) {
		int now = 0;

		for (; now < AT_ONCE && started < threads; now++, started++)
			if (pthread_create(&thread[now], NULL, work, pair[now]))
				die("pthread_create");
		while (now-- > 0)
			pthread_join(thread[now], NULL);
	}
	say("threads %ld\n", started);
	expect_exchanges(3 * threads);
	return 0;
}
