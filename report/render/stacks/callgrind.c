// SPDX-License-Identifier: GPL-3.0-or-later
/* The report in callgrind's format, for KCachegrind and callgrind_annotate: cost of each timed
 * function, and of each call that led there, by source line. Names are written once, "(number)
 * name", and only as their number afterwards. Format: valgrind's manual, "Callgrind Format
 * Specification". */
#include "report/render/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/containers/pairs.h"
#include "report/model/model.h"
#include "report/render/stacks/stacks.h"
#include "report/wording/utf8.h"

/* ---- the graph ---- */

/* The call paths of a report folded into a graph: who calls whom, from which
 * line, and what that costs with all that is called from there.
 *
 * Cost is the timed calls' (REPORT_WEIGHT_*): only they have some of their
 * own. On a recursive path an edge counts once, so that no cost is counted
 * twice at any edge. */
struct graph_cost {
	uint64_t value[REPORT_WEIGHTS];
};

/* Functions are numbers of `stacks`. */
struct graph_edge {
	uint32_t from, to;
	int line;	/* in `from`; 0: not known */
	uint32_t stamp; /* private */
	struct graph_cost cost;
};

struct graph {
	struct stacks stacks;
	struct graph_edge *edge; /* by from, line, to */
	uint32_t edges;
	struct graph_cost *own; /* of each function of `stacks` */
	struct graph_cost total;

	uint32_t edge_room, own_room; /* private */
	struct pairs ends, lines;     /* private */
};

/* The current position in a path: the function entered last, and the line in it. */
struct walk {
	uint32_t function;
	int line;
	uint32_t stamp; /* of this path */
	struct graph_cost cost;
};

static void add_cost(struct graph_cost *to, const struct graph_cost *more)
{
	for (unsigned i = 0; i < REPORT_WEIGHTS; i++)
		to->value[i] += more->value[i];
}

/* NULL: out of memory. */
static struct graph_edge *find_edge(struct graph *g, uint32_t from, int line, uint32_t to)
{
	uint32_t ends = pairs_add(&g->ends, from, to), number;

	if (ends == PAIRS_NONE)
		return NULL;
	number = pairs_add(&g->lines, ends, (uint32_t)line);
	if (!array_reach((void **)&g->edge, &g->edge_room, number, sizeof(*g->edge), 0))
		return NULL;
	if (number == g->edges)
		g->edge[g->edges++] = (struct graph_edge){
			.from = from, .to = to, .line = line, .stamp = UINT32_MAX};
	return &g->edge[number];
}

/* One step inwards. */
static int enter(struct graph *g, struct walk *w, uint32_t function, int line)
{
	struct graph_edge *edge;

	if (function == STRING_INDEX_NONE)
		return -1;
	if (w->function != STRING_INDEX_NONE) {
		edge = find_edge(g, w->function, w->line, function);
		if (!edge)
			return -1;
		if (edge->stamp != w->stamp)
			add_cost(&edge->cost, &w->cost);
		edge->stamp = w->stamp;
	}
	w->function = function;
	w->line = line;
	return 0;
}

static int enter_frame(struct graph *g, struct walk *w, const struct prof_frame *frame)
{
	uint32_t number = stacks_frame(&g->stacks, frame);

	if (number == STRING_INDEX_NONE)
		return -1;
	for (uint32_t i = g->stacks.frame[number].places; i-- > 0;) {
		const struct stacks_place *p = &g->stacks.place[g->stacks.frame[number].first + i];

		if (enter(g, w, p->function, p->line) < 0)
			return -1;
	}
	return 0;
}

static int add_own(struct graph *g, uint32_t function, const struct graph_cost *cost)
{
	if (function >= g->own_room) {
		uint32_t room = g->stacks.functions * 2;
		struct graph_cost *grown = realloc(g->own, room * sizeof(*grown));

		if (!grown)
			return -1;
		memset(grown + g->own_room, 0, (room - g->own_room) * sizeof(*grown));
		g->own = grown;
		g->own_room = room;
	}
	add_cost(&g->own[function], cost);
	add_cost(&g->total, cost);
	return 0;
}

static int add_site(struct graph *g, const struct report_site *site, uint32_t stamp)
{
	struct walk w = {.function = stacks_program(&g->stacks, site), .stamp = stamp};
	uint32_t outer = stacks_outer(&g->stacks, site);

	for (enum report_weight i = 0; i < REPORT_WEIGHTS; i++)
		w.cost.value[i] = report_weight_find(i)->of(site);
	if (outer != STRING_INDEX_NONE && enter(g, &w, outer, 0) < 0)
		return -1;
	for (uint32_t i = site->frames; i-- > 0;)
		if (enter_frame(g, &w, &site->frame[i]) < 0)
			return -1;
	if (enter(g, &w, stacks_leaf(&g->stacks, site, true), 0) < 0)
		return -1;
	return add_own(g, w.function, &w.cost);
}

