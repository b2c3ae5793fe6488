// SPDX-License-Identifier: GPL-3.0-or-later
/* The plan of a measurement, as text and as JSON. */
#include <math.h>
#include <stdio.h>

#include "report/render/json/json_parts.h"
#include "cli/plan/plan_ahead.h"
#include "cli/plan/plan_words.h"
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

int plan_ahead_print(const struct plan_options *o, const struct plan_ahead *a)
{
	bool utf8 = terminal_of(stdout, 0).utf8;
	char value[32], text[256];
	unsigned at = 0;

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
	for (const char *gap = "\n"; plan_ahead_remark(o, a, &at, text, sizeof(text)); gap = "")
		printf("%s  note: %s\n", gap, text);
	return 0;
}

static json_t *remarks(const struct plan_options *o, const struct plan_ahead *a, int *failed)
{
	json_t *array = json_array();
	const char *code;
	unsigned at = 0;
	char text[256];

	while ((code = plan_ahead_remark(o, a, &at, text, sizeof(text)))) {
		json_t *remark = json_object();

		json_parts_put(remark, "code", json_parts_text(code), failed);
		json_parts_put(remark, "text", json_parts_text(text), failed);
		*failed += json_array_append_new(array, remark) < 0;
	}
	return array;
}

static json_t *longest(const struct plan_options *o, const struct plan_ahead *a, int *failed)
{
	json_t *object;

	if (!o->longest_ns)
		return json_null();
	object = json_object();
	json_parts_put(object, "mean_ns", json_parts_count(o->longest_ns), failed);
	json_parts_put(object, "width", json_parts_number(a->longest_width), failed);
	json_parts_put(object, "confidence", json_parts_number(a->longest_confidence), failed);
	return object;
}

int plan_ahead_json(const struct plan_options *o, const struct plan_ahead *a)
{
	json_t *doc = json_object();
	int failed = 0;

	json_parts_put(doc, "schema", json_parts_text("scprof-plan/1"), &failed);
	json_parts_put(doc, "tick_ns", json_parts_count(o->tick_ns), &failed);
	json_parts_put(doc, "mean_ns", json_parts_count(o->mean_ns), &failed);
	json_parts_put(doc, "confidence", json_parts_number(o->confidence), &failed);
	json_parts_put(doc, "width", json_parts_number(2 * a->error_ns / (double)o->mean_ns),
		       &failed);
	json_parts_put(doc, "digits", o->digits ? json_parts_count(o->digits) : json_null(),
		       &failed);
	json_parts_put(doc, "error_ns", json_parts_number(a->error_ns), &failed);
	json_parts_put(doc, "calls", plan_words_json(a->calls), &failed);
	json_parts_put(doc, "method", json_parts_text(a->method), &failed);
	json_parts_put(doc, "normal_calls", plan_words_json(a->normal_calls), &failed);
	json_parts_put(doc, "bound_calls", plan_words_json(a->bound_calls), &failed);
	json_parts_put(doc, "page_clock_calls", plan_words_json(a->page_calls), &failed);
	json_parts_put(doc, "ticks_expected", json_parts_number(a->ticks), &failed);
	json_parts_put(doc, "duration_s", json_parts_number(a->duration_ns / 1e9), &failed);
	json_parts_put(doc, "longest", longest(o, a, &failed), &failed);
	json_parts_put(doc, "remarks", remarks(o, a, &failed), &failed);
	return plan_words_dump(doc, failed);
}
