// SPDX-License-Identifier: GPL-3.0-or-later
/* Values of JSON, and a site with its call path. */
#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "utf8.h"

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* JSON integers are 64-bit signed here; a larger count is still a number. */
json_t *json_count(uint64_t n)
{
	return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

int json_print(json_t *document, FILE *out)
{
	int failed;

	if (!document) {
		errno = ENOMEM;
		return -1;
	}
	failed = json_dumpf(document, out, JSON_INDENT(2)) || fputc('\n', out) == EOF ||
		 fflush(out) || ferror(out);
	json_decref(document);
	return failed ? -1 : 0;
}

json_t *json_text(const char *s)
{
	char *valid;
	json_t *value;

	if (!s)
		return json_null();
	valid = utf8_repair(s);
	value = valid ? json_string(valid) : NULL;
	free(valid);
	return value;
}

void json_put(json_t *object, const char *key, json_t *value, int *failed)
{
	*failed += json_object_set_new(object, key, value) < 0;
}

static const char *source_name(enum symbol_source source)
{
	static const char *const names[] = {
		[SYMBOL_UNKNOWN] = NULL,
		[SYMBOL_FROM_DEBUG_INFO] = "debug-info",
		[SYMBOL_FROM_TABLE] = "symbol-table",
		[SYMBOL_FROM_DYNAMIC] = "dynamic-symbols",
		[SYMBOL_FROM_PERF_MAP] = "perf-map",
	};

	return names[source];
}

json_t *json_frame(const struct symbol *s, int *failed)
{
	json_t *o = json_object();

	json_put(o, "function", json_text(s->function), failed);
	json_put(o, "module", json_text(s->module), failed);
	json_put(o, "offset", json_count(s->offset), failed);
	json_put(o, "function_offset",
		 s->into == SYMBOL_START_UNKNOWN ? json_null() : json_count(s->into), failed);
	json_put(o, "file", json_text(s->file), failed);
	json_put(o, "line", s->line ? json_integer(s->line) : json_null(), failed);
	json_put(o, "inlined", json_boolean(s->inlined), failed);
	json_put(o, "name_from", json_text(source_name(s->source)), failed);
	return o;
}

json_t *json_stack(struct report *r, const struct report_site *s, int *failed)
{
	json_t *stack = json_array();

	for (uint32_t i = 0; i < s->frames; i++) {
		size_t count;
		const struct symbol *symbol = report_symbols(r, &s->frame[i], &count);

		for (size_t k = 0; k < count; k++)
			*failed += json_array_append_new(stack, json_frame(&symbol[k], failed)) < 0;
	}
	return stack;
}

static json_t *limits_of(double low, double high)
{
	return json_pack("[o, o]", json_number(low), json_number(high));
}

static json_t *percentiles_of(const struct report_site *s, int *failed)
{
	json_t *o;

	if (!s->has_percentiles)
		return json_null();
	o = json_object();
	json_put(o, "p50", json_number(s->percentiles.p50_ns), failed);
	json_put(o, "p90", json_number(s->percentiles.p90_ns), failed);
	json_put(o, "p99", json_number(s->percentiles.p99_ns), failed);
	json_put(o, "max", json_number(s->percentiles.max_ns), failed);
	json_put(o, "p50_ci", limits_of(s->percentiles.p50_low_ns, s->percentiles.p50_high_ns),
		 failed);
	json_put(o, "p90_ci", limits_of(s->percentiles.p90_low_ns, s->percentiles.p90_high_ns),
		 failed);
	json_put(o, "p99_ci", limits_of(s->percentiles.p99_low_ns, s->percentiles.p99_high_ns),
		 failed);
	return o;
}

/* Buckets with calls in them only, so that a few calls take a few numbers. */
static json_t *histogram_of(const struct report_site *s, int *failed)
{
	json_t *o, *from = json_array(), *to = json_array(), *calls = json_array();

	for (uint32_t i = 0; i < s->bars; i++) {
		*failed += json_array_append_new(from, json_number(s->bar[i].from_ns)) < 0;
		*failed += json_array_append_new(to, json_number(s->bar[i].to_ns)) < 0;
		*failed += json_array_append_new(calls, json_count(s->bar[i].calls)) < 0;
	}
	o = json_object();
	json_put(o, "from_ns", from, failed);
	json_put(o, "to_ns", to, failed);
	json_put(o, "calls", calls, failed);
	return o;
}

static json_t *doubts_of(unsigned doubts, int *failed)
{
	json_t *names = json_array();

	for (unsigned bit = 1; bit <= doubts; bit *= 2)
		if (doubts & bit)
			*failed +=
				json_array_append_new(names, json_text(report_doubt_name(bit))) < 0;
	return names;
}

static void put_estimate(json_t *o, const struct report_estimate *e, int *failed)
{
	json_put(o, "mean_ns", json_number(e->mean_ns), failed);
	json_put(o, "ci_low_ns", json_number(e->low_ns), failed);
	json_put(o, "ci_high_ns", json_number(e->high_ns), failed);
	json_put(o, "method", json_text(e->method), failed);
	json_put(o, "standard_error_ns", json_number(e->error_ns), failed);
	json_put(o, "degrees_of_freedom", json_number(e->freedom), failed);
	json_put(o, "design_effect", json_number(e->design_effect), failed);
	json_put(o, "doubts", doubts_of(e->doubts, failed), failed);
}

static json_t *slow_of(const struct report_site *s, int *failed)
{
	json_t *o;

	if (!s->has_slow)
		return json_null();
	o = json_object();
	json_put(o, "ticks", json_count(s->slow.ticks), failed);
	put_estimate(o, &s->slow.estimate, failed);
	json_put(o, "covers_fast_mean", json_boolean(s->slow.covers), failed);
	return o;
}

json_t *json_path(const struct report_site *s)
{
	if (s->overflow)
		return json_text("not-kept");
	if (s->path_flags & SCP_PATH_SMALL_STACK)
		return json_text("caller-only");
	if (s->path_flags & SCP_PATH_LIMITED)
		return json_text("limited");
	if (s->path_flags & SCP_PATH_CUT)
		return json_text("cut");
	return json_text(s->path_flags & SCP_PATH_TRUNCATED ? "truncated" : "complete");
}

json_t *json_site(struct report *r, const struct report_site *s)
{
	const struct prof_function *f = &r->profile->function[s->function];
	json_t *o = json_object();
	int failed = 0;

	json_put(o, "symbol", json_text(f->name), &failed);
	json_put(o, "library", json_text(f->library), &failed);
	json_put(o, "outcome", json_text(report_outcome_name(s)), &failed);
	json_put(o, "calls", json_count(s->calls), &failed);
	json_put(o, "bytes", json_count(s->bytes), &failed);
	json_put(o, "ticks", json_count(s->ticks), &failed);
	put_estimate(o, &s->estimate, &failed);
	json_put(o, "apriori_error_ns", json_number(s->apriori_ns), &failed);
	json_put(o, "raw_mean_ns", json_number(s->raw_mean_ns), &failed);
	json_put(o, "overhead_ns", json_number(s->overhead_ns), &failed);
	json_put(o, "overhead_error_ns", json_number(s->overhead_error_ns), &failed);
	json_put(o, "inner_calls", json_count(s->inner_calls), &failed);
	json_put(o, "inner_overhead_ns", json_number(s->inner_overhead_ns), &failed);
	json_put(o, "total_ns", json_number(s->total_ns), &failed);
	json_put(o, "share", json_number(s->share), &failed);
	json_put(o, "min_ns", json_number(s->min_ns), &failed);
	json_put(o, "max_ns", json_number(s->max_ns), &failed);
	json_put(o, "percentiles_ns", percentiles_of(s, &failed), &failed);
	json_put(o, "histogram", s->has_percentiles ? histogram_of(s, &failed) : json_null(),
		 &failed);
	json_put(o, "per_call_ns", json_number(s->per_call_ns), &failed);
	json_put(o, "per_call_ci_low_ns", json_number(s->per_call_low_ns), &failed);
	json_put(o, "per_call_ci_high_ns", json_number(s->per_call_high_ns), &failed);
	json_put(o, "per_byte_ns", json_number(s->per_byte_ns), &failed);
	json_put(o, "per_byte_ci_low_ns", json_number(s->per_byte_low_ns), &failed);
	json_put(o, "per_byte_ci_high_ns", json_number(s->per_byte_high_ns), &failed);
	json_put(o, "slow", slow_of(s, &failed), &failed);
	json_put(o, "steadiness", json_steadiness(s, &failed), &failed);
	json_displaced(o, r, s, &failed);
	json_put(o, "path", json_path(s), &failed);
	json_put(o, "stack", json_stack(r, s, &failed), &failed);
	if (failed) {
		json_decref(o);
		return NULL;
	}
	return o;
}
