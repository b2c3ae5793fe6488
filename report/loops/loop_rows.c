// SPDX-License-Identifier: GPL-3.0-or-later
/* Which states and edges get a row, and its contents. All others are added up in one row, so that
 * nothing is missing from the sum; percentages add up as printed. */
#include "report/loops/loop_graph.h"

#include <math.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/model/sites.h"
#include "report/wording/numbers.h"

static struct loop_row none(enum loop_kind kind)
{
	return (struct loop_row){.kind = kind,
				 .from = PROF_NONE,
				 .to = PROF_NONE,
				 .estimate = {.low = NAN, .high = NAN, .method = "none"}};
}

/* Add a row. -1: out of memory. */
static int keep(struct loop_rows *w, const struct loop_row *row)
{
	return ARRAY_PUT(w->loop->row, w->loop->rows, *row) ? 0 : -1;
}

static int write_outside(struct loop_rows *w)
{
	double unit = w->report->profile->clock.ns_per_unit;
	struct loop_row row = none(LOOP_OUTSIDE);

	row.total_ns = ((double)w->units - (double)w->inside) * unit;
	row.estimate.mean = row.pass_ns = row.per_pass = NAN;
	return w->inside == w->units ? 0 : keep(w, &row);
}

static void settle_shares(struct loop_rows *w, const int32_t *permille)
{
	struct loop *l = w->loop;
	double all_ns = (double)w->units * w->report->profile->clock.ns_per_unit;

	for (uint32_t i = 0; i < l->rows; i++) {
		l->row[i].permille = permille[i];
		l->row[i].share = w->units ? l->row[i].total_ns / all_ns : NAN;
	}
	for (struct loop_cycle *c = l->cycle; c < l->cycle + l->cycles; c++) {
		c->share = w->units ? c->total_ns / all_ns : NAN;
		for (uint32_t k = c->row; k < c->row + c->rows; k++)
			c->permille += permille[k];
	}
}

int loop_rows_finish(struct loop_rows *w)
{
	struct loop *l = w->loop;
	int status = write_outside(w);
	double *part = calloc((size_t)l->rows + 1, sizeof(*part));
	int32_t *permille = calloc((size_t)l->rows + 1, sizeof(*permille));

	for (uint32_t i = 0; part && i < l->rows; i++)
		part[i] = l->row[i].total_ns;
	if (!part || !permille || numbers_percentages(part, l->rows, 1000, permille) < 0)
		status = -1;
	if (!status)
		settle_shares(w, permille);
	free(part);
	free(permille);
	return status;
}

/* A cycle while its rows are written. */
struct writing {
	struct loop_rows *w;
	struct loop_cycle *cycle;
	uint32_t component;
	struct loop_order order;
	uint64_t units, visits; /* of all nodes and edges; top-level calls */
	double scprof_ns;	/* what it added in these */
	double low_ns, high_ns; /* of a pass */
	bool limits_known;	/* of any of them */
	struct loop_row others;
	double *part; /* scratch of one state's edges */
	int32_t *chance;
};

static bool in_scope(const struct writing *c, const struct loop_edge *e)
{
	return loop_graph_inside(c->w->graph, e, c->component);
}

static uint32_t site_at(const struct writing *c, uint32_t node)
{
	const struct loop_graph *g = c->w->graph;

	return node < g->nodes ? g->node[node].site : PROF_NONE;
}

static void fill_totals(const struct writing *c, struct loop_row *row, double total_ns)
{
	row->per_pass = (double)row->calls / (double)c->cycle->passes;
	row->total_ns = total_ns;
	row->pass_ns = total_ns / (double)c->cycle->passes;
}

static void state_estimate(const struct writing *c, struct loop_row *row, const struct loop_node *n)
{
	const struct report *r = c->w->report;
	const struct prof_clock *clock = &r->profile->clock;
	struct prof_sums of = n->sums;

	/* A call or two more than gaps, of a thread that was read while it ran: still its own. */
	if (n->apportioned && (n->in < n->sums.calls - n->sums.calls / 100 || n->in < 100)) {
		row->estimate.mean = row->total_ns / (double)row->calls;
		return;
	}
	struct report_overhead off = estimate_overhead_around(&r->overhead, &n->sums);
	of.apart = NULL;
	row->estimate = site_sums_mean(clock, &of, &of, r->confidence);
	estimate_compensate(&row->estimate, &off, r->confidence);
}

