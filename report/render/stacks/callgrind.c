// SPDX-License-Identifier: GPL-3.0-or-later
/* The report in callgrind's format, for KCachegrind and callgrind_annotate: cost of each timed
 * function, of what was computed, and of each call that led there, by source line. Names are
 * written once, "(number) name", and only as their number afterwards. Format: valgrind's manual,
 * "Callgrind Format Specification". */
#include "report/render/formats.h"

#include <inttypes.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/model/model.h"
#include "report/render/stacks/stacks.h"
#include "report/wording/utf8.h"

/* The call paths of a report folded into a graph: who calls whom, from which line, and what that
 * costs with all that is called from there. Cost (REPORT_WEIGHT_*) is the timed calls', and that of
 * functions that were computing. */
struct cost {
	uint64_t value[REPORT_WEIGHTS];
};

/* Functions are numbers of `stacks`. */
struct edge {
	uint32_t from, to;
	int line; /* in `from`; 0: not known */
	bool own; /* the cost of `from` itself: a timed function, or one that was computing */
	uint32_t stamp;
	struct cost cost;
};

/* Which names were written, for each of the three kinds with numbers of their own. */
enum kind { OBJECT, FILE_NAME, FUNCTION, KINDS };

struct writer {
	FILE *out;
	enum report_weight weight[REPORT_WEIGHTS]; /* the events of each cost */
	unsigned weights;
	struct stacks stacks;
	struct edge *edge; /* by from; its own cost first, then by line and to */
	uint32_t edges, room;
	struct string_index keys; /* edges by their numbers */
	struct cost total;
	unsigned char *written[KINDS]; /* by number of the name, of the function */
	/* The position in a path: the function entered last, and the line in it. */
	uint32_t function, stamp;
	int line;
	struct cost cost; /* of the path */
};

static void add_cost(struct cost *to, const struct cost *more)
{
	for (unsigned i = 0; i < REPORT_WEIGHTS; i++)
		to->value[i] += more->value[i];
}

/* On a recursive path an edge counts once, so that no cost is counted twice at any edge. */
static int add_edge(struct writer *w, uint32_t to, bool own)
{
	char key[64];

	snprintf(key, sizeof(key), "%x %x %x %d", w->function, (unsigned)w->line, to, own);
	uint32_t number = string_index_add(&w->keys, key);
	if (!array_reach((void **)&w->edge, &w->room, number, sizeof(*w->edge), 0))
		return -1;
	struct edge *edge = &w->edge[number];
	if (number == w->edges) {
		*edge = (struct edge){w->function, to, w->line, own, .stamp = UINT32_MAX};
		w->edges++;
	}
	if (edge->stamp != w->stamp)
		add_cost(&edge->cost, &w->cost);
	edge->stamp = w->stamp;
	return 0;
}

static int enter(void *writer, uint32_t function, int line)
{
	struct writer *w = writer;

	if (w->function != STRING_INDEX_NONE && add_edge(w, function, false) < 0)
		return -1;
	w->function = function;
	w->line = line;
	return 0;
}

static int add_site(struct writer *w, const struct report_site *site, uint32_t stamp)
{
	w->function = STRING_INDEX_NONE;
	w->line = 0;
	w->stamp = stamp;
	for (enum report_weight i = 0; i < REPORT_WEIGHTS; i++)
		w->cost.value[i] = report_weight_of(i, site);
	add_cost(&w->total, &w->cost);
	return stacks_walk(&w->stacks, site, enter, w) < 0 ? -1 : add_edge(w, w->function, true);
}

ARRAY_COMPARE(compare_edges, struct edge,
	      PROF_ORDER(a, b, from) ?: PROF_ORDER(b, a, own) ?: PROF_ORDER(a, b, line, to))

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
	const struct stacks *s = &w->stacks;
	const struct stacks_function *f = &s->function[function];
	const char *module = stacks_module(s, function), *file = stacks_file(s, function);

	put_name(w, OBJECT, key[OBJECT], f->module, module ? module : "???");
	put_name(w, FILE_NAME, key[FILE_NAME], f->file, file ? file : "???");
	put_name(w, FUNCTION, key[FUNCTION], function, stacks_name(s, function));
}

static void put_costs(struct writer *w, const char *begin, const struct cost *cost)
{
	fputs(begin, w->out);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %" PRIu64, cost->value[w->weight[i]]);
	putc('\n', w->out);
}

/* One function: its own cost, if it has some, and its calls. Returns the
 * first edge of another function. */
static uint32_t put_block(struct writer *w, uint32_t function, uint32_t edge)
{
	static const char *const told[] = {"ob", "fl", "fn"}, *const called[] = {"cob", "cfi",
										 "cfn"};
	const struct stacks_function *f = w->stacks.function;
	char line[16];

	putc('\n', w->out);
	put_function(w, function, told);
	for (; edge < w->edges && w->edge[edge].from == function; edge++) {
		const struct edge *e = &w->edge[edge];

		if (!e->own) {
			put_function(w, e->to, called);
			fprintf(w->out, "calls=%" PRIu64 " %d\n",
				e->cost.value[REPORT_WEIGHT_CALLS], f[e->to].declared);
		}
		snprintf(line, sizeof(line), "%d",
			 e->own && !e->line ? f[function].declared : e->line);
		put_costs(w, line, &e->cost);
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

static void put_all(struct writer *w, const struct report *r)
{
	uint32_t edge = 0;

	fputs("# callgrind format\nversion: 1\ncreator: scprof\npositions: line\n", w->out);
	put_command(w, r->first);
	fputs("events:", w->out);
	for (unsigned i = 0; i < w->weights; i++)
		fprintf(w->out, " %s", report_weights[w->weight[i]].event);
	put_costs(w, "\nsummary:", &w->total);
	for (uint32_t f = 0; f < w->stacks.functions; f++)
		edge = put_block(w, f, edge);
	put_costs(w, "\ntotals:", &w->total);
}

int callgrind_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct writer w = {.out = out, .stacks = {.report = r}};
	uint32_t rows = stacks_rows(&w.stacks, o);
	int status = rows == STRING_INDEX_NONE ? -1 : 0;

	w.weights = report_weight_list(r, w.weight);
	for (uint32_t i = 0; status == 0 && i < rows; i++)
		status = add_site(&w, stacks_row(&w.stacks, i), i);
	ARRAY_SORT(w.edge, w.edges, compare_edges);
	for (unsigned i = 0; status == 0 && i < KINDS; i++) {
		w.written[i] = calloc((size_t)w.stacks.names.count + w.stacks.functions + 1, 1);
		status = w.written[i] ? 0 : -1;
	}
	if (status == 0)
		put_all(&w, r);
	for (unsigned i = 0; i < KINDS; i++)
		free(w.written[i]);
	stacks_end(&w.stacks);
	string_index_clear(&w.keys);
	free(w.edge);
	return status;
}
