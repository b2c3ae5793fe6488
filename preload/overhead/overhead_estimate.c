// SPDX-License-Identifier: Apache-2.0
/* No floating point: the target's may be set to trap. */
#include "preload/clock/clock.h"
#include "preload/overhead/overhead.h"

#define RATE_BITS      16
#define RATE_MOST_BITS 35 /* a unit of half a millisecond */
#define UNITS_MOST                                                                                 \
	(UINT64_C(1) << 28) /* a round that took longer is stolen time, and no median              \
			     */

static void sort(int64_t *v, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		int64_t x = v[i];
		uint32_t k = i;
		for (; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static int64_t middle(const int64_t *v, uint32_t count)
{
	return count % 2 ? v[count / 2] : (v[count / 2 - 1] + v[count / 2]) / 2;
}

static uint64_t square_root(uint64_t x)
{
	uint64_t root = 0;
	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

struct overhead_estimate overhead_stats_median(int64_t *v, uint32_t count)
{
	sort(v, count);
	int64_t median = middle(v, count);
	for (uint32_t i = 0; i < count; i++)
		v[i] = v[i] < median ? median - v[i] : v[i] - median;
	sort(v, count);
	/* 1.8582 = sqrt(pi / 2) * 1.4826; the root of 2^16 count has eight more bits */
	uint64_t error = (uint64_t)middle(v, count) * 18582 / 10000 * 256 /
			 square_root((uint64_t)count << 16);
	return (struct overhead_estimate){median, error ? error : 1};
}

uint64_t overhead_stats_ps(uint64_t units, uint64_t span_ns, uint64_t span_units)
{
	if (!span_units || span_ns >> 31)
		return 0;
	uint64_t rate = (span_ns * 1000 << RATE_BITS) / span_units;
	if (rate >> RATE_MOST_BITS)
		return 0;
	return (units > UNITS_MOST ? UNITS_MOST : units) * rate >> RATE_BITS;
}

/* The scratch entry's sum tells what lies inside a duration. A clock of long ticks cannot tell it:
 * there the fine clock `timer` stands in for it, and the difference of what reading the two costs
 * in a loop is added. Between two readings of a call it may be more or less: half of it is
 * uncertain. The whole that the program pays is timed from outside, against plain calls of the same
 * function. */

/* One of the ways, and where its results are. */
struct of_way {
	const struct overhead_results *all;
	struct overhead_rate timer;
	const struct rounds *own, *stand_in;
};

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

static uint32_t rounds_of(const struct of_way *w)
{
	bool stands_in = clock_is_coarse(clock_chosen.kind);
	return stands_in && w->stand_in->count < w->own->count ? w->stand_in->count : w->own->count;
}

/* In the calls of a round it takes so much more to read the clock of long ticks than the timer. */
static int64_t reading_ps(const struct of_way *w)
{
	return w->all->reading_ps * (int64_t)w->all->calls;
}

static uint64_t uncertain_ps(const struct of_way *w)
{
	return (uint64_t)(w->all->reading_ps < 0 ? -w->all->reading_ps : w->all->reading_ps) / 2;
}

static int64_t inside_ps(const struct of_way *w, uint32_t i)
{
	const struct overhead_rate ns = {1, 1};
	if (clock_is_coarse(clock_chosen.kind))
		return ps(w->stand_in->round[i].inside, w->timer) + reading_ps(w);
	return ps(w->own->round[i].inside, clock_chosen.kind == SCP_CLOCK_TSC ? w->timer : ns);
}

static void conclude_main(const struct of_way *w, struct scp_cost *c)
{
	uint32_t rounds = rounds_of(w), calls = w->all->calls;
	for (uint32_t i = 0; i < rounds; i++)
		value[i] = inside_ps(w, i);
	conclude(&c->inside_ps, &c->inside_error_ps, rounds, calls);
	if (clock_is_coarse(clock_chosen.kind))
		c->inside_error_ps += uncertain_ps(w);
	for (uint32_t i = 0; i < rounds; i++)
		value[i] = ps(w->own->round[i].wrapped, w->timer) -
			   ps(w->own->round[i].plain, w->timer) - inside_ps(w, i);
	conclude(&c->outside_ps, &c->outside_error_ps, rounds, calls);
}

/* Of a dual run: its interval holds a reading of the main clock besides. */
static void conclude_slow(const struct of_way *w, struct scp_cost *c)
{
	for (uint32_t i = 0; i < w->stand_in->count; i++)
		value[i] = ps(w->stand_in->round[i].slow, w->timer) + reading_ps(w);
	conclude(&c->inside_ps, &c->inside_error_ps, w->stand_in->count, w->all->calls);
	c->inside_error_ps += uncertain_ps(w);
}

static void conclude_way(const struct of_way *w, struct scp_cost *main_clock,
			 struct scp_cost *slow_clock)
{
	if (!w->own->count)
		return;
	conclude_main(w, main_clock);
	if (clock_chosen.slow_kind && w->stand_in->count)
		conclude_slow(w, slow_clock);
}

/* What a call costs all in all, for the interval around it. Which kind of call it will be is not
 * known: the middle of the wrappers' and the selected functions', uncertain by half of what they
 * differ by. Where only handlers make calls inside others: as much as outside. */
static void conclude_inner(const struct scp_way_costs *ways, struct scp_inner_cost *out)
{
	const struct scp_way_cost *a = &ways->way[SCP_WAY_NESTED + SCP_WAY_SYSTEM],
				  *b = &ways->way[SCP_WAY_NESTED + SCP_WAY_SELECTED];
	a = a->inside_ps ? a : &ways->way[SCP_WAY_SYSTEM];
	uint64_t x = (uint64_t)a->inside_ps + a->outside_ps,
		 y = (uint64_t)b->inside_ps + b->outside_ps;
	uint64_t error = (uint64_t)a->inside_error_ps + a->outside_error_ps;
	y = b->inside_ps ? y : x;
	uint64_t half = (x > y ? x - y : y - x) / 2;
	out->total_ps = x / 2 + y / 2;
	out->error_ps = half > error ? half : error;
}

static uint32_t cut(uint64_t v)
{
	return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

static struct scp_way_cost stored(const struct scp_cost *c)
{
	return (struct scp_way_cost){cut(c->inside_ps), cut(c->inside_error_ps), cut(c->outside_ps),
				     cut(c->outside_error_ps)};
}

void overhead_estimate(const struct overhead_results *r, struct overhead_rate timer,
		       struct overhead_costs *out)
{
	const struct of_way deep = {r, timer, &r->deep, &r->deep_stand_in};
	for (uint32_t i = 0; i < SCP_WAYS; i++) {
		const struct of_way w = {r, timer, &r->way[i], &r->stand_in[i]};
		struct scp_cost cost = {0}, slow = {0};
		conclude_way(&w, &cost, &slow);
		out->ways.way[i] = stored(&cost);
		out->slow_ways.way[i] = stored(&slow);
		if (i == SCP_WAY_SYSTEM) {
			out->main.cost[SCP_COST_SHORT] = cost;
			out->slow.cost[SCP_COST_SHORT] = slow;
		}
		out->main.rounds += w.own->count;
		out->slow.rounds += clock_chosen.slow_kind ? w.stand_in->count : 0;
	}
	conclude_way(&deep, &out->main.cost[SCP_COST_LONG], &out->slow.cost[SCP_COST_LONG]);
	conclude_inner(&out->ways, &out->inner);
}
