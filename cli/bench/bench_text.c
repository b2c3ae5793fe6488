// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof bench` as text: first the result, then the figures behind it, then the warnings. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench_options.h"
#include "report/wording/numbers.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"
#include "report/render/json/json_write.h"
#include "profile/base/array.h"

#define OUTLIERS_SHOWN 5
#define LABEL	       "  %-14s"

struct printer {
	const struct bench_options *o;
	const struct bench_summary *s;
	bool utf8;
};

static void print_subject(const struct printer *p)
{
	const struct bench_options *o = p->o;
	bool function = o->plan.library;

	if (function) {
		utf8_put_clean(stdout, o->plan.function, p->utf8);
		putchar('(');
	}
	for (char **word = o->words; *word; word++) {
		fputs(word == o->words ? "" : function ? ", " : " ", stdout);
		utf8_put_clean(stdout, *word, p->utf8);
	}
	if (function) {
		fputs(") of ", stdout);
		utf8_put_clean(stdout, o->plan.library, p->utf8);
	}
	putchar('\n');
}

static struct numbered duration(const struct printer *p, double ns)
{
	return numbered_duration(ns, p->utf8);
}

static void print_mean(const struct printer *p, const struct replications_mean *m)
{
	struct number_mean text = numbers_mean(m->mean, m->low, m->high, p->utf8);

	printf("%s %s %s", text.mean, text.interval, text.unit);
}

static void print_answer(const struct printer *p)
{
	const struct bench_summary *s = p->s;
	printf(LABEL, "mean");
	print_mean(p, &s->mean);
	printf("  (%.10g %%, Student's t over %zu replications)\n", 100 * p->o->wishes.confidence,
	       s->mean.n);
	printf(LABEL "%s  ", "K-best", duration(p, s->best_ns).text);
	if (s->best.measurements)
		printf("converged after %zu replications", s->best.measurements);
	else
		printf("not converged");
	printf(": the %u fastest lie within %s %%\n", p->o->wishes.k,
	       numbered_digits(100 * s->best.spread, 2).text);
}

static void print_empty(const struct printer *p)
{
	if (!p->s->subtracted)
		return;
	printf(LABEL, "empty loop");
	print_mean(p, &p->s->empty);
	fputs(", subtracted from ", stdout);
	print_mean(p, &p->s->raw);
	putchar('\n');
}

static void print_making(const struct printer *p)
{
	const struct bench_summary *s = p->s;

	printf(LABEL "%s call%s each, %u loops in %s (clock %s)\n", "loops",
	       numbered_count(s->calls).text, s->calls == 1 ? "" : "s", s->replications,
	       duration(p, 1e9 * s->took_s).text, clocks_read_name(p->o->plan.clock));
	printf(LABEL "%s call%s to warm up; the first took %s, %s times the mean\n", "set aside",
	       numbered_count(s->warmup_calls).text, s->warmup_calls == 1 ? "" : "s",
	       duration(p, s->first_ns).text, numbered_digits(s->first_factor, 3).text);
}

ARRAY_COMPARE(by_factor, struct bench_outlier, ARRAY_ORDER(b->factor, a->factor))

static void print_outlier(const struct printer *p, const struct bench_outlier *o)
{
	printf("    replication %u%s at %s: %s, %s times the median", o->replication + 1,
	       o->empty ? ", empty loop," : "", duration(p, 1e9 * o->at_s).text,
	       duration(p, o->ns).text, numbered_digits(o->factor, 3).text);
	if (o->switches)
		printf(", lost the processor %u time%s", o->switches, o->switches == 1 ? "" : "s");
	putchar('\n');
}

static void print_outliers_sum(const struct printer *p)
{
	const struct bench_summary *s = p->s;

	printf(LABEL "%u loop%s above the fence, counted", "outliers", s->outliers,
	       s->outliers == 1 ? "" : "s");
	if (s->disturbed) {
		fputs("; mean without them ", stdout);
		print_mean(p, &s->undisturbed);
		printf(" (%zu replications)", s->undisturbed.n);
	}
	putchar('\n');
}

