// SPDX-License-Identifier: GPL-3.0-or-later
/* Grows the tree site by site, then brings it into preorder. */
#define HASH_NONFATAL_OOM 1
#include "flame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base_name.h"
#include "outer.h"

struct key {
	uint32_t parent, kind, name, module, outcome;
};

struct place {
	struct key key;
	uint32_t box;
	UT_hash_handle hh;
};

struct growth {
	struct flame *flame;
	struct report *report;
	struct place *places;
	uint32_t room;
	uint32_t *program; /* texts: what the processes executed */
	uint32_t programs;
};

#define FAILED UINT32_MAX

static uint32_t new_box(struct growth *g, const struct key *k)
{
	struct flame *f = g->flame;

	if (f->boxes == g->room) {
		uint32_t room = g->room ? 2 * g->room : 1024;
		struct flame_box *box = realloc(f->box, room * sizeof(*box));

		if (!box)
			return FAILED;
		f->box = box;
		g->room = room;
	}
	f->box[f->boxes] = (struct flame_box){.depth = f->boxes ? f->box[k->parent].depth + 1 : 0,
					      .kind = (enum flame_kind)k->kind,
					      .name = k->name,
					      .module = k->module,
					      .outcome = k->outcome,
					      .parent = k->parent};
	return f->boxes++;
}

static uint32_t box_below(struct growth *g, const struct key *k)
{
	struct place *p;

	HASH_FIND(hh, g->places, k, sizeof(*k), p);
	if (p)
		return p->box;
	p = calloc(1, sizeof(*p));
	if (!p)
		return FAILED;
	p->key = *k;
	p->box = new_box(g, k);
	HASH_ADD(hh, g->places, key, sizeof(p->key), p);
	if (p->hh.tbl)
		return p->box;
	free(p);
	return FAILED;
}

/* "libc.so.6+0x29d90", or an address: there each is a box of its own. */
static uint32_t unnamed(struct names *strings, const struct symbol *s)
{
	uint32_t number;
	char *text;

	if (s->module ? asprintf(&text, "%s+0x%" PRIx64, base_name(s->module), s->offset) < 0
		      : asprintf(&text, "0x%" PRIx64, s->offset) < 0) {
		strings->failed = true;
		return NAMES_NONE;
	}
	number = names_add(strings, text);
	free(text);
	return number;
}

static bool is_program(const struct growth *g, uint32_t module)
{
	for (uint32_t i = 0; i < g->programs; i++)
		if (g->program[i] == module)
			return true;
	return false;
}

/* Many processes, few programs. */
static int note_programs(struct growth *g)
{
	const struct report *r = g->report;

	g->program = malloc((r->processes ? r->processes : 1) * sizeof(*g->program));
	for (uint32_t i = 0; g->program && i < r->processes; i++) {
		uint32_t exe = names_add(g->flame->strings, r->process[i].process->exe);

		if (!is_program(g, exe))
			g->program[g->programs++] = exe;
	}
	return g->program ? 0 : -1;
}

static uint32_t symbol_below(struct growth *g, uint32_t parent, const struct symbol *s)
{
	struct names *strings = g->flame->strings;
	struct key k = {.parent = parent, .outcome = NAMES_NONE};

	k.module = names_add(strings, s->module);
	if (!s->brief) {
		k.kind = FLAME_UNKNOWN;
		k.name = unnamed(strings, s);
	} else {
		k.kind = s->inlined		   ? FLAME_INLINED
			 : is_program(g, k.module) ? FLAME_PROGRAM
						   : FLAME_LIBRARY;
		k.name = names_add(strings, s->brief);
	}
	return box_below(g, &k);
}

/* The box of the timed call itself. */
static uint32_t call_below(struct growth *g, uint32_t parent, const struct report_site *s)
{
	const struct prof_function *f = &g->report->profile->function[s->function];
	struct names *strings = g->flame->strings;
	bool plain = !s->overflow && s->outcome == SCP_COMPLETED;
	struct key k = {.parent = parent, .kind = FLAME_CALL};

	k.name = names_add(strings, f->name);
	k.module = names_add(strings, f->library);
	k.outcome = plain ? NAMES_NONE : names_add(strings, report_outcome_name(s));
	return box_below(g, &k);
}

