// SPDX-License-Identifier: GPL-3.0-or-later
/* The equations of the papers with the numbers of the command line. Their normal approximation
 * needs both tick counts often enough; where one is rare, the plan uses exact limits. */
#include "cli/plan/plan.h"

#include <math.h>
#include <stdio.h>

#include "report/wording/numbers.h"
#include "stats/planning/plan.h"

static double whole_calls(double calls)
{
	return fmax(1, ceil(calls));
}

/* Calls among n with the rarer of two tick counts. */
static double rarer(double mean, double d, double n)
{
	double ticks = mean / d, f = ticks - floor(ticks);

	return n * fmin(f, 1 - f);
}

static void normal_plan(const struct plan_options *o, struct plan_ahead *a)
{
	double mean = (double)o->mean_ns, d = (double)o->tick_ns;
	double w = plan_width_factor(o->confidence);

	if (o->digits) {
		a->method = "danzig-melvin-4";
		a->equation = "Danzig and Melvin (4)";
		a->error_ns = plan_last_digit_unit(mean, o->digits);
		a->normal_calls = plan_danzig_melvin_calls(a->error_ns, mean, d, o->confidence);
		return;
	}
	a->error_ns = o->width * mean / 2;
	a->method = mean < d ? "beilner-14b" : "beilner-14a";
	a->equation = mean < d ? "Beilner (14b)" : "Beilner (14a)";
	a->normal_calls = plan_beilner_calls(w, o->width, mean, d);
}

static void exact_plan(const struct plan_options *o, struct plan_ahead *a)
{
	double mean = (double)o->mean_ns, d = (double)o->tick_ns, exact;

	a->normal_calls = whole_calls(a->normal_calls);
	a->calls = a->normal_calls;
	a->rare = rarer(mean, d, a->calls);
	if (a->rare >= PLAN_EXACT_BELOW)
		return;
	exact = plan_exact_calls(mean / d, 2 * a->error_ns / d, o->confidence);
	if (exact <= a->calls)
		return;
	a->calls = exact;
	a->method = "clopper-pearson";
	a->equation = "exact limits (Clopper and Pearson)";
}

/* Two cases: the unknown fraction of a tick decides; or the ticks of the page clock vary more than
 * the counts of a regular clock would. Both are normal approximations: where ticks are few, the
 * exact limits may need more calls. */
static void other_clocks(const struct plan_options *o, struct plan_ahead *a)
{
	double mean = (double)o->mean_ns, d = (double)o->tick_ns;
	double w = plan_width_factor(o->confidence), p = 2 * a->error_ns / mean;
	double page = plan_random_tick_variance(mean / d);

	a->bound_calls = a->page_calls = NAN;
	if (mean >= d)
		a->bound_calls =
			fmax(a->calls, whole_calls(plan_beilner_calls_bound(w, p, mean, d)));
	if (mean > d / 2)
		a->page_calls = fmax(a->calls, whole_calls(pow(w / p * d / mean, 2) * page));
}

/* Uses (10b) if the longest lasts a tick or more: its fraction of a tick is unknown. */
static void plan_longest(const struct plan_options *o, struct plan_ahead *a)
{
	double longest = (double)o->longest_ns, d = (double)o->tick_ns, deviation, error;

	a->duration_ns = a->longest_width = a->longest_confidence = NAN;
	if (!o->longest_ns)
		return;
	a->duration_ns = a->calls * longest;
	deviation = longest < d ? plan_beilner_deviation(longest, d, a->calls)
				: plan_beilner_bound(d, a->calls);
	error = o->digits ? plan_last_digit_unit(longest, o->digits) : o->width * longest / 2;
	a->longest_width = plan_width_factor(o->confidence) * deviation / longest;
	a->longest_confidence = plan_width_confidence(2 * error / deviation);
}

struct plan_ahead plan_ahead_compute(const struct plan_options *o)
{
	struct plan_ahead a = {0};

	normal_plan(o, &a);
	exact_plan(o, &a);
	other_clocks(o, &a);
	a.ticks = a.calls * (double)o->mean_ns / (double)o->tick_ns;
	plan_longest(o, &a);
	return a;
}

static const char *few_ticks(const struct plan_ahead *a, char *text, size_t room)
{
	char normal[32];

	plan_words_count(normal, sizeof(normal), a->normal_calls);
	if (a->rare < PLAN_NORMAL_FAILS)
		snprintf(text, room,
			 "the normal approximation says %s, but then the rarer tick count would "
			 "show about %.2g times: too few for it",
			 normal, a->rare);
	else
		snprintf(text, room,
			 "the normal approximation says %s; below %d ticks scprof's intervals are "
			 "exact ones, which are wider",
			 normal, PLAN_EXACT_BELOW);
	return "few-ticks";
}

const char *plan_ahead_remark(const struct plan_options *o, const struct plan_ahead *a, unsigned i,
			      char *text, size_t room)
{
	if (i == 0)
		return a->calls > a->normal_calls ? few_ticks(a, text, room) : NULL;
	if (o->mean_ns < o->tick_ns)
		return NULL;
	snprintf(text, room,
		 "durations are taken to vary by less than a tick (Beilner's (8)); where they vary "
		 "more, measure some and use scprof plan PROFILE");
	return "little-variance";
}

/* ---- how precise are so many calls? ---- */

/* Beilner's equation (13) for a given n. The normal approximation has the same limits as above.
 * Contiguous calls of one length are known far better by (10d), but calls are seldom of one length
 * (his section 3): that width is reported beside the answer. */

/* Half width after n calls: normal, or exact where ticks are few and that is wider. */
static double half_width(const struct plan_options *o, double mean, double *normal)
{
	double d = (double)o->tick_ns, n = (double)o->calls;

	*normal = plan_two_sided_z(o->confidence) * plan_beilner_deviation(mean, d, n);
	if (rarer(mean, d, n) >= PLAN_EXACT_BELOW)
		return *normal;
	return fmax(*normal, plan_exact_width(mean / d, n, o->confidence) * d / 2);
}

struct plan_reach plan_ahead_reach(const struct plan_options *o)
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
