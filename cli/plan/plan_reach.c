// SPDX-License-Identifier: GPL-3.0-or-later
/* Beilner's equation (13) for a given n. The normal approximation has the same limits as in
 * plan_ahead.c. Contiguous calls of one length are known far better by (10d), but calls are seldom
 * of one length (his section 3): that width is reported beside the answer. */
#include "cli/plan/plan_reach.h"

#include <math.h>
#include <stdio.h>

#include "report/render/json/json_parts.h"
#include "report/wording/numbers.h"
#include "stats/planning/plan.h"
#include "cli/plan/plan_ahead.h"
#include "cli/plan/plan_words.h"
#include "stats/stats.h"
#include "report/wording/terminal.h"

static double rarer(double mean, double d, double n)
{
	double ticks = mean / d, f = ticks - floor(ticks);

	return n * fmin(f, 1 - f);
}

/* Half width after n calls: normal, or exact where ticks are few and that is wider. */
static double half_width(const struct plan_options *o, double mean, double *normal)
{
	double d = (double)o->tick_ns, n = (double)o->calls;

	*normal = plan_two_sided_z(o->confidence) * plan_beilner_deviation(mean, d, n);
	if (rarer(mean, d, n) >= PLAN_EXACT_BELOW)
		return *normal;
	return fmax(*normal, plan_exact_width(mean / d, n, o->confidence) * d / 2);
}

struct plan_reach plan_reach_compute(const struct plan_options *o)
{
	double mean = (double)o->mean_ns, d = (double)o->tick_ns, n = (double)o->calls;
	double z = plan_two_sided_z(o->confidence), ignored;
	struct plan_reach r = {.bound_ns = NAN, .page_ns = NAN, .longest_ns = NAN};

	r.half_ns = half_width(o, mean, &r.normal_ns);
	r.rare = rarer(mean, d, n);
	r.method = r.half_ns > r.normal_ns ? "clopper-pearson" : "beilner-13";
	r.equation =
		r.half_ns > r.normal_ns ? "exact limits (Clopper and Pearson)" : "Beilner (13)";
	if (mean >= d)
		r.bound_ns = fmax(r.half_ns, z * plan_beilner_bound(d, n));
	if (mean > d / 2)
		r.page_ns = fmax(r.half_ns, z * d * sqrt(plan_random_tick_variance(mean / d) / n));
	if (o->longest_ns)
		r.longest_ns = half_width(o, (double)o->longest_ns, &ignored);
	r.row_ns = z * plan_beilner_contiguous_deviation(0, n, d);
	r.ticks = n * mean / d;
	return r;
}

static void row(const char *name, double half_ns, double mean_ns, const char *what, bool utf8)
{
	const char *sign = utf8 ? "±" : "+-";
	char percent[32], time[32], value[40];

	plan_words_percent(percent, sizeof(percent), half_ns / mean_ns);
	numbers_duration(time, sizeof(time), half_ns, utf8);
	snprintf(value, sizeof(value), "%s%s", sign, percent);
	printf("  %-10s %*s   %s%s: %s\n", name, utf8 ? 11 : 10, value, sign, time, what);
}

int plan_reach_print(const struct plan_options *o, const struct plan_reach *r)
{
	bool utf8 = terminal_of(stdout, 0).utf8;
	double mean = (double)o->mean_ns;
	char tick[32], each[32], calls[32], ticks[32];

	plan_words_duration(tick, sizeof(tick), (double)o->tick_ns, utf8);
	plan_words_duration(each, sizeof(each), mean, utf8);
	plan_words_count(calls, sizeof(calls), (double)o->calls);
	plan_words_count(ticks, sizeof(ticks), round(r->ticks));
	printf("clock of %s, operation of %s, %s call%s: about %s ticks; at %.6g %% confidence\n\n",
	       tick, each, calls, o->calls == 1 ? "" : "s", ticks, 100 * o->confidence);
	row("mean", r->half_ns, mean, r->equation, utf8);
	if (!isnan(r->bound_ns))
		row("at most", r->bound_ns, mean, "whatever fraction of a tick it is (10b)", utf8);
	if (!isnan(r->page_ns))
		row("page clock", r->page_ns, mean, "whose ticks vary by half (scprof run -c page)",
		    utf8);
	row("in a row", r->row_ns, mean, "where each begins as the last one ends, all alike (10d)",
	    utf8);
	if (o->longest_ns)
		row("longest", r->longest_ns, (double)o->longest_ns, "the longest operation", utf8);
	if (r->half_ns > mean)
		printf("\n  note: wider than the mean itself: so many calls say next to nothing\n");
	return 0;
}

int plan_reach_json(const struct plan_options *o, const struct plan_reach *r)
{
	json_t *doc = json_object();
	double mean = (double)o->mean_ns;
	int failed = 0;

	json_parts_put(doc, "schema", json_parts_text("scprof-plan/1"), &failed);
	json_parts_put(doc, "tick_ns", json_parts_count(o->tick_ns), &failed);
	json_parts_put(doc, "mean_ns", json_parts_count(o->mean_ns), &failed);
	json_parts_put(doc, "confidence", json_parts_number(o->confidence), &failed);
	json_parts_put(doc, "calls", json_parts_count(o->calls), &failed);
	json_parts_put(doc, "method", json_parts_text(r->method), &failed);
	json_parts_put(doc, "width", json_parts_number(2 * r->half_ns / mean), &failed);
	json_parts_put(doc, "error_ns", json_parts_number(r->half_ns), &failed);
	json_parts_put(doc, "normal_error_ns", json_parts_number(r->normal_ns), &failed);
	json_parts_put(doc, "bound_error_ns", json_parts_number(r->bound_ns), &failed);
	json_parts_put(doc, "page_clock_error_ns", json_parts_number(r->page_ns), &failed);
	json_parts_put(doc, "contiguous_error_ns", json_parts_number(r->row_ns), &failed);
	json_parts_put(doc, "longest_error_ns", json_parts_number(r->longest_ns), &failed);
	json_parts_put(doc, "ticks_expected", json_parts_number(r->ticks), &failed);
	return plan_words_dump(doc, failed);
}