static double added_by_scprof(const struct writing *c, const struct loop_node *n)
{
	return (double)n->visits *
	       estimate_overhead_around(&c->w->report->overhead, &n->sums).inside_ns;
}

static void fill_state(const struct writing *c, struct loop_row *row, uint32_t node)
{
	const struct report *r = c->w->report;
	const struct loop_node *n = &c->w->graph->node[node];

	row->from = row->to = n->site;
	row->apportioned = n->apportioned;
	row->calls = n->visits;
	fill_totals(c, row,
		    (double)n->units * r->profile->clock.ns_per_unit - added_by_scprof(c, n));
	state_estimate(c, row, n);
}

static void fill_edge(const struct writing *c, struct loop_row *row, const struct loop_edge *e)
{
	const struct report *r = c->w->report;
	const struct prof_clock *clock = &r->profile->clock;
	struct prof_sums of = {0};

	row->from = site_at(c, e->from);
	row->to = site_at(c, e->to);
	row->calls = e->calls;
	fill_totals(c, row, (double)e->units * clock->ns_per_unit);
	PROF_SET(&of, e, calls, units, units_sq, max_units);
	row->estimate = site_sums_mean(clock, &of, &of, r->confidence);
}

/* Add to the limits of the whole pass, with or without a row. */
static void add_limits(struct writing *c, const struct loop_row *row)
{
	bool known = isfinite(row->estimate.low) && isfinite(row->estimate.high) && row->calls > 1;

	c->low_ns += known ? row->per_pass * row->estimate.low : row->pass_ns;
	c->high_ns += known ? row->per_pass * row->estimate.high : row->pass_ns;
	c->limits_known = c->limits_known || known;
}

static void fold(struct loop_row *into, const struct loop_row *row)
{
	into->states += row->kind == LOOP_STATE;
	into->edges += row->kind == LOOP_EDGE;
	PROF_ADD(into, row, calls, total_ns);
}

static bool is_worth(const struct writing *c, const struct loop_row *row, double chance)
{
	const struct loop_limits *l = c->w->limits;
	double all_ns = (double)c->w->units * c->w->report->profile->clock.ns_per_unit;

	return row->total_ns >= l->least_row * all_ns || chance >= l->least_chance;
}

static uint64_t successors(const struct writing *c, uint32_t node)
{
	const struct loop_graph *g = c->w->graph;
	uint64_t calls = 0;

	for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++)
		calls += in_scope(c, &g->edge[i]) ? g->edge[i].calls : 0;
	return calls;
}

/* The edges from one node while their rows are written. */
struct leaving {
	uint32_t next; /* the next state in the main cycle; PROF_NONE: none */
	double all;    /* how many there are */
	double weight; /* visits of the node a pass, at most 1; 0: not shown */
	uint32_t kept; /* rows so far */
};

static int write_edge(struct writing *c, struct leaving *l, const struct loop_edge *e)
{
	struct loop_row row = none(LOOP_EDGE);

	row.way = e->to == l->next;
	fill_edge(c, &row, e);
	add_limits(c, &row);
	c->units += e->units;
	if (l->weight > 0 &&
	    (row.way || (l->kept < c->w->limits->states &&
			 is_worth(c, &row, l->weight * (double)e->calls / l->all)))) {
		l->kept++;
		return keep(c->w, &row);
	}
	fold(&c->others, &row);
	return 0;
}

/* So that the chances of a state's rows, which are the last ones from `first` on, add up, with
 * those that have no row. */
