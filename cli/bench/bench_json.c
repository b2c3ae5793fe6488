// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof bench --json`: docs/bench.md names the keys, whose values may be null. */
#include <stddef.h>
#include <stdio.h>

#include "cli/bench/bench_options.h"
#include "report/render/json/json_write.h"

#define FIELD(kind, of, name, member)                                                              \
	{                                                                                          \
		name, ROW_##kind, offsetof(struct of, member)                                      \
	}

static const struct row_field mean_fields[] = {FIELD(NUMBER, replications_mean, "mean_ns", mean),
					       FIELD(NUMBER, replications_mean, "ci_low_ns", low),
					       FIELD(NUMBER, replications_mean, "ci_high_ns", high),
					       FIELD(NUMBER, replications_mean, "error_ns", error),
					       FIELD(COUNT, replications_mean, "replications", n),
					       {0}};

static const struct row_field kbest_fields[] = {
	FIELD(NUMBER, bench_summary, "value_ns", best_ns),
	FIELD(COUNT, bench_summary, "converged_after", best.measurements),
	FIELD(NUMBER, bench_summary, "spread", best.spread),
	{0}};

static const struct row_field outlier_fields[] = {
	FIELD(NUMBER, bench_outlier, "at_s", at_s),
	FIELD(NUMBER, bench_outlier, "ns", ns),
	FIELD(NUMBER, bench_outlier, "factor", factor),
	FIELD(COUNT32, bench_outlier, "switches", switches),
	{0}};

static const struct row_field warmup_fields[] = {
	FIELD(COUNT, bench_summary, "calls", warmup_calls),
	FIELD(NUMBER, bench_summary, "first_ns", first_ns),
	FIELD(NUMBER, bench_summary, "first_factor", first_factor),
	{0}};

static const struct row_field drift_fields[] = {FIELD(NUMBER, replications_drift, "change", change),
						FIELD(NUMBER, replications_drift, "p", p),
						{0}};

static const struct row_field summary_fields[] = {
	FIELD(COUNT32, bench_summary, "replications", replications),
	FIELD(COUNT, bench_summary, "calls", calls),
	FIELD(FLAG, bench_summary, "subtracted", subtracted),
	FIELD(NUMBER, bench_summary, "fence_ns", fence_ns),
	FIELD(NUMBER, bench_summary, "median_ns", median_ns),
	FIELD(NUMBER, bench_summary, "dependence_p", dependence),
	FIELD(COUNT32, bench_summary, "preempted", preempted),
	FIELD(NUMBER, bench_summary, "stolen_share", stolen),
	FIELD(NUMBER, bench_summary, "took_s", took_s),
	{0}};

static void put(struct json_writer *w, const char *key, const struct row_field *fields,
		const void *row, bool known)
{
	if (!json_write_open_known(w, key, known))
		return;
	json_write_fields(w, fields, row, true);
	json_write_close(w, '}');
}

static void put_subject(struct json_writer *w, const struct bench_options *o)
{
	json_write_open(w, "subject", '{');
	json_write_text(w, "kind", o->plan.library ? "function" : "command");
	if (o->plan.library) {
		json_write_text(w, "library", o->plan.library);
		json_write_text(w, "function", o->plan.function);
	} else {
		json_write_text(w, "path", o->plan.path);
	}
	json_write_texts(w, o->plan.library ? "arguments" : "argv", (const char *const *)o->words,
			 JSON_TO_NULL);
	json_write_close(w, '}');
	json_write_open(w, "clock", '{');
	json_write_text(w, "name", clocks_read_name(o->plan.clock));
	json_write_number(w, "step_ns", o->plan.ns_per_unit);
	json_write_close(w, '}');
}

static void put_kbest(struct json_writer *w, const struct bench_options *o,
		      const struct bench_summary *s)
{
	json_write_open(w, "kbest", '{');
	json_write_count(w, "k", o->wishes.k);
	json_write_number(w, "epsilon", o->wishes.epsilon);
	json_write_flag(w, "converged", s->best.measurements > 0);
	json_write_fields(w, kbest_fields, s, true);
	json_write_close(w, '}');
}

static void put_lists(struct json_writer *w, const struct bench_summary *s)
{
	json_write_open(w, "outliers", '[');
	for (uint32_t i = 0; i < s->outliers; i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "loop", s->outlier[i].empty ? "empty" : "subject");
		json_write_count(w, "replication", s->outlier[i].replication + 1);
		json_write_fields(w, outlier_fields, &s->outlier[i], true);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	json_write_open(w, "warnings", '[');
	for (uint32_t i = 0; i < s->warnings; i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "code", s->warning[i].code);
		json_write_text(w, "text", s->warning[i].text);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void put_series(struct json_writer *w, const char *key, const double *ns, uint32_t count)
{
	json_write_open(w, key, '[');
	for (uint32_t i = 0; i < count; i++)
		json_write_number(w, NULL, ns[i]);
	json_write_close(w, ']');
}

int bench_print_json(const struct bench_options *o, const struct bench_summary *s)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;

	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-bench/1");
	put_subject(w, o);
	json_write_number(w, "confidence", o->wishes.confidence);
	json_write_fields(w, summary_fields, s, true);
	put(w, "result", mean_fields, &s->mean, true);
	put(w, "uncompensated", mean_fields, &s->raw, true);
	put(w, "empty", mean_fields, &s->empty, s->empty_known);
	put(w, "undisturbed", mean_fields, &s->undisturbed, true);
	put_kbest(w, o, s);
	put(w, "warmup", warmup_fields, s, true);
	put(w, "drift", drift_fields, &s->drift, true);
	put_lists(w, s);
	put_series(w, "subject_ns", s->subject_ns, s->replications);
	if (s->empty_known)
		put_series(w, "empty_ns", s->empty_ns, s->replications);
	else
		json_write_null(w, "empty_ns");
	json_write_close(w, '}');
	return json_write_finish(w);
}
