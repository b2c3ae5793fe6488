// SPDX-License-Identifier: GPL-3.0-or-later
/* Takes each of 2^LEVELS call paths once, then once more, and prints of both rounds: ns of a call,
 * that of the slowest, page faults and CPU time. The call is send() on no descriptor: an error at
 * once.
 *
 * Usage: new_paths LEVELS (1 to 24)
 * Prints: ROUND PATHS NS_A_CALL WORST_NS FAULTS CPU_MS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

static uint64_t sum_ns, worst_ns, calls;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Two calls in its body: two call sites, and so 2^depth paths. */
static __attribute__((noinline)) void descend(unsigned depth)
{
	if (!depth) {
		uint64_t from = now_ns();

		send(-1, "", 1, 0);
		uint64_t took = now_ns() - from;
		sum_ns += took;
		worst_ns = took > worst_ns ? took : worst_ns;
		calls++;
		return;
	}
	descend(depth - 1);
	__asm__ volatile("");
	descend(depth - 1);
	__asm__ volatile("");
}

static void round_of(const char *name, unsigned levels)
{
	struct rusage before, after;

	sum_ns = worst_ns = calls = 0;
	getrusage(RUSAGE_SELF, &before);
	descend(levels);
	getrusage(RUSAGE_SELF, &after);
	double cpu_ms = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec +
				 after.ru_stime.tv_sec - before.ru_stime.tv_sec) *
				1e3 +
			(double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec +
				 after.ru_stime.tv_usec - before.ru_stime.tv_usec) /
				1e3;
	printf("%s %llu %.1f %llu %ld %.1f\n", name, (unsigned long long)calls,
	       (double)sum_ns / (double)calls, (unsigned long long)worst_ns,
	       after.ru_minflt - before.ru_minflt, cpu_ms);
}

int main(int argc, char **argv)
{
	int levels = argc == 2 ? atoi(argv[1]) : 0;

	if (levels < 1 || levels > 24) {
		fprintf(stderr, "usage: %s LEVELS (1 to 24)\n", argv[0]);
		return 2;
	}
	round_of("new", (unsigned)levels);
	round_of("again", (unsigned)levels);
	return 0;
}
