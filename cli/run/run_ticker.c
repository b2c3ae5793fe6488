// SPDX-License-Identifier: GPL-3.0-or-later
/* Costs are measured before the start, on the CPU where the tool is. */
#include "cli/run/run_ticker.h"

#include "cli/messages/say.h"
#include "report/wording/numbers.h"
#include "stats/numerics/random.h"

/* A tick that would cost too much is made longer, with a word where it was asked for. */
static void settle_tick(struct run_ticker *t, struct run_options *o)
{
	uint64_t least_ns, tick_ns = o->tick_ns;
	char asked[32], taken[32], used[32];

	ticker_cost_measure(&t->cost);
	least_ns = ticker_cost_least_tick(&t->cost);
	if (o->exact_tick || tick_ns >= least_ns)
		return;
	o->tick_ns = least_ns;
	if (!o->tick_asked)
		return;
	t->asked_ns = tick_ns;
	numbers_duration(asked, sizeof(asked), (double)tick_ns, false);
	numbers_duration(taken, sizeof(taken), (double)t->cost.taken_ns, false);
	numbers_duration(used, sizeof(used), (double)least_ns, false);
	say_format("a tick takes %s here: with one every %s, %.0f %% of a CPU. The tick is %s, "
		   "1 %%.\n--exact-tick keeps the shorter one",
		   taken, asked, 100 * (double)t->cost.taken_ns / (double)tick_ns, used);
}

int run_ticker_start(struct run_ticker *t, struct run_options *o, const char *page)
{
	struct profile_error err;

	if (o->clock != SCP_CLOCK_PAGE && o->clock != SCP_CLOCK_DUAL)
		return 0;
	settle_tick(t, o);
	t->ticker = ticker_start(page, o->tick_ns, random_fresh_seed(), &err);
	if (!t->ticker)
		say(err.text);
	return t->ticker ? 0 : -1;
}

void run_ticker_stop(struct run_ticker *t)
{
	if (t->ticker)
		ticker_stop(t->ticker, &t->ticks);
	t->ticker = NULL;
	if (t->ticks.cut)
		say("a process that was measured cut the page of the clock: times from then on "
		    "are\n"
		    "not to be trusted");
	t->ticks.cut = false;
}

void run_ticker_note(const struct run_ticker *t, struct profile *p)
{
	const struct ticker_stats *s = &t->ticks;
	uint64_t hits = s->ticks;

	/* One that took the CPU from the command fell into its CPU time, and is an involuntary
	 * switch of it. */
	if (p->usage.known & SCP_USAGE_CPU)
		hits = ticker_cost_hits(s->ticks, s->stop_ns - s->start_ns, p->usage.cpu_ns,
					p->usage.involuntary);
	p->ticker_ticks = s->ticks;
	p->ticker_late_sum_ns = s->late_sum_ns;
	p->ticker_late_max_ns = s->late_max_ns;
	p->ticker_late_ticks = s->late_ticks;
	p->ticker_cost = (struct scp_ticker_cost){
		.cpu_ns = s->cpu_ns,
		.most_ns = s->ticks * t->cost.taken_ns,
		.taken_ns = hits * t->cost.taken_ns,
		.asked_ns = t->asked_ns,
	};
}
