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
		JSON_OBJECT(w, NULL, "code", code, "text", text);
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

int plan_ahead_print(const struct plan_options *o)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;
	struct plan_ahead a = plan_ahead_compute(o);

	if (!o->json) {
		print_ahead(o, &a);
		return 0;
	}
	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-plan/1");
	JSON_MEMBERS(w, o, tick_ns, mean_ns, confidence);
	put_ahead(w, o, &a);
	return json_write_finish(w);
}
