// SPDX-License-Identifier: GPL-3.0-or-later
/* All sites run in the same program, therefore the one that needs the longest run decides: the plan
 * is how many times as long as the recorded run it must be, at the same rates of calls. */
#include "cli/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/mean/mean_interval.h"
#include "stats/planning/plan.h"
#include "profile/base/array.h"
#include "report/model/model.h"

/* Total width over the mean (+-50 %). With a wider interval the forecast may be wrong by half. */
#define ROUGH_WIDTH 1

static const struct {
	const char *reason, *text;
} reasons[] = {
	{"clock-synchronous", "calls are synchronous with the clock's tick: more do not help. "
			      "Record with -c page, whose ticks are randomised, or a fast clock"},
	{"too-few-independent-batches",
	 "calls come in phases, of which the run holds too few to know: let it run through more, "
	 "then plan again"},
	{"heavy-tail", "a few long calls make the mean, and longer ones may come: this many calls "
		       "can be too few, plan again after them"},
	{"overhead", "what the wrapper adds is not known so well, and more calls do not tell: "
		     "merge several runs, each measures it again"},
	{"overflow", "calls that found no room in the profile: their spread is not known"},
	{"no-interval", "too few calls, or a mean that is not above 0: nothing to go by"},
};

const char *plan_reason_text(const char *reason)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(reasons[i].reason, reason))
			return reasons[i].text;
	return "";
}

const char *plan_state_name(enum plan_state state)
{
	static const char *const names[] = {
		[PLAN_REACHED] = "reached",   [PLAN_MORE] = "more",
		[PLAN_AT_LEAST] = "at-least", [PLAN_NEVER] = "never",
		[PLAN_UNKNOWN] = "unknown",
	};

	return names[state];
}

struct span {
	double from, to;
};

ARRAY_COMPARE(compare_spans, struct span, ARRAY_ORDER(a->from, b->from))

/* The time in which at least one process ran and was recorded: processes may run at the same time,
 * and a profile may have runs of several days. */
static int running_time(const struct report *r, double *ns)
{
	struct span *span = calloc(r->processes ? r->processes : 1, sizeof(*span));
	double end = -INFINITY;

	if (!span)
		return -1;
	for (uint32_t i = 0; i < r->processes; i++) {
		double from = (double)(r->process[i].process->start_real_ns - r->start_real_ns);

		span[i] = (struct span){from, from + fmax(0, r->process[i].wall_s * 1e9)};
	}
	ARRAY_SORT(span, r->processes, compare_spans);
	*ns = 0;
	for (uint32_t i = 0; i < r->processes; i++) {
		*ns += fmax(0, span[i].to - fmax(end, span[i].from));
		end = fmax(end, span[i].to);
	}
	if (r->profile->flags & SCP_FILE_WINDOWS && r->profile->recorded_of_ns)
		*ns *= (double)r->profile->recorded_ns / (double)r->profile->recorded_of_ns;
	free(span);
	return 0;
}

static void settle(struct plan_site *p, enum plan_state state, const char *reason)
{
	p->state = state;
	p->reason = reason;
}

static bool is_synchronous(const struct report_site *s)
{
	return s->estimate.unreliable & STATS_SYNCHRONOUS;
}

/* The most serious warning decides. */
static void judge(struct plan_site *p, const struct report_site *s)
{
	unsigned unreliable = s->estimate.unreliable;

	if (s->overflow)
		settle(p, PLAN_UNKNOWN, "overflow");
	else if (is_synchronous(s))
		settle(p, PLAN_NEVER, reliability_name(STATS_SYNCHRONOUS));
	else if (isnan(p->calls))
		settle(p, PLAN_UNKNOWN, "no-interval");
	else if (isinf(p->calls))
		settle(p, PLAN_NEVER, "overhead");
	else if (unreliable & STATS_HEAVY_TAIL)
		settle(p, PLAN_AT_LEAST, reliability_name(STATS_HEAVY_TAIL));
	else if (unreliable & STATS_FEW_INDEPENDENT)
		settle(p, PLAN_AT_LEAST, reliability_name(STATS_FEW_INDEPENDENT));
	else
		settle(p, p->calls > (double)s->calls ? PLAN_MORE : PLAN_REACHED, NULL);
}