static uint32_t grow(struct growth *g, const struct report_site *s)
{
	uint32_t at = 0;

	for (uint32_t i = outer_trim(g->report, s); i-- > 0 && at != FAILED;) {
		size_t count;
		const struct symbol *symbol = report_symbols(g->report, &s->frame[i], &count);

		while (count-- > 0 && at != FAILED)
			at = symbol_below(g, at, &symbol[count]);
	}
	return at == FAILED ? at : call_below(g, at, s);
}

/* By parent, then the longest first; ties as they are read, so that the order is always the
 * same. */
static int compare_boxes(const void *left, const void *right, void *flame)
{
	const struct flame *f = flame;
	const struct flame_box *a = &f->box[*(const uint32_t *)left];
	const struct flame_box *b = &f->box[*(const uint32_t *)right];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->value_ns != b->value_ns)
		return a->value_ns > b->value_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Children of a box lie side by side in `sorted` from first[box] on. */
static void walk(const struct flame *f, const uint32_t *sorted, const uint32_t *first,
		 uint32_t *stack, struct flame_box *out, uint32_t *now)
{
	uint32_t height = 0, used = 0;

	stack[height++] = 0;
	while (height) {
		uint32_t at = stack[--height], children = 0;

		now[at] = used;
		out[used++] = f->box[at];
		while (first[at] + children < f->boxes &&
		       f->box[sorted[first[at] + children]].parent == at)
			children++;
		while (children-- > 0) /* the last is pushed first: popped last */
			stack[height++] = sorted[first[at] + children];
	}
}

static void renumber(struct flame *f, const struct report *r, const uint32_t *now)
{
	for (uint32_t i = 0; i < f->boxes; i++)
		f->box[i].parent = now[f->box[i].parent];
	for (uint32_t i = 0; i < r->sites; i++)
		f->end[i] = now[f->end[i]];
}

static int order(struct flame *f, const struct report *r)
{
	size_t n = f->boxes;
	uint32_t *work = malloc(4 * n * sizeof(*work)), *sorted = work, *first;
	struct flame_box *out = malloc(n * sizeof(*out));

	if (!work || !out) {
		free(work);
		free(out);
		return -1;
	}
	first = work + n;
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = i;
		first[i] = (uint32_t)n;
	}
	/* The top, which is its own parent, is nobody's child. */
	qsort_r(sorted + 1, n - 1, sizeof(*sorted), compare_boxes, f);
	for (uint32_t i = (uint32_t)n; i-- > 1;)
		first[f->box[sorted[i]].parent] = i;
	walk(f, sorted, first, work + 2 * n, out, work + 3 * n);
	free(f->box);
	f->box = out;
	renumber(f, r, work + 3 * n);
	free(work);
	return 0;
}

static int grow_all(struct growth *g)
{
	struct key top = {.name = NAMES_NONE, .module = NAMES_NONE, .outcome = NAMES_NONE};
	const struct report *r = g->report;
	struct flame *f = g->flame;

	f->end = malloc((r->sites ? r->sites : 1) * sizeof(*f->end));
	if (!f->end || note_programs(g) < 0 || new_box(g, &top) == FAILED)
		return -1;
	for (uint32_t i = 0; i < r->sites; i++) {
		f->end[i] = grow(g, &r->site[i]);
		if (f->end[i] == FAILED)
			return -1;
	}
	return flame_sum(f, r);
}

int flame_build(struct flame *f, struct report *r, struct names *strings)
{
	struct growth g = {.flame = f, .report = r};
	struct place *p, *next;
	int status;

	*f = (struct flame){.strings = strings};
	status = grow_all(&g);
	HASH_ITER(hh, g.places, p, next)
	{
		HASH_DEL(g.places, p);
		free(p);
	}
	free(g.program);
	if (!status)
		status = order(f, r);
	if (!status && strings->failed)
		status = -1;
	if (status)
		flame_free(f);
	return status;
}

void flame_free(struct flame *f)
{
	free(f->box);
	free(f->end);
	*f = (struct flame){0};
}
