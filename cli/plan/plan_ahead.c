// SPDX-License-Identifier: GPL-3.0-or-later
/* The equations of the papers with the numbers of the command line. Their normal approximation
 * needs both tick counts often enough; where one is rare, the plan uses exact limits. */

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/plan/plan.h"
#include "stats/planning/plan.h"
#include "report/wording/terminal.h"

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

static struct plan_ahead plan_ahead_compute(const struct plan_options *o)
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
	const struct numbered normal = plan_words_count(a->normal_calls);

	if (a->rare < PLAN_NORMAL_FAILS)
		snprintf(text, room,
			 "the normal approximation says %s, but then the rarer tick count would "
			 "show about %.2g times: too few for it",
			 normal.text, a->rare);
	else
		snprintf(text, room,
			 "the normal approximation says %s; below %d ticks scprof's intervals are "
			 "exact ones, which are wider",
			 normal.text, PLAN_EXACT_BELOW);
	return "few-ticks";
}

/* Why the numbers may be wrong: the code of reason i, with its text. NULL: it does not apply. */
#define PLAN_AHEAD_REMARKS 2
static const char *plan_ahead_remark(const struct plan_options *o, const struct plan_ahead *a,
				     unsigned i, char *text, size_t room)
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

static struct plan_reach plan_ahead_reach(const struct plan_options *o)
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

/* The plan of a measurement, as text and as JSON. */

static void row(const char *name, const char *value, const char *what)
{
	printf("  %-10s %14s   %s\n", name, value, what);
}

static void print_question(const struct plan_options *o, const struct plan_ahead *a, bool utf8)
{
	char confidence[32];

	snprintf(confidence, sizeof(confidence), "%.6g %%", 100 * o->confidence);
	printf("clock of %s, operation of %s: mean known to %s%s (%s%s",
	       plan_words_duration((double)o->tick_ns, utf8).text,
	       plan_words_duration((double)o->mean_ns, utf8).text, utf8 ? "±" : "+-",
	       plan_words_percent(a->error_ns / (double)o->mean_ns).text, utf8 ? "±" : "+-",
	       plan_words_duration(a->error_ns, utf8).text);
	if (o->digits)
		printf(", one unit of digit %u", o->digits);
	printf(") with %s confidence\n\n", confidence);
}

static void print_longest(const struct plan_options *o, const struct plan_ahead *a, bool utf8)
{
	char value[40], what[160];

	snprintf(what, sizeof(what), "at %s a call, the longest",
		 plan_words_duration((double)o->longest_ns, utf8).text);
	row("duration", plan_words_time(a->duration_ns).text, what);
	snprintf(value, sizeof(value), "%s%s", utf8 ? "±" : "+-",
		 plan_words_percent(a->longest_width / 2).text);
	if (1 - a->longest_confidence < 1e-4)
		snprintf(what, sizeof(what),
			 "the longest then; at the precision asked: over 99.99 %% sure");
	else
		snprintf(what, sizeof(what),
			 "the longest then; at the precision asked: %.4g %% sure",
			 100 * a->longest_confidence);
	printf("  %-10s %*s   %s\n", "longest", utf8 ? 15 : 14, value, what);
}

static void print_ahead(const struct plan_options *o, const struct plan_ahead *a)
{
	bool utf8 = terminal_of(stdout, 0).utf8;
	char text[256];
	const char *gap = "\n";

	print_question(o, a, utf8);
	row("calls", plan_words_count(a->calls).text, a->equation);
	if (!isnan(a->bound_calls))
		row("at most", plan_words_count(a->bound_calls).text,
		    "whatever fraction of a tick the mean is (10b)");
	if (!isnan(a->page_calls))
		row("page clock", plan_words_count(a->page_calls).text,
		    "whose ticks vary by half (scprof run -c page)");
	row("ticks", plan_words_count(round(a->ticks)).text, "expected in them");
	if (o->longest_ns)
		print_longest(o, a, utf8);
	for (unsigned i = 0; i < PLAN_AHEAD_REMARKS; i++)
		if (plan_ahead_remark(o, a, i, text, sizeof(text))) {
			printf("%s  note: %s\n", gap, text);
			gap = "";
		}
}