/* Only the worst; JSON has all. */
static int print_outliers(const struct printer *p)
{
	const struct bench_summary *s = p->s;
	struct bench_outlier *sorted;

	if (!s->outliers)
		return 0;
	sorted = malloc(s->outliers * sizeof(*sorted));
	if (!sorted)
		return -1;
	memcpy(sorted, s->outlier, s->outliers * sizeof(*sorted));
	ARRAY_SORT(sorted, s->outliers, by_factor);
	print_outliers_sum(p);
	for (uint32_t i = 0; i < s->outliers && i < OUTLIERS_SHOWN; i++)
		print_outlier(p, &sorted[i]);
	if (s->outliers > OUTLIERS_SHOWN)
		printf("    and %u more, at most %.3g times the median (--json lists all)\n",
		       s->outliers - OUTLIERS_SHOWN, sorted[OUTLIERS_SHOWN].factor);
	free(sorted);
	return 0;
}

int bench_print_text(const struct bench_options *o, const struct bench_summary *s)
{
	struct terminal terminal = terminal_of(stdout, 0);
	struct printer p = {o, s, terminal.utf8};

	print_subject(&p);
	print_answer(&p);
	print_empty(&p);
	print_making(&p);
	if (print_outliers(&p))
		return -1;
	for (uint32_t i = 0; i < s->warnings; i++)
		if (strcmp(s->warning[i].code, "outliers") != 0 &&
		    strcmp(s->warning[i].code, "not-converged") != 0)
			printf("warning: %s: %s\n", s->warning[i].code, s->warning[i].text);
	return 0;
}

/* `scprof bench --json`: docs/bench.md names the keys, whose values may be null. */

static void put_mean(struct json_writer *w, const char *key, const struct replications_mean *m,
		     bool known)
{
	if (!json_write_open_known(w, key, known))
		return;
	JSON_PUT(w, "mean_ns", m->mean, "ci_low_ns", m->low, "ci_high_ns", m->high, "error_ns",
		 m->error, "replications", m->n);
	json_write_close(w, '}');
}

static void put_subject(struct json_writer *w, const struct bench_options *o)
{
	json_write_open(w, "subject", '{');
	if (o->plan.library)
		JSON_PUT(w, "kind", "function", "library", o->plan.library, "function",
			 o->plan.function);
	else
		JSON_PUT(w, "kind", "command", "path", o->plan.path);
	json_write_texts(w, o->plan.library ? "arguments" : "argv", (const char *const *)o->words,
			 JSON_TO_NULL);
	json_write_close(w, '}');
	JSON_OBJECT(w, "clock", "name", clocks_read_name(o->plan.clock), "step_ns",
		    o->plan.ns_per_unit);
}

static void put_parts(struct json_writer *w, const struct bench_options *o,
		      const struct bench_summary *s)
{
	json_write_open(w, "kbest", '{');
	JSON_MEMBERS(w, &o->wishes, k, epsilon);
	json_write_flag(w, "converged", s->best.measurements > 0);
	JSON_PUT(w, "value_ns", s->best_ns, "converged_after", s->best.measurements, "spread",
		 s->best.spread);
	json_write_close(w, '}');
	JSON_OBJECT(w, "warmup", "calls", s->warmup_calls, "first_ns", s->first_ns, "first_factor",
		    s->first_factor);
	JSON_OBJECT_OF(w, "drift", &s->drift, change, p);
}

static void put_outlier(struct json_writer *w, const struct bench_outlier *o)
{
	JSON_OBJECT(w, NULL, "loop", o->empty ? "empty" : "subject", "replication",
		    o->replication + 1, "at_s", o->at_s, "ns", o->ns, "factor", o->factor,
		    "switches", o->switches);
}

int bench_print_json(const struct bench_options *o, const struct bench_summary *s)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;

	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-bench/1");
	put_subject(w, o);
	json_write_number(w, "confidence", o->wishes.confidence);
	JSON_MEMBERS(w, s, replications, calls, subtracted, fence_ns, median_ns);
	JSON_PUT(w, "dependence_p", s->dependence, "preempted", s->preempted, "stolen_share",
		 s->stolen, "took_s", s->took_s);
	put_mean(w, "result", &s->mean, true);
	put_mean(w, "uncompensated", &s->raw, true);
	put_mean(w, "empty", &s->empty, s->subtracted);
	put_mean(w, "undisturbed", &s->undisturbed, true);
	put_parts(w, o, s);
	JSON_LIST(w, "outliers", e, s->outlier, s->outliers, put_outlier(w, e));
	JSON_LIST(w, "warnings", e, s->warning, s->warnings,
		  JSON_OBJECT_OF(w, NULL, e, code, text));
	json_write_numbers(w, "subject_ns", s->subject_ns, s->replications);
	if (s->subtracted)
		json_write_numbers(w, "empty_ns", s->empty_ns, s->replications);
	else
		json_write_null(w, "empty_ns");
	return json_write_finish(w);
}
