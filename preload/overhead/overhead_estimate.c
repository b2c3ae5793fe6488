// SPDX-License-Identifier: Apache-2.0
/* What lies inside a duration is what the scratch entry's sum says. A clock of long
 * ticks cannot say it: its reading and the call are timed in a loop, by the fine clock
 * `timer`. The slow clock's interval of a dual run holds a reading of the fast one besides:
 * rounds in which the timer stands in for it show how much, and then the costs of reading
 * the two are exchanged. What the program pays in all is timed from outside, against plain
 * calls of the same function. */
#include "preload/overhead/overhead_estimate.h"
#include "preload/clock/clock.h"
#include "preload/overhead/overhead_stats.h"

static int64_t value[OVERHEAD_ROUNDS];

static int64_t ps(uint64_t units, struct overhead_rate rate)
{
	return (int64_t)overhead_stats_ps(units, rate.ns, rate.units);
}

/* The median of value[], which are picoseconds a round. */
static void conclude(uint64_t *value_ps, uint64_t *error_ps, uint32_t rounds, uint32_t calls)
{
	struct overhead_estimate e = overhead_stats_median(value, rounds);
	*value_ps = e.value > 0 ? ((uint64_t)e.value + calls / 2) / calls : 0;
	*error_ps = (e.error + calls - 1) / calls;
}

/* A clock of long ticks: its reading takes what it takes in a loop. How much of the call
 * lies between the instants of two readings is not known: the processor may execute two
 * loads together or a call apart. Half of it is taken, and its whole length is uniformly
 * uncertain. */
bool overhead_estimate_is_coarse(uint32_t kind)
{
	return kind == SCP_CLOCK_PAGE || kind == SCP_CLOCK_COARSE;
}

static int64_t inside_ps(const struct overhead_results *all, const struct rounds *r, uint32_t i,
			 struct overhead_rate clock, struct overhead_rate timer)
{
	if (!overhead_estimate_is_coarse(clock_chosen.kind))
		return ps(r->round[i].inside, clock);
	return ps(all->reading[i], timer) - ps(all->call[i], timer) / 2;
}

/* A uniform distribution's standard deviation is its width over the root of 12. */
static uint64_t uncertain_call_ps(const struct overhead_results *all, uint32_t rounds,
				  struct overhead_rate timer)
{
	uint64_t call_ps, error_ps;
	for (uint32_t i = 0; i < rounds; i++)
		value[i] = ps(all->call[i], timer);
	conclude(&call_ps, &error_ps, rounds, all->calls);
	return call_ps * 289 / 1000;
}

static void conclude_main(const struct overhead_results *all, struct scp_cost *c,
			  const struct rounds *r, struct overhead_rate clock,
			  struct overhead_rate timer)
{
	for (uint32_t i = 0; i < r->count; i++)
		value[i] = inside_ps(all, r, i, clock, timer);
	conclude(&c->inside_ps, &c->inside_error_ps, r->count, all->calls);
	if (overhead_estimate_is_coarse(clock_chosen.kind))
		c->inside_error_ps += uncertain_call_ps(all, r->count, timer);
	for (uint32_t i = 0; i < r->count; i++)
		value[i] = ps(r->round[i].wrapped, timer) - ps(r->round[i].plain, timer) -
			   inside_ps(all, r, i, clock, timer);
	conclude(&c->outside_ps, &c->outside_error_ps, r->count, all->calls);
}

static void conclude_slow(const struct overhead_results *all, struct scp_cost *c,
			  const struct rounds *r, struct overhead_rate timer)
{
	for (uint32_t i = 0; i < r->count; i++)
		value[i] = ps(r->round[i].slow, timer) + ps(all->reading[i], timer) -
			   ps(all->reading_timer[i], timer);
	conclude(&c->inside_ps, &c->inside_error_ps, r->count, all->calls);
}

/* What a call costs all in all, for the interval around it. */
static bool conclude_inner(const struct overhead_results *all, struct scp_inner_cost *c,
			   const struct rounds *r, struct overhead_rate timer)
{
	if (!r->count)
		return false;
	for (uint32_t i = 0; i < r->count; i++)
		value[i] = ps(r->round[i].wrapped, timer) - ps(r->round[i].plain, timer);
	conclude(&c->total_ps, &c->error_ps, r->count, all->calls);
	return c->total_ps;
}

/* Which kind of call it will be is not known: the middle, uncertain by half of what they
 * differ by. */
static void conclude_both_inner(const struct overhead_results *all, struct scp_inner_cost *c,
				struct overhead_rate timer)
{
	struct scp_inner_cost selected = {0, 0};
	if (!conclude_inner(all, c, &all->inner[0], timer) ||
	    !conclude_inner(all, &selected, &all->inner[1], timer))
		return;
	uint64_t low = c->total_ps < selected.total_ps ? c->total_ps : selected.total_ps;
	uint64_t half = (c->total_ps + selected.total_ps) / 2 - low;
	c->total_ps = low + half;
	c->error_ps = half > c->error_ps ? half : c->error_ps;
}

int64_t overhead_estimate_shift(const struct overhead_results *r)
{
	const struct rounds *a = &r->path[SCP_COST_SHORT], *b = &r->selected;
	uint32_t count = a->count < b->count ? a->count : b->count;
	for (uint32_t i = 0; i < count; i++)
		value[i] = (int64_t)(a->round[i].inside - b->round[i].inside);
	struct overhead_estimate e = overhead_stats_median(value, count);
	return (e.value + r->calls / 2) / r->calls;
}

void overhead_estimate(const struct overhead_results *r, struct overhead_rate timer,
		       struct scp_overhead *main_clock, struct scp_overhead *slow_clock,
		       struct scp_inner_cost *inner)
{
	struct overhead_rate ns = {1, 1};
	conclude_both_inner(r, inner, timer);
	for (unsigned i = 0; i < 2; i++) {
		conclude_main(r, &main_clock->cost[i], &r->path[i],
			      clock_chosen.kind == SCP_CLOCK_TSC ? timer : ns, timer);
		main_clock->rounds += r->path[i].count;
		if (!clock_chosen.slow_kind)
			continue;
		conclude_slow(r, &slow_clock->cost[i], &r->stand_in[i], timer);
		slow_clock->rounds += r->stand_in[i].count;
	}
}