static void plan_cpu(struct plan_site *p, const struct report_site *s, const struct plan_options *o)
{
	const struct mean_interval *e = &s->states.unswitched;
	struct stats_finished f = {
		(double)s->calls,    e->mean, e->low, e->high, e->error, e->freedom,
		s->overhead_error_ns};
	bool known = s->states.known && e->mean > 0 && !is_synchronous(s);

	p->cpu_width = known ? (e->high - e->low) / e->mean : NAN;
	p->cpu_calls = known ? ceil(plan_calls_forecast(&f, o->confidence, o->width)) : NAN;
	p->cpu_more_calls = p->cpu_calls - (double)s->calls;
}

static struct plan_site plan_site(const struct plan_sites *all, const struct report *r, uint32_t at,
				  const struct plan_options *o)
{
	const struct report_site *s = &r->site[at];
	const struct mean_interval *e = &s->estimate;
	struct stats_finished f = {
		(double)s->calls,    e->mean, e->low, e->high, e->error, e->freedom,
		s->overhead_error_ns};
	struct plan_site p = {.site = at};

	p.width = e->mean > 0 ? (e->high - e->low) / e->mean : NAN;
	p.calls = s->overflow ? NAN : ceil(plan_calls_forecast(&f, o->confidence, o->width));
	judge(&p, s);
	if (p.state == PLAN_NEVER)
		p.calls = INFINITY;
	p.more_calls = p.calls - (double)s->calls;
	p.more_ns = p.more_calls / (double)s->calls * all->running_ns;
	plan_cpu(&p, s, o);
	p.rough = (p.state == PLAN_MORE || p.state == PLAN_AT_LEAST) && p.width > ROUGH_WIDTH;
	return p;
}

static void add_up(struct plan_sites *p, const struct report *r)
{
	p->factor = 1;
	p->cpu_factor = NAN;
	for (const struct plan_site *s = p->site; s < p->site + p->sites; s++) {
		double calls = (double)r->site[s->site].calls;

		if (isfinite(s->cpu_calls))
			p->cpu_factor = fmax(fmax(1, s->cpu_calls / calls), p->cpu_factor);
		p->in_state[s->state]++;
		if (s->state == PLAN_MORE || s->state == PLAN_AT_LEAST)
			p->factor = fmax(p->factor, s->calls / calls);
	}
	p->far = p->factor > PLAN_FAR;
	p->brief = p->running_ns < PLAN_BRIEF_NS;
	p->more_calls = ceil((p->factor - 1) * (double)r->calls);
	p->more_ns = (p->factor - 1) * p->running_ns;
	p->cpu_more_calls = ceil((p->cpu_factor - 1) * (double)r->calls);
	p->cpu_more_ns = (p->cpu_factor - 1) * p->running_ns;
}

/* Time that the site may take. A call that is synchronous with the tick may show no tick at all and
 * take up to one each time. */
static double most_of(const struct report_site *s, const struct report *r)
{
	double each = s->estimate.high;

	if (is_synchronous(s))
		each = fmax(each, r->profile->clock.tick_ns);
	return isfinite(each) ? each * (double)s->calls : 0;
}

/* The waiting time of a server depends on its load. If any site works, a longer run does not serve
 * to measure means of waiting. */
static bool any_works(const struct report *r)
{
	for (uint32_t i = 0; i < r->sites; i++)
		if (r->site[i].calls && !r->site[i].waits)
			return true;
	return false;
}

static void choose(struct plan_sites *p, const struct report *r, const struct plan_options *o)
{
	bool with_waits = !any_works(r);
	double all_ns = 0;

	for (uint32_t i = 0; i < r->sites; i++)
		all_ns += r->site[i].waits && !with_waits ? 0 : fmax(r->site[i].total_ns, 0);
	for (uint32_t i = 0; i < r->sites; i++) {
		const struct report_site *s = &r->site[i];
		bool perhaps = most_of(s, r) > o->share * all_ns;

		if (!s->calls || (s->waits && !with_waits))
			continue;
		if (s->total_ns > o->share * all_ns || (perhaps && is_synchronous(s)))
			p->site[p->sites++] = plan_site(p, r, i, o);
		else
			p->perhaps += perhaps;
	}
}

int plan_sites_build(struct plan_sites *p, const struct report *r, const struct plan_options *o)
{
	*p = (struct plan_sites){0};
	p->site = calloc(r->sites ? r->sites : 1, sizeof(*p->site));
	if (!p->site || running_time(r, &p->running_ns))
		return -1;
	choose(p, r, o);
	add_up(p, r);
	return 0;
}
