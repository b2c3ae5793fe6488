// SPDX-License-Identifier: GPL-3.0-or-later
/* The report in callgrind's format, for KCachegrind and callgrind_annotate: cost of each timed
 * function, and of each call that led there, by source line. Names are written once, "(number)
 * name", and only as their number afterwards. Format: valgrind's manual, "Callgrind Format
 * Specification". */
#include "report/render/formats.h"

#include <inttypes.h>
#include <stdlib.h>

#include "profile/base/array.h"
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
	bool own;	/* the cost of `from` itself, a timed function */
	uint32_t stamp; /* private */
	struct graph_cost cost;
};

struct graph {
	struct stacks stacks;
	struct graph_edge *edge; /* by from; its own cost first, then by line and to */
	uint32_t edges;
	struct graph_cost total;

	uint32_t edge_room;	  /* private */
	struct string_index keys; /* private: edges by their numbers */
};

/* The current position in a path: the function entered last, and the line in it. */
struct walk {
	struct graph *graph;
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

/* On a recursive path an edge counts once. */
static int add_edge(struct walk *w, uint32_t to, bool own)
{
	struct graph *g = w->graph;
	struct graph_edge *edge;
	char key[64];
	uint32_t number;

	snprintf(key, sizeof(key), "%x %x %x %d", w->function, (unsigned)w->line, to, own);
	number = string_index_add(&g->keys, key);
	if (!array_reach((void **)&g->edge, &g->edge_room, number, sizeof(*g->edge), 0))
		return -1;
	edge = &g->edge[number];
	if (number == g->edges) {
		*edge = (struct graph_edge){w->function, to, w->line, own, .stamp = UINT32_MAX};
		g->edges++;
	}
	if (edge->stamp != w->stamp)
		add_cost(&edge->cost, &w->cost);
	edge->stamp = w->stamp;
	return 0;
}

/* One step inwards. */
static int enter(void *walk, uint32_t function, int line)
{
	struct walk *w = walk;

	if (w->function != STRING_INDEX_NONE && add_edge(w, function, false) < 0)
		return -1;
	w->function = function;
	w->line = line;
	return 0;
}

static int add_site(struct graph *g, const struct report_site *site, uint32_t stamp)
{
	struct walk w = {.graph = g, .function = STRING_INDEX_NONE, .stamp = stamp};

	for (enum report_weight i = 0; i < REPORT_WEIGHTS; i++)
		w.cost.value[i] = report_weight_of(i, site);
	add_cost(&g->total, &w.cost);
	return stacks_walk(&g->stacks, site, enter, &w) < 0 ? -1 : add_edge(&w, w.function, true);
}

static int compare_edges(const void *left, const void *right)
{
	const struct graph_edge *a = left, *b = right;

	return ARRAY_ORDER(a->from, b->from)
		       ?: ARRAY_ORDER(b->own, a->own)
		       ?: ARRAY_ORDER(a->line, b->line) ?: ARRAY_ORDER(a->to, b->to);
}

/* Of the first `rows` sites. -1: out of memory. graph_end is due either way. */
static int graph_begin(struct graph *g, struct report *r, uint32_t rows)
{
	int status = 0;

	*g = (struct graph){.stacks = {.report = r}};
	for (uint32_t i = 0; status == 0 && i < rows; i++)
		status = add_site(g, &r->site[i], i);
	if (g->edges)
		qsort(g->edge, g->edges, sizeof(*g->edge), compare_edges);
	return status;
}

static void graph_end(struct graph *g)
{
	stacks_end(&g->stacks);
	string_index_clear(&g->keys);
	free(g->edge);
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
	const struct stacks_function *f = g->stacks.function;

	putc('\n', w->out);
	put_function(w, function, told);
	for (; edge < g->edges && g->edge[edge].from == function; edge++) {
		const struct graph_edge *e = &g->edge[edge];

		if (!e->own) {
			put_function(w, e->to, called);
			fprintf(w->out, "calls=%" PRIu64 " %d\n",
				e->cost.value[REPORT_WEIGHT_CALLS], f[e->to].declared);
		}
		put_cost(w, e->own ? f[function].declared : e->line, &e->cost);
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

static void put_sums(struct writer *w, const char *name)
{
	fputs(name, w->out);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %" PRIu64, w->graph.total.value[w->weight[i]]);
	putc('\n', w->out);
}

static void put_events(struct writer *w)
{
	fputs("events:", w->out);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %s", report_weights[w->weight[i]].event);
	putc('\n', w->out);
}

static void put_all(struct writer *w, const struct report *r)
{
	const struct graph *g = &w->graph;
	uint32_t edge = 0;

	fputs("# callgrind format\nversion: 1\ncreator: scprof\npositions: line\n", w->out);
	put_command(w, r->first);
	put_events(w);
	put_sums(w, "summary:");
	for (uint32_t f = 0; f < g->stacks.functions; f++)
		edge = put_block(w, f, edge);
	put_sums(w, "\ntotals:");
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
