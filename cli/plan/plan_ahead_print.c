// SPDX-License-Identifier: GPL-3.0-or-later
/* The plan of a measurement, as text and as JSON. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/plan/plan.h"
#include "report/wording/numbers.h"
#include "report/wording/terminal.h"

static void row(const char *name, const char *value, const char *what)
{
	printf("  %-10s %14s   %s\n", name, value, what);
}

static void print_question(const struct plan_options *o, const struct plan_ahead *a, bool utf8)
{
	char tick[32], mean[32], error[32], width[32], confidence[32];

	plan_words_duration(tick, sizeof(tick), (double)o->tick_ns, utf8);
	plan_words_duration(mean, sizeof(mean), (double)o->mean_ns, utf8);
	plan_words_duration(error, sizeof(error), a->error_ns, utf8);
	plan_words_percent(width, sizeof(width), a->error_ns / (double)o->mean_ns);
	snprintf(confidence, sizeof(confidence), "%.6g %%", 100 * o->confidence);
	printf("clock of %s, operation of %s: mean known to %s%s (%s%s", tick, mean,
	       utf8 ? "±" : "+-", width, utf8 ? "±" : "+-", error);
	if (o->digits)
		printf(", one unit of digit %u", o->digits);
	printf(") with %s confidence\n\n", confidence);
}

static void print_longest(const struct plan_options *o, const struct plan_ahead *a, bool utf8)
{
	char value[40], what[160], longest[32];

	plan_words_duration(longest, sizeof(longest), (double)o->longest_ns, utf8);
	plan_words_time(value, sizeof(value), a->duration_ns);
	snprintf(what, sizeof(what), "at %s a call, the longest", longest);
	row("duration", value, what);
	plan_words_percent(longest, sizeof(longest), a->longest_width / 2);
	snprintf(value, sizeof(value), "%s%s", utf8 ? "±" : "+-", longest);
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
	char value[32], text[256];
	const char *gap = "\n";

	print_question(o, a, utf8);
	plan_words_count(value, sizeof(value), a->calls);
	row("calls", value, a->equation);
	if (!isnan(a->bound_calls)) {
		plan_words_count(value, sizeof(value), a->bound_calls);
		row("at most", value, "whatever fraction of a tick the mean is (10b)");
	}
	if (!isnan(a->page_calls)) {
		plan_words_count(value, sizeof(value), a->page_calls);
		row("page clock", value, "whose ticks vary by half (scprof run -c page)");
	}
	plan_words_count(value, sizeof(value), round(a->ticks));
	row("ticks", value, "expected in them");
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
	char percent[32], time[32], value[40];

	plan_words_percent(percent, sizeof(percent), half_ns / mean_ns);
	numbers_duration(time, sizeof(time), half_ns, utf8);
	snprintf(value, sizeof(value), "%s%s", sign, percent);
	printf("  %-10s %*s   %s%s: %s\n", name, utf8 ? 11 : 10, value, sign, time, what);
}

static void print_reach(const struct plan_options *o, const struct plan_reach *r)
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

static const struct row_field question_fields[] = {
	{"tick_ns", ROW_COUNT, offsetof(struct plan_options, tick_ns)},
	{"mean_ns", ROW_COUNT, offsetof(struct plan_options, mean_ns)},
	{"confidence", ROW_NUMBER, offsetof(struct plan_options, confidence)},
	{0}};

static const struct row_field reach_fields[] = {
	{"method", ROW_TEXT, offsetof(struct plan_reach, method)},
	{"error_ns", ROW_NUMBER, offsetof(struct plan_reach, half_ns)},
	{"normal_error_ns", ROW_NUMBER, offsetof(struct plan_reach, normal_ns)},
	{"bound_error_ns", ROW_NUMBER, offsetof(struct plan_reach, bound_ns)},
	{"page_clock_error_ns", ROW_NUMBER, offsetof(struct plan_reach, page_ns)},
	{"contiguous_error_ns", ROW_NUMBER, offsetof(struct plan_reach, row_ns)},
	{"longest_error_ns", ROW_NUMBER, offsetof(struct plan_reach, longest_ns)},
	{"ticks_expected", ROW_NUMBER, offsetof(struct plan_reach, ticks)},
	{0}};

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
		json_write_text(w, "code", code);
		json_write_text(w, "text", text);
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
	json_write_number(w, "ticks_expected", a->ticks);
	json_write_number(w, "duration_s", a->duration_ns / 1e9);
	if (json_write_open_known(w, "longest", o->longest_ns)) {
		json_write_count(w, "mean_ns", o->longest_ns);
		json_write_number(w, "width", a->longest_width);
		json_write_number(w, "confidence", a->longest_confidence);
		json_write_close(w, '}');
	}
	put_remarks(w, o, a);
}

static void put_reach(struct json_writer *w, const struct plan_options *o,
		      const struct plan_reach *r)
{
	json_write_count(w, "calls", o->calls);
	json_write_number(w, "width", 2 * r->half_ns / (double)o->mean_ns);
	json_write_fields(w, reach_fields, r, true);
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
	json_write_fields(w, question_fields, o, true);
	if (o->calls)
		put_reach(w, o, &r);
	else
		put_ahead(w, o, &a);
	json_write_close(w, '}');
	return json_write_finish(w);
}
