// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof bench --json`: docs/bench.md names the keys. */
#include <jansson.h>
#include <stdlib.h>
#include <stdio.h>

#include "cli/bench/bench_print.h"
#include "report/render/json/json_parts.h"
#include "report/wording/utf8.h"

/* Arguments may be any bytes; JSON must be UTF-8. */
static json_t *text(const char *raw)
{
	char *clean = utf8_clean(raw, true);
	json_t *string = clean ? json_string(clean) : NULL;

	free(clean);
	return string ? string : json_null();
}

static json_t *mean(const struct replications_mean *m)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:I}", "mean_ns", json_parts_number(m->mean),
			 "ci_low_ns", json_parts_number(m->low), "ci_high_ns",
			 json_parts_number(m->high), "error_ns", json_parts_number(m->error),
			 "replications", (json_int_t)m->n);
}

static json_t *subject(const struct bench_options *o)
{
	json_t *words = json_array();

	for (char **word = o->words; *word; word++)
		json_array_append_new(words, text(*word));
	if (o->plan.library)
		return json_pack("{s:s, s:o, s:o, s:o}", "kind", "function", "library",
				 text(o->plan.library), "function", text(o->plan.function),
				 "arguments", words);
	return json_pack("{s:s, s:o, s:o}", "kind", "command", "path", text(o->plan.path), "argv",
			 words);
}

static json_t *kbest(const struct bench_options *o, const struct bench_summary *s)
{
	return json_pack("{s:o, s:I, s:f, s:b, s:I, s:o}", "value_ns",
			 json_parts_number(s->best_ns), "k", (json_int_t)o->wishes.k, "epsilon",
			 o->wishes.epsilon, "converged", s->best.measurements > 0,
			 "converged_after", (json_int_t)s->best.measurements, "spread",
			 json_parts_number(s->best.spread));
}

static json_t *outliers(const struct bench_summary *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->outliers; i++) {
		const struct bench_outlier *o = &s->outlier[i];

		json_array_append_new(rows, json_pack("{s:s, s:I, s:f, s:f, s:f, s:I}", "loop",
						      o->empty ? "empty" : "subject", "replication",
						      (json_int_t)o->replication + 1, "at_s",
						      o->at_s, "ns", o->ns, "factor", o->factor,
						      "switches", (json_int_t)o->switches));
	}
	return rows;
}

static json_t *series(const double *ns, uint32_t count)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_parts_number(ns[i]));
	return array;
}

static json_t *warnings(const struct bench_summary *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->warnings; i++)
		json_array_append_new(rows, json_pack("{s:s, s:s}", "code", s->warning[i].code,
						      "text", s->warning[i].text));
	return rows;
}

/* Objects whose values may be null. */
static json_t *whole(const struct bench_options *o, const struct bench_summary *s)
{
	json_t *root =
		json_pack("{s:s, s:o, s:{s:s, s:f}, s:f, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o}",
			  "schema", "scprof-bench/1", "subject", subject(o), "clock", "name",
			  clocks_read_name(o->plan.clock), "step_ns", o->plan.ns_per_unit,
			  "confidence", o->wishes.confidence, "replications",
			  (json_int_t)s->replications, "calls", (json_int_t)s->calls, "subtracted",
			  (int)s->subtracted, "result", mean(&s->mean), "uncompensated",
			  mean(&s->raw), "empty", s->empty_known ? mean(&s->empty) : json_null(),
			  "undisturbed", mean(&s->undisturbed), "kbest", kbest(o, s));

	if (!root)
		return NULL;
	json_object_set_new(root, "warmup",
			    json_pack("{s:I, s:o, s:o}", "calls", (json_int_t)s->warmup_calls,
				      "first_ns", json_parts_number(s->first_ns), "first_factor",
				      json_parts_number(s->first_factor)));
	json_object_set_new(root, "outliers", outliers(s));
	json_object_set_new(root, "fence_ns", json_parts_number(s->fence_ns));
	json_object_set_new(root, "median_ns", json_parts_number(s->median_ns));
	json_object_set_new(root, "drift",
			    json_pack("{s:o, s:o}", "change", json_parts_number(s->drift.change),
				      "p", json_parts_number(s->drift.p)));
	json_object_set_new(root, "dependence_p", json_parts_number(s->dependence));
	json_object_set_new(root, "preempted", json_integer((json_int_t)s->preempted));
	json_object_set_new(root, "stolen_share", json_parts_number(s->stolen));
	json_object_set_new(root, "took_s", json_parts_number(s->took_s));
	json_object_set_new(root, "subject_ns", series(s->subject_ns, s->replications));
	json_object_set_new(root, "empty_ns",
			    s->empty_known ? series(s->empty_ns, s->replications) : json_null());
	json_object_set_new(root, "warnings", warnings(s));
	return root;
}

int bench_print_json(const struct bench_options *o, const struct bench_summary *s)
{
	return json_parts_print(whole(o, s), stdout);
}
