// SPDX-License-Identifier: GPL-3.0-or-later
/* Names are written once, "(number) name", and only as their number afterwards. */
#include "report/render/stacks/callgrind.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/render/stacks/graph.h"
#include "report/model/model.h"
#include "report/wording/utf8.h"

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
