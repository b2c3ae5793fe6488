// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks --json`: all that was measured; the names of the keys have the units. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "cli/clocks_print.h"
#include "report/render/json/json_parts.h"

static json_t *late_json(const struct clock_lateness *l)
{
	return json_pack("{s:f, s:b, s:I, s:o, s:o, s:o, s:s}", "tick_ns", l->tick_ns, "busy",
			 l->busy, "ticks", (json_int_t)l->ticks, "late_mean_ns",
			 json_parts_number(l->mean_ns), "late_max_ns", json_parts_number(l->max_ns),
			 "late_share", json_parts_number(l->share), "scheduling",
			 l->scheduling ? l->scheduling : "");
}

static json_t *ticks_json(const struct clock_test *t)
{
	const struct tick_summary *s = &t->ticks;

	if (!isfinite(s->mean_ns))
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "asked_ns",
			 json_parts_number(t->claimed_ns), "mean_ns", json_parts_number(s->mean_ns),
			 "ci_low_ns", json_parts_number(s->low_ns), "ci_high_ns",
			 json_parts_number(s->high_ns), "count", (json_int_t)s->ticks,
			 "deviation_ns", json_parts_number(s->sd_ns), "min_ns",
			 json_parts_number(s->min_ns), "p10_ns", json_parts_number(s->p10_ns),
			 "p50_ns", json_parts_number(s->p50_ns), "p90_ns",
			 json_parts_number(s->p90_ns), "max_ns", json_parts_number(s->max_ns),
			 "together", (json_int_t)s->together);
}

/* PREFIX_ns, PREFIX_ci_low_ns, PREFIX_ci_high_ns. */
static void set_mean(json_t *object, const char *prefix, const struct rounds_mean *m)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_ns", prefix);
	json_object_set_new(object, key, json_parts_number(m->mean));
	snprintf(key, sizeof(key), "%s_ci_low_ns", prefix);
	json_object_set_new(object, key, json_parts_number(m->low));
	snprintf(key, sizeof(key), "%s_ci_high_ns", prefix);
	json_object_set_new(object, key, json_parts_number(m->high));
}

static json_t *clock_json(const struct clock_test *t)
{
	json_t *o = json_pack("{s:s, s:b, s:s, s:o, s:o, s:o}", "name", clocks_read_name(t->kind),
			      "usable", t->usable, "verdict", t->verdict, "smallest_mean_ns",
			      json_parts_number(t->smallest_mean_ns), "resolution_ns",
			      json_parts_number(t->step_ns), "claimed_resolution_ns",
			      json_parts_number(t->claimed_ns));

	set_mean(o, "read", &t->read);
	set_mean(o, "read_alone", &t->read_alone);
	json_object_update_new(o, json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:o}", "cpus_compared",
					    (json_int_t)t->cpus + (t->cpus > 0), "comparisons",
					    (json_int_t)t->comparisons, "backward",
					    (json_int_t)t->backward, "backward_max_ns",
					    json_parts_number(t->backward_max_ns), "step_readings",
					    (json_int_t)t->step_readings, "steps",
					    (json_int_t)t->steps, "step_max_ns",
					    json_parts_number(t->step_max_ns)));
	json_object_update_new(o,
			       json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "drift_ppm",
					 json_parts_number(t->drift_ppm), "drift_error_ppm",
					 json_parts_number(t->drift_error_ppm), "rate_hz",
					 json_parts_number(t->rate_hz), "rate_error_ppm",
					 json_parts_number(t->rate_error_ppm), "late_mean_ns",
					 json_parts_number(t->late.mean_ns), "late_max_ns",
					 json_parts_number(t->late.max_ns), "late_share",
					 json_parts_number(t->late.share), "ticks", ticks_json(t)));
	return o;
}

int clocks_print_json(const struct clocks_report *r)
{
	json_t *clocks = json_array(), *late = json_array();

	for (int i = 0; i < CLOCKS_TESTED; i++)
		json_array_append_new(clocks, clock_json(&r->clock[i]));
	for (int i = 0; i < CLOCKS_LATE; i++)
		json_array_append_new(late, late_json(&r->late[i]));
	return json_parts_print(
		json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:i, s:f, s:I, s:o, s:o, s:o, "
			  "s:i, s:o, s:o}",
			  "schema", "scprof-clocks/1", "default", clocks_read_name(r->preferred),
			  "reason", r->reason, "window_s", r->window_s, "watch_s", r->watch_s,
			  "took_s", r->took_s, "read_rounds", (int)r->read_rounds, "confidence",
			  0.95, "interruptions", (json_int_t)r->interruptions,
			  "interruption_max_ns", json_parts_number(r->interruption_max_ns),
			  "interrupted_share", json_parts_number(r->interrupted_share),
			  "stolen_share", json_parts_number(r->stolen), "busy_cpus",
			  (int)r->busy_cpus, "clocks", clocks, "lateness", late),
		stdout);
}

int clocks_figure_json(const struct clock_costs *c)
{
	json_t *ways = json_array();

	for (size_t i = 0; i < c->count; i++) {
		const struct clock_cost *cost = &c->cost[i];
		json_t *way = json_pack("{s:s, s:s, s:s}", "name", cost->way->name, "how",
					clock_costs_place(c, cost), "gives", cost->way->gives);

		set_mean(way, "flow", &cost->flow);
		set_mean(way, "alone", &cost->alone);
		json_array_append_new(ways, way);
	}
	return json_parts_print(json_pack("{s:s, s:f, s:i, s:i, s:i, s:o, s:f, s:o}", "schema",
					  "scprof-clocks-figure/1", "confidence", c->confidence,
					  "rounds", (int)c->rounds, "batches", (int)c->batches,
					  "rounds_repeated", (int)c->repeated, "stolen_share",
					  json_parts_number(c->stolen), "took_s", c->took_s, "ways",
					  ways),
				stdout);
}