static void reach_row(const char *name, double half_ns, double mean_ns, const char *what, bool utf8)
{
	const char *sign = utf8 ? "±" : "+-";
	char value[40];

	snprintf(value, sizeof(value), "%s%s", sign, plan_words_percent(half_ns / mean_ns).text);
	printf("  %-10s %*s   %s%s: %s\n", name, utf8 ? 11 : 10, value, sign,
	       numbered_duration(half_ns, utf8).text, what);
}

static void print_reach(const struct plan_options *o, const struct plan_reach *r)
{
	bool utf8 = terminal_of(stdout, 0).utf8;
	double mean = (double)o->mean_ns;

	printf("clock of %s, operation of %s, %s call%s: about %s ticks; at %.6g %% confidence\n\n",
	       plan_words_duration((double)o->tick_ns, utf8).text,
	       plan_words_duration(mean, utf8).text, plan_words_count((double)o->calls).text,
	       o->calls == 1 ? "" : "s", plan_words_count(round(r->ticks)).text,
	       100 * o->confidence);
	reach_row("mean", r->half_ns, mean, r->equation, utf8);
	if (!isnan(r->bound_ns))
		reach_row("at most", r->bound_ns, mean, "whatever fraction of a tick it is (10b)",
			  utf8);
	if (!isnan(r->page_ns))
		reach_row("page clock", r->page_ns, mean,
			  "whose ticks vary by half (scprof run -c page)", utf8);
	reach_row("in a row", r->row_ns, mean,
		  "where each begins as the last one ends, all alike (10d)", utf8);
	if (o->longest_ns)
		reach_row("longest", r->longest_ns, (double)o->longest_ns, "the longest operation",
			  utf8);
	if (r->half_ns > mean)
		printf("\n  note: wider than the mean itself: so many calls say next to nothing\n");
}

/* ---- JSON ---- */

static void put_remarks(struct json_writer *w, const struct plan_options *o,
			const struct plan_ahead *a)
{
	char text[256];

	json_write_open(w, "remarks", '[');
	for (unsigned i = 0; i < PLAN_AHEAD_REMARKS; i++) {
		const char *code = plan_ahead_remark(o, a, i, text, sizeof(text));

		if (!code)
			continue;
		json_write_open(w, NULL, '{');
		JSON_PUT(w, "code", code, "text", text);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void put_ahead(struct json_writer *w, const struct plan_options *o,
		      const struct plan_ahead *a)
{
	json_write_number(w, "width", 2 * a->error_ns / (double)o->mean_ns);
	json_write_count_if(w, "digits", o->digits, o->digits);
	json_write_number(w, "error_ns", a->error_ns);
	plan_words_put(w, "calls", a->calls);
	json_write_text(w, "method", a->method);
	plan_words_put(w, "normal_calls", a->normal_calls);
	plan_words_put(w, "bound_calls", a->bound_calls);
	plan_words_put(w, "page_clock_calls", a->page_calls);
	JSON_PUT(w, "ticks_expected", a->ticks, "duration_s", a->duration_ns / 1e9);
	if (json_write_open_known(w, "longest", o->longest_ns)) {
		JSON_PUT(w, "mean_ns", o->longest_ns, "width", a->longest_width, "confidence",
			 a->longest_confidence);
		json_write_close(w, '}');
	}
	put_remarks(w, o, a);
}

static void put_reach(struct json_writer *w, const struct plan_options *o,
		      const struct plan_reach *r)
{
	JSON_PUT(w, "calls", o->calls, "width", 2 * r->half_ns / (double)o->mean_ns, "method",
		 r->method, "error_ns", r->half_ns, "normal_error_ns", r->normal_ns,
		 "bound_error_ns", r->bound_ns, "page_clock_error_ns", r->page_ns,
		 "contiguous_error_ns", r->row_ns, "longest_error_ns", r->longest_ns,
		 "ticks_expected", r->ticks);
}

int plan_ahead_print(const struct plan_options *o)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;
	struct plan_reach r = {0};
	struct plan_ahead a = {0};

	if (o->calls)
		r = plan_ahead_reach(o);
	else
		a = plan_ahead_compute(o);
	if (!o->json) {
		if (o->calls)
			print_reach(o, &r);
		else
			print_ahead(o, &a);
		return 0;
	}
	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-plan/1");
	JSON_MEMBERS(w, o, tick_ns, mean_ns, confidence);
	if (o->calls)
		put_reach(w, o, &r);
	else
		put_ahead(w, o, &a);
	json_write_close(w, '}');
	return json_write_finish(w);
}
