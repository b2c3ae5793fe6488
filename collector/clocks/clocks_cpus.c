// SPDX-License-Identifier: GPL-3.0-or-later
/* Does a clock ever go backwards between CPUs? Two threads on two CPUs read in
 * turn, and each compares its reading with the other's last one, handed over
 * through memory: so that causality orders the readings. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "collector/clocks/clocks_private.h"

#define YIELD_AFTER 2000
/* Where other work has the CPUs, a turn may take a time slice: at least so many comparisons, if
 * they fit in so many times the budget. */
#define ENOUGH_COMPARISONS 1000
#define PATIENCE	   5

struct game {
	clock_reader *read;
	int cpu[2];
	uint64_t until_ns, last_until_ns;
	_Atomic(unsigned int) turn; /* even: player 0, odd: player 1; UINT_MAX: over */
	uint64_t last;		    /* the latest reading; owned by whose turn it is */
	uint64_t comparisons, backward, backward_max;
};

/* Whether it is this player's turn, false: the game is over. */
static bool wait_turn(struct game *g, unsigned int player, unsigned int *turn)
{
	for (unsigned int spins = 1;; spins++) {
		*turn = atomic_load_explicit(&g->turn, memory_order_acquire);
		if (*turn == UINT32_MAX)
			return false;
		if (*turn % 2 == player)
			return true;
		counter_pause();
		if (spins % YIELD_AFTER == 0)
			sched_yield();
	}
}

static void note(struct game *g, uint64_t reading)
{
	if (reading < g->last) {
		g->backward++;
		if (g->last - reading > g->backward_max)
			g->backward_max = g->last - reading;
	}
	g->comparisons++;
	g->last = reading;
}

static bool is_over(const struct game *g)
{
	uint64_t now = counter_raw_ns();

	return now > g->last_until_ns ||
	       (now > g->until_ns && g->comparisons >= ENOUGH_COMPARISONS);
}

static void play(struct game *g, unsigned int player)
{
	unsigned int turn;

	cpus_pin(g->cpu[player]);
	while (wait_turn(g, player, &turn)) {
		note(g, g->read());
		if (player == 0 && turn % 256 == 0 && is_over(g))
			turn = UINT32_MAX - 1;
		atomic_store_explicit(&g->turn, turn + 1, memory_order_release);
	}
}

static void *play_second(void *game)
{
	play(game, 1);
	return NULL;
}

static void play_pair(struct clock_test *test, const struct clock_source *source, int first,
		      int second, double budget_s)
{
	struct game g = {.read = source->read_ordered, .cpu = {first, second}};
	pthread_t thread;

	g.last = g.read();
	g.until_ns = counter_raw_ns() + (uint64_t)(budget_s * 1e9);
	g.last_until_ns = g.until_ns + (uint64_t)(PATIENCE * budget_s * 1e9);
	if (pthread_create(&thread, NULL, play_second, &g))
		return;
	play(&g, 0);
	pthread_join(thread, NULL);
	test->cpus++;
	PROF_ADD(test, &g, comparisons, backward);
	double back_ns = (double)g.backward_max * source->ns_per_unit;
	if (back_ns > test->backward_max_ns)
		test->backward_max_ns = back_ns;
}

void clocks_cpus_compare(struct clock_test *test, const struct clock_source *source,
			 double budget_s)
{
	cpu_set_t before;
	int first = -1, others;

	if (sched_getaffinity(0, sizeof(before), &before))
		return;
	others = CPU_COUNT(&before) - 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		if (first < 0)
			first = cpu;
		else
			play_pair(test, source, first, cpu, budget_s / others);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

void clocks_cpus_move_thread(struct clock_test *test, const struct clock_source *source,
			     double budget_s)
{
	cpu_set_t before;
	uint64_t end = counter_raw_ns() + (uint64_t)(budget_s * 1e9);
	struct game g = {.last = source->read()};

	if (sched_getaffinity(0, sizeof(before), &before) || CPU_COUNT(&before) < 2)
		return;
	for (int cpu = 0; counter_raw_ns() < end; cpu = (cpu + 1) % CPU_SETSIZE) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		cpus_pin(cpu);
		note(&g, source->read_ordered());
		test->cpus += test->cpus + 1 < (uint32_t)CPU_COUNT(&before);
	}
	sched_setaffinity(0, sizeof(before), &before);
	PROF_SET(test, &g, comparisons, backward);
	test->backward_max_ns = (double)g.backward_max * source->ns_per_unit;
}
