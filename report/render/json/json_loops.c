// SPDX-License-Identifier: GPL-3.0-or-later
/* Loops as JSON: for each kind of thread its cycles, each with states and edges. */
#include "report/render/json/json.h"

#include <math.h>

#include "report/loops/loop.h"
#include "report/model/model.h"

struct context {
	const struct report *report;
	struct json_writer *w;
	uint32_t sites; /* in the document */
};

static void put_share(struct json_writer *w, double total_ns, double share, int32_t permille)
{
	JSON_PUT(w, "total_ns", total_ns, "share", share);
	json_write_number(w, "percent", isfinite(share) ? (double)permille / 10 : NAN);
}

static void put_site(const struct context *c, const char *key, uint32_t site)
{
	json_write_count_if(c->w, key, site < c->sites, site);
}

static void put_numbers(struct json_writer *w, const struct loop_row *row)
{
	json_write_count(w, "calls", row->calls);
	json_write_number(w, "calls_per_pass", row->per_pass);
	json_write_fields(w, row_fields_interval, &row->estimate, true);
	JSON_PUT(w, "method", row->estimate.method, "pass_ns", row->pass_ns);
	put_share(w, row->total_ns, row->share, row->permille);
}

static void put_state(const struct context *c, const struct loop_row *row)
{
	struct json_writer *w = c->w;

	json_write_open(w, NULL, '{');
	json_site_name(w, "symbol", c->report, row->from, NULL);
	json_write_text(w, "outcome", report_names_outcome(&c->report->site[row->from]));
	put_site(c, "site", row->from);
	json_write_count_if(w, "way", row->way, 1);
	json_write_flag(w, "waits", c->report->site[row->from].waits);
	json_write_flag(w, "apportioned", row->apportioned);
	put_numbers(w, row);
	json_write_close(w, '}');
}

static void put_edge(const struct context *c, const struct loop_row *row)
{
	struct json_writer *w = c->w;

	json_write_open(w, NULL, '{');
	json_site_name(w, "from", c->report, row->from, "(thread start)");
	json_site_name(w, "to", c->report, row->to, "(thread end)");
	put_site(c, "from_site", row->from);
	put_site(c, "to_site", row->to);
	json_write_count_if(w, "way", row->way, 1);
	json_write_number(w, "chance_percent", (double)row->chance / 10);
	put_numbers(w, row);
	json_write_close(w, '}');
}

/* Time that belongs to no state and no edge; NULL: there is none. */
static void put_rest(struct json_writer *w, const char *key, const struct loop_row *row)
{
	if (!json_write_open_known(w, key, row))
		return;
	put_share(w, row->total_ns, row->share, row->permille);
	json_write_close(w, '}');
}

static void put_cycle(const struct context *c, const struct loop *l, const struct loop_cycle *in)
{
	const struct loop_row *first = &l->row[in->row], *end = first + in->rows, *scprof = NULL;
	struct json_writer *w = c->w;

	json_write_open(w, NULL, '{');
	JSON_MEMBERS(w, in, passes, mean_ns);
	JSON_PUT(w, "ci_low_ns", in->low_ns, "ci_high_ns", in->high_ns);
	put_share(w, in->total_ns, in->share, in->permille);
	json_write_open(w, "states", '[');
	for (const struct loop_row *row = first; row < end; row++)
		if (row->kind == LOOP_STATE)
			put_state(c, row);
	json_write_close(w, ']');
	json_write_open(w, "edges", '[');
	for (const struct loop_row *row = first; row < end; row++)
		if (row->kind == LOOP_EDGE)
			put_edge(c, row);
		else if (row->kind == LOOP_SCPROF)
			scprof = row;
	json_write_close(w, ']');
	put_rest(w, "scprof", scprof);
	json_write_close(w, '}');
}

static void put_loop(const struct context *c, const struct loop *l)
{
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;
	struct json_writer *w = c->w;

	json_write_open(w, NULL, '{');
	JSON_LIST(w, "threads", e, l->thread, l->tables,
		  JSON_OBJECT_OF(w, NULL, e, name, pid, tid, threads));
	JSON_MEMBERS(w, l, calls, time_ns, share, recording_ns, remainder_ns);
	JSON_LIST(w, "cycles", e, l->cycle, l->cycles, put_cycle(c, l, e));
	put_rest(w, "outside", last && last->kind == LOOP_OUTSIDE ? last : NULL);
	json_write_close(w, '}');
}

void json_loops_write(struct json_writer *w, const struct report *r, uint32_t sites, uint32_t most)
{
	const struct context c = {r, w, sites};

	if (!r->loops) {
		json_write_null(w, "loops");
		return;
	}
	JSON_LIST_LINES(w, "loops", e, r->loops->loop, rows_of_top(r->loops->loops, most),
			put_loop(&c, e));
}
