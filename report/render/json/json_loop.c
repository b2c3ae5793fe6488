// SPDX-License-Identifier: GPL-3.0-or-later
/* Loops as JSON: for each kind of thread its cycles, each with states and edges. */
#include "report/render/json/json.h"

#include <math.h>

#include "report/loops/loop.h"

struct context {
	const struct report *report;
	uint32_t sites; /* in the document */
};

static void put_share(json_t *o, double total_ns, double share, int32_t permille, int *failed)
{
	json_parts_put(o, "total_ns", json_parts_number(total_ns), failed);
	json_parts_put(o, "share", json_parts_number(share), failed);
	json_parts_put(o, "percent",
		       isfinite(share) ? json_real((double)permille / 10) : json_null(), failed);
}

static json_t *site_at(const struct context *c, uint32_t site)
{
	return site < c->sites ? json_integer(site) : json_null();
}

static json_t *name_of(const struct context *c, uint32_t site, const char *none)
{
	const struct report *r = c->report;

	return json_parts_text(site < r->sites ? r->profile->function[r->site[site].function].name
					       : none);
}

static void put_numbers(json_t *o, const struct loop_row *row, int *failed)
{
	json_parts_put(o, "calls", json_parts_count(row->calls), failed);
	json_parts_put(o, "calls_per_pass", json_parts_number(row->per_pass), failed);
	json_parts_put(o, "mean_ns", json_parts_number(row->estimate.mean_ns), failed);
	json_parts_put(o, "ci_low_ns", json_parts_number(row->estimate.low_ns), failed);
	json_parts_put(o, "ci_high_ns", json_parts_number(row->estimate.high_ns), failed);
	json_parts_put(o, "method", json_parts_text(row->estimate.method), failed);
	json_parts_put(o, "pass_ns", json_parts_number(row->pass_ns), failed);
	put_share(o, row->total_ns, row->share, row->permille, failed);
}

static json_t *state_of(const struct context *c, const struct loop_row *row, int *failed)
{
	json_t *o = json_object();

	json_parts_put(o, "symbol", name_of(c, row->from, NULL), failed);
	json_parts_put(o, "outcome",
		       json_parts_text(words_outcome_name(&c->report->site[row->from])), failed);
	json_parts_put(o, "site", site_at(c, row->from), failed);
	json_parts_put(o, "way", row->way ? json_parts_count(row->way) : json_null(), failed);
	json_parts_put(o, "apportioned", json_boolean(row->apportioned), failed);
	put_numbers(o, row, failed);
	return o;
}

static json_t *edge_of(const struct context *c, const struct loop_row *row, int *failed)
{
	json_t *o = json_object();

	json_parts_put(o, "from", name_of(c, row->from, "(thread start)"), failed);
	json_parts_put(o, "to", name_of(c, row->to, "(thread end)"), failed);
	json_parts_put(o, "from_site", site_at(c, row->from), failed);
	json_parts_put(o, "to_site", site_at(c, row->to), failed);
	json_parts_put(o, "way", row->way ? json_parts_count(row->way) : json_null(), failed);
	json_parts_put(o, "overlap", json_boolean(row->overlap), failed);
	json_parts_put(o, "chance_percent", json_real((double)row->chance / 10), failed);
	put_numbers(o, row, failed);
	return o;
}

static json_t *rest_of(const struct loop_row *row, int *failed)
{
	json_t *o = json_object();

	put_share(o, row->total_ns, row->share, row->permille, failed);
	return o;
}

static json_t *cycle_of(const struct context *c, const struct loop *l, const struct loop_cycle *in,
			int *failed)
{
	json_t *o = json_object(), *states = json_array(), *edges = json_array();
	json_t *scprof = json_null();

	for (uint32_t i = in->row; i < in->row + in->rows; i++) {
		const struct loop_row *row = &l->row[i];

		if (row->kind == LOOP_STATE)
			*failed += json_array_append_new(states, state_of(c, row, failed)) < 0;
		else if (row->kind == LOOP_EDGE)
			*failed += json_array_append_new(edges, edge_of(c, row, failed)) < 0;
		else if (row->kind == LOOP_SCPROF)
			scprof = rest_of(row, failed);
	}
	json_parts_put(o, "closed", json_boolean(in->closed), failed);
	json_parts_put(o, "passes", json_parts_count(in->passes), failed);
	json_parts_put(o, "mean_ns", json_parts_number(in->mean_ns), failed);
	json_parts_put(o, "ci_low_ns", json_parts_number(in->low_ns), failed);
	json_parts_put(o, "ci_high_ns", json_parts_number(in->high_ns), failed);
	put_share(o, in->total_ns, in->share, in->permille, failed);
	json_parts_put(o, "states", states, failed);
	json_parts_put(o, "edges", edges, failed);
	json_parts_put(o, "scprof", scprof, failed);
	return o;
}

static json_t *threads_of(const struct loop *l, int *failed)
{
	json_t *threads = json_array();

	for (uint32_t i = 0; i < l->tables; i++) {
		json_t *o = json_object();

		json_parts_put(o, "name", json_parts_text(l->thread[i].name), failed);
		json_parts_put(o, "pid", json_parts_count(l->thread[i].pid), failed);
		json_parts_put(o, "tid", json_parts_count(l->thread[i].tid), failed);
		json_parts_put(o, "threads", json_parts_count(l->thread[i].threads), failed);
		*failed += json_array_append_new(threads, o) < 0;
	}
	return threads;
}

static json_t *loop_of(const struct context *c, const struct loop *l, int *failed)
{
	json_t *o = json_object(), *cycles = json_array();
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;

	for (uint32_t i = 0; i < l->cycles; i++)
		*failed += json_array_append_new(cycles, cycle_of(c, l, &l->cycle[i], failed)) < 0;
	json_parts_put(o, "threads", threads_of(l, failed), failed);
	json_parts_put(o, "calls", json_parts_count(l->calls), failed);
	json_parts_put(o, "time_ns", json_parts_number(l->time_ns), failed);
	json_parts_put(o, "share", json_parts_number(l->share), failed);
	json_parts_put(o, "remainder_ns", json_parts_number(l->remainder_ns), failed);
	json_parts_put(o, "cycles", cycles, failed);
	json_parts_put(o, "outside",
		       last && last->kind == LOOP_OUTSIDE ? rest_of(last, failed) : json_null(),
		       failed);
	return o;
}

json_t *json_loop(const struct report *r, const struct loop *l, uint32_t sites)
{
	struct context c = {r, sites};
	int failed = 0;
	json_t *loop = loop_of(&c, l, &failed);

	if (!failed)
		return loop;
	json_decref(loop);
	return NULL;
}
