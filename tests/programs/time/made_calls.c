// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls that take made-up time (made_clock.c, preloaded): what an estimate has to find is known,
 *and the same in each run.
 *
 * Usage: made_calls paced ROUNDS	reads of 150 to 250 us, always just after a coarse tick
 *        made_calls free ROUNDS	reads of up to 20 us at sixteen depths, at any time
 *        made_calls prices ROUNDS	sendto of 500 ns and 1 ns a byte, recvfrom of 500 and 4,
 *					more or less a fifth
 * Prints the mean of the reads in ns. */
#include <stdint.h>
#include <time.h>

#include "target.h"

#define DEPTHS	   16
#define MOST_BYTES 4096

extern void made_clock_next(uint64_t ns) __attribute__((weak));
extern void made_clock_pass(uint64_t ns) __attribute__((weak));

static char buffer[MOST_BYTES];
static uint64_t state = 2, reads, reads_ns;

/* splitmix64, seeded otherwise than the clock. */
static uint64_t random_up_to(uint64_t most)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % (most + 1);
}

static void read_for(uint64_t ns)
{
	made_clock_next(ns);
	reads++;
	reads_ns += ns;
	if (read(-1, buffer, 1) != 1)
		die("read");
}

/* Woken by the tick, it is at work 50 us later. */
static void paced(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	t.tv_nsec += 4050000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	read_for(150000 + random_up_to(100000));
}

NOINLINE static void read_below(unsigned depth)
{
	if (depth > 0)
		read_below(depth - 1);
	else
		read_for(1 + random_up_to(20000));
	NO_TAIL_CALL();
}

static void any_time(void)
{
	for (unsigned depth = 0; depth < DEPTHS; depth++) {
		made_clock_pass(random_up_to(20000));
		read_below(depth);
	}
}

static void prices(void)
{
	size_t bytes = 1 + random_up_to(MOST_BYTES - 1);

	made_clock_next((500 + bytes) * (80 + random_up_to(40)) / 100);
	sendto(-1, buffer, bytes, 0, NULL, 0);
	bytes = 1 + random_up_to(MOST_BYTES - 1);
	made_clock_next((500 + 4 * bytes) * (80 + random_up_to(40)) / 100);
	recvfrom(-1, buffer, bytes, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*round)(void);
	} modes[] = {{"paced", paced}, {"free", any_time}, {"prices", prices}};

	for (unsigned m = 0; argc == 3 && made_clock_next && m < 3; m++) {
		if (strcmp(argv[1], modes[m].name) != 0)
			continue;
		for (long i = atol(argv[2]); i > 0; i--)
			modes[m].round();
		say("%.3f\n", reads ? (double)reads_ns / (double)reads : 0);
		return 0;
	}
	return 2;
}