static int compare_edges(const void *left, const void *right)
{
	const struct graph_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* Functions that have no cost of their own need a place as well. */
static int complete_own(struct graph *g)
{
	static const struct graph_cost nothing;

	return g->stacks.functions ? add_own(g, g->stacks.functions - 1, &nothing) : 0;
}

/* Of the first `rows` sites. -1: out of memory. graph_end is due either way. */
static int graph_begin(struct graph *g, struct report *r, uint32_t rows)
{
	int status;

	memset(g, 0, sizeof(*g));
	status = stacks_begin(&g->stacks, r);
	for (uint32_t i = 0; status == 0 && i < rows; i++)
		status = add_site(g, &r->site[i], i);
	if (status == 0)
		status = complete_own(g);
	pairs_clear(&g->ends); /* sorting moves the edges */
	pairs_clear(&g->lines);
	if (g->edges)
		qsort(g->edge, g->edges, sizeof(*g->edge), compare_edges);
	return status;
}

static void graph_end(struct graph *g)
{
	stacks_end(&g->stacks);
	free(g->edge);
	free(g->own);
}

/* ---- the format ---- */

/* Which names were written, for each of the three kinds with numbers of their own. */
enum kind { OBJECT, FILE_NAME, FUNCTION, KINDS };

struct writer {
	FILE *out;
	enum report_weight weight[REPORT_WEIGHTS]; /* the events of each cost */
	unsigned weights;
	struct graph graph;
	unsigned char *written[KINDS]; /* by number of the name, of the function */
};

static void put_name(struct writer *w, enum kind kind, const char *key, uint32_t number,
		     const char *text)
{
	/* 0 stands for what is not known. */
	uint32_t shown = number == STRING_INDEX_NONE ? 0 : number + 1;

	fprintf(w->out, "%s=(%" PRIu32 ")", key, shown);
	if (!w->written[kind][shown])
		fprintf(w->out, " %s", text);
	w->written[kind][shown] = 1;
	putc('\n', w->out);
}

/* A function has one key where it is called ("cfn="), another where it is described ("fn="). */
static void put_function(struct writer *w, uint32_t function, const char *const key[KINDS])
{
	const struct stacks *s = &w->graph.stacks;
	const struct stacks_function *f = &s->function[function];
	const char *module = stacks_module(s, function), *file = stacks_file(s, function);

	put_name(w, OBJECT, key[OBJECT], f->module, module ? module : "???");
	put_name(w, FILE_NAME, key[FILE_NAME], f->file, file ? file : "???");
	put_name(w, FUNCTION, key[FUNCTION], function, stacks_name(s, function));
}

static void put_cost(struct writer *w, int line, const struct graph_cost *cost)
{
	fprintf(w->out, "%d", line);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %" PRIu64, cost->value[w->weight[i]]);
	putc('\n', w->out);
}

/* One function: its own cost, if it is a timed one, and its calls. Returns the
 * first edge of another function. */
static uint32_t put_block(struct writer *w, uint32_t function, uint32_t edge)
{
	static const char *const told[] = {"ob", "fl", "fn"}, *const called[] = {"cob", "cfi",
										 "cfn"};
	const struct graph *g = &w->graph;
	const struct graph_cost *own = &g->own[function];

	putc('\n', w->out);
	put_function(w, function, told);
	if (own->value[REPORT_WEIGHT_CALLS] || own->value[REPORT_WEIGHT_TIME])
		put_cost(w, g->stacks.function[function].declared, own);
	for (; edge < g->edges && g->edge[edge].from == function; edge++) {
		const struct graph_edge *e = &g->edge[edge];

		put_function(w, e->to, called);
		fprintf(w->out, "calls=%" PRIu64 " %d\n", e->cost.value[REPORT_WEIGHT_CALLS],
			g->stacks.function[e->to].declared);
		put_cost(w, e->line, &e->cost);
	}
	return edge;
}

static void put_command(struct writer *w, const struct prof_process *p)
{
	fputs("cmd:", w->out);
	for (uint32_t i = 0; p && i < p->argc; i++) {
		char *clean = utf8_clean(p->argv[i], true);

		fprintf(w->out, " %s", clean ? clean : "?");
		free(clean);
	}
	putc('\n', w->out);
}

static void put_events(struct writer *w)
{
	fputs("events:", w->out);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %s", report_weight_find(w->weight[i])->event);
	putc('\n', w->out);
}

static void put_all(struct writer *w, const struct report *r)
{
	const struct graph *g = &w->graph;
	uint32_t edge = 0;

	fputs("# callgrind format\nversion: 1\ncreator: scprof\npositions: line\n", w->out);
	put_command(w, r->first);
	put_events(w);
	fputs("summary:", w->out);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %" PRIu64, g->total.value[w->weight[i]]);
	putc('\n', w->out);
	for (uint32_t f = 0; f < g->stacks.functions; f++)
		edge = put_block(w, f, edge);
	fputs("\ntotals:", w->out);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %" PRIu64, g->total.value[w->weight[i]]);
	putc('\n', w->out);
}

int callgrind_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct writer w = {.out = out};
	int status = graph_begin(&w.graph, r, rows_shown(r->sites, o));

	w.weights = report_weight_list(r, w.weight);
	if (status == 0) {
		size_t names = (size_t)w.graph.stacks.names.count + 1;
		size_t functions = (size_t)w.graph.stacks.functions + 1;

		w.written[OBJECT] = calloc(names, 1);
		w.written[FILE_NAME] = calloc(names, 1);
		w.written[FUNCTION] = calloc(functions, 1);
		if (w.written[OBJECT] && w.written[FILE_NAME] && w.written[FUNCTION])
			put_all(&w, r);
		else
			status = -1;
	}
	for (unsigned i = 0; i < KINDS; i++)
		free(w.written[i]);
	graph_end(&w.graph);
	return status;
}