static int settle_chances(struct writing *c, uint32_t first, double all)
{
	struct loop *l = c->w->loop;
	uint32_t count = l->rows - first;

	c->part[count] = all;
	for (uint32_t i = 0; i < count; i++) {
		c->part[i] = (double)l->row[first + i].calls;
		c->part[count] -= c->part[i];
	}
	if (numbers_percentages(c->part, count + 1, 1000, c->chance) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		l->row[first + i].chance = c->chance[i];
	return 0;
}

/* The edges from a node, first the one to the next state of its cycle. */
static int write_edges(struct writing *c, uint32_t node, uint32_t next, double weight)
{
	const struct loop_graph *g = c->w->graph;
	uint32_t first = c->w->loop->rows;
	struct leaving l = {.next = next, .all = (double)successors(c, node), .weight = weight};

	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++)
			if (in_scope(c, &g->edge[i]) && (g->edge[i].to == next) == (turn == 0) &&
			    write_edge(c, &l, &g->edge[i]) < 0)
				return -1;
	return l.kept ? settle_chances(c, first, l.all) : 0;
}

static int write_state(struct writing *c, uint32_t i, uint32_t *shown)
{
	const struct loop_order *o = &c->order;
	uint32_t node = o->state[i], next = PROF_NONE;
	struct loop_row row = none(LOOP_STATE);

	if (i < o->way)
		next = o->state[(i + 1) % o->way];
	row.way = i < o->way;
	fill_state(c, &row, node);
	add_limits(c, &row);
	c->units += c->w->graph->node[node].units;
	c->visits += row.calls;
	c->scprof_ns += added_by_scprof(c, &c->w->graph->node[node]);
	bool show = *shown < c->w->limits->states && (row.way || is_worth(c, &row, row.per_pass));
	*shown += show;
	if (!show)
		fold(&c->others, &row);
	else if (keep(c->w, &row) < 0)
		return -1;
	return write_edges(c, node, next, show ? fmin(row.per_pass, 1) : 0);
}

static int write_ends(struct writing *c)
{
	struct loop_row row = none(LOOP_SCPROF);

	if (c->others.states || c->others.edges) {
		fill_totals(c, &c->others, c->others.total_ns);
		c->others.estimate.mean = c->others.total_ns / (double)c->others.calls;
		if (keep(c->w, &c->others) < 0)
			return -1;
	}
	row.calls = c->visits;
	fill_totals(c, &row, c->scprof_ns);
	row.estimate.mean = c->visits ? c->scprof_ns / (double)c->visits : 0;
	add_limits(c, &row);
	return c->scprof_ns != 0 ? keep(c->w, &row) : 0;
}

static void settle_cycle(struct writing *c)
{
	double ns = (double)c->units * c->w->report->profile->clock.ns_per_unit;
	bool known = c->limits_known && c->cycle->passes > 1;

	c->cycle->rows = c->w->loop->rows - c->cycle->row;
	c->cycle->total_ns = ns;
	c->cycle->mean_ns = ns / (double)c->cycle->passes;
	c->cycle->low_ns = known ? c->low_ns : NAN;
	c->cycle->high_ns = known ? c->high_ns : NAN;
	c->w->inside += c->units;
	c->w->loop->cycles_ns += ns;
}

static int write_cycle(struct writing *c)
{
	struct loop_cycle *cycle = c->cycle;
	const struct loop_graph *g = c->w->graph;
	uint32_t shown = 0;

	c->others = none(LOOP_OTHERS);
	cycle->row = c->w->loop->rows;
	cycle->passes = g->node[c->order.state[0]].visits ?: 1;
	for (uint32_t i = 0; i < c->order.states; i++)
		if (write_state(c, i, &shown) < 0)
			return -1;
	if (write_ends(c) < 0)
		return -1;
	settle_cycle(c);
	return 0;
}

int loop_rows_cycle(struct loop_rows *w, uint32_t component)
{
	const struct loop_graph *g = w->graph;
	struct writing c = {.w = w, .component = component};
	int status = -1;

	c.cycle = &w->loop->cycle[w->loop->cycles++];
	c.part = calloc((size_t)g->edges + 2, sizeof(*c.part));
	c.chance = calloc((size_t)g->edges + 2, sizeof(*c.chance));
	if (c.part && c.chance && loop_cycle_order(&c.order, g, component) == 0)
		status = write_cycle(&c);
	PROF_FREE(&c, order.state, part, chance);
	return status;
}
