// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls whose durations and places in the tick are given (given_clock.h). Usage: given_time MODE
 * COUNT [SEED]
 * - paced: COUNT calls of 0.2 ms, each at the beginning of a tick: a clock of ticks sees none. 0: a
 *   rest of 1 ms after each, until SIGTERM
 * - anywhere: COUNT rounds of calls at sixteen depths, which begin anywhere in the tick
 * - often: the same, hundreds of calls a tick
 * - warms_up: COUNT sends of 30 us or so, then 13000 of 3 us, from one place
 * - even: COUNT sends of 3 us or so
 * - waits: COUNT waits of 1 ms, or one in ten of 30 ms */
#include <poll.h>
#include <signal.h>

#include "given_clock.h"
#include "target.h"

#define DEPTHS 16

static int pair[2];

static volatile sig_atomic_t over;

static void end_it(int number)
{
	(void)number;
	over = 1;
}

static void paced(long count)
{
	uint64_t tick = given_tick_ns();

	signal(SIGTERM, end_it);
	for (long i = 0; count ? i < count : !over; i++) {
		given_ns += tick - given_ns % tick;
		exchange(pair);
		given_ns += 200000;
		if (!count)
			usleep(1000);
	}
}

/* Less than so far apart. */
static void rounds(long count, uint64_t apart)
{
	for (long i = 0; i < count; i++)
		for (int depth = 0; depth < DEPTHS; depth++) {
			exchange_below(pair, depth);
			given_ns += given_random(apart);
		}
}

static void anywhere(long count)
{
	rounds(count, given_tick_ns());
}

static void often(long count)
{
	rounds(count, given_tick_ns() / 64);
}

/* A call lasts as long as a reading of the clock is after the one before. */
static NOINLINE void send_for(uint64_t ns)
{
	char c = 'x';

	given_step = ns - ns / 10 + given_random(ns / 5);
	if (send(pair[0], &c, 1, 0) != 1)
		die("send");
	given_step = 0;
	if (syscall(SYS_read, pair[1], &c, 1) != 1)
		die("read");
	NO_TAIL_CALL();
}

static void warms_up(long count)
{
	for (long i = 0; i < count + 13000; i++)
		send_for(i < count ? 30000 : 3000);
}

static void even(long count)
{
	for (long i = 0; i < count; i++)
		send_for(3000);
}

static void waits(long count)
{
	for (long i = 0; i < count; i++) {
		given_step = given_random(10) ? 1000000 : 30000000;
		poll(NULL, 0, 0);
		given_step = 0;
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long count);
	} known[] = {{"paced", paced},	     {"anywhere", anywhere}, {"often", often},
		     {"warms_up", warms_up}, {"even", even},	     {"waits", waits}};
	long count = argc > 2 ? atol(argv[2]) : 0;

	given_seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	make_pair(pair);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (argc > 1 && !strcmp(known[i].name, argv[1]))
			known[i].run(count);
	return 0;
}
