// SPDX-License-Identifier: GPL-3.0-or-later
/* Builds the tree site by site. */
#include "report/render/stacks/flame.h"

#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/render/stacks/stacks.h"
#include "profile/base/array.h"
#include "report/model/sites.h"
#include "report/wording/utf8.h"

struct growth {
	struct flame *flame;
	struct report *report;
	struct pairs boxes;	  /* by parent and label: all but the top, in their order */
	struct string_index keys; /* labels by their numbers */
	uint32_t *of_symbol;	  /* labels by number of the symbol; STRING_INDEX_NONE: none yet */
	uint32_t label_room, symbol_room, room;
	uint32_t *program; /* texts: what the processes executed */
	uint32_t programs;
	bool halves; /* what waits has a tree of its own */
};

#define FAILED UINT32_MAX

static uint32_t new_box(struct growth *g, uint32_t parent, uint32_t number)
{
	const struct flame_label *label = &g->flame->label[number];
	struct flame *f = g->flame;

	if (!array_reach((void **)&f->box, &g->room, f->boxes, sizeof(*f->box), 0))
		return FAILED;
	f->box[f->boxes] = (struct flame_box){.depth = f->boxes ? f->box[parent].depth + 1 : 0,
					      .label = number,
					      .parent = parent};
	PROF_SET(&f->box[f->boxes], label, kind, name, module, outcome);
	return f->boxes++;
}

static uint32_t box_below(struct growth *g, uint32_t parent, uint32_t label)
{
	uint32_t number = label == FAILED ? FAILED : pairs_add(&g->boxes, parent, label);

	if (number == PAIRS_NONE)
		return FAILED;
	return number + 1 == g->flame->boxes ? new_box(g, parent, label) : number + 1;
}

/* Equal labels have one number. */
static uint32_t number_label(struct growth *g, const struct flame_label *l)
{
	struct flame *f = g->flame;
	char key[64];

	snprintf(key, sizeof(key), "%x %x %x %x", l->kind, l->name, l->module, l->outcome);
	uint32_t number = string_index_add(&g->keys, key);
	if (!array_reach((void **)&f->label, &g->label_room, number, sizeof(*f->label), 0))
		return FAILED;
	if (number == f->labels)
		f->label[f->labels++] = *l;
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
		uint32_t exe = string_index_add(g->flame->strings, r->process[i].process->exe);

		if (!is_program(g, exe))
			g->program[g->programs++] = exe;
	}
	return g->program ? 0 : -1;
}

/* Where a function of an interpreted language begins stands where others have their module. */
static uint32_t source_place(struct string_index *strings, const struct symbol *s)
{
	if (!s->file || !s->declared)
		return string_index_add(strings, s->file);
	return string_index_take(strings, utf8_text("%s:%d", s->file, s->declared));
}

static uint32_t label_symbol(struct growth *g, const struct symbol *s)
{
	struct string_index *strings = g->flame->strings;
	struct flame_label l = {.outcome = STRING_INDEX_NONE};

	l.module = s->language ? source_place(strings, s) : string_index_add(strings, s->module);
	if (!s->brief) {
		l.kind = FLAME_UNKNOWN;
		l.name = string_index_take(strings,
					   stacks_place_name(s)); /* each is a box of its own */
	} else {
		bool own = s->language ? !s->library : is_program(g, l.module);

		l.kind = s->inlined ? FLAME_INLINED : own ? FLAME_PROGRAM : FLAME_LIBRARY;
		l.name = string_index_add(strings, s->brief);
	}
	return number_label(g, &l);
}

static uint32_t symbol_below(struct growth *g, uint32_t parent, const struct symbol *s)
{
	if (!array_reach((void **)&g->of_symbol, &g->symbol_room, s->number, sizeof(*g->of_symbol),
			 0xff))
		return FAILED;
	uint32_t *known = &g->of_symbol[s->number];
	if (*known == STRING_INDEX_NONE)
		*known = label_symbol(g, s);
	return box_below(g, parent, *known);
}

static uint32_t call_below(struct growth *g, uint32_t parent, const struct report_site *s)
{
	const struct prof_function *f = &g->report->profile->function[s->function];
	struct string_index *strings = g->flame->strings;
	bool plain = !s->overflow && s->outcome == SCP_COMPLETED;
	struct flame_label l = {.kind = FLAME_CALL};

	l.name = string_index_add(strings, f->name);
	l.module = string_index_add(strings, f->library);
	l.outcome = plain ? STRING_INDEX_NONE : string_index_add(strings, report_names_outcome(s));
	return box_below(g, parent, number_label(g, &l));
}

/* Else the longest wait would leave no width for what the program does. */
static uint32_t half_of(struct growth *g, const struct report_site *s)
{
	struct flame_label l = {s->waits ? FLAME_WAITING : FLAME_WORK, STRING_INDEX_NONE,
				STRING_INDEX_NONE, STRING_INDEX_NONE};

	return g->halves ? box_below(g, 0, number_label(g, &l)) : 0;
}

/* Where programs are apart, each has its own tree. */
static uint32_t program_below(struct growth *g, uint32_t parent, const struct report_site *s)
{
	const struct report *r = g->report;
	struct string_index *strings = g->flame->strings;
	struct flame_label l = {.kind = FLAME_PROGRAM, .outcome = STRING_INDEX_NONE};

	if (!r->apart || s->program >= r->programs || parent == FAILED)
		return parent;
	l.name = string_index_add(strings, r->program[s->program].name);
	l.module = string_index_add(strings, r->program[s->program].first->exe);
	return box_below(g, parent, number_label(g, &l));
}

static uint32_t grow(struct growth *g, const struct report_site *s)
{
	uint32_t at = program_below(g, half_of(g, s), s);

	for (uint32_t i = frame_symbols_trim_startup(g->report, s); i-- > 0 && at != FAILED;) {
		size_t count;
		const struct symbol *symbol = frame_symbols_find(g->report, &s->frame[i], &count);

		while (count-- > 0 && at != FAILED)
			at = symbol_below(g, at, &symbol[count]);
	}
	return at == FAILED || computing_is(s) ? at : call_below(g, at, s);
}

static void add_site(struct flame_box *b, const struct report_site *s, uint32_t index)
{
	uint64_t aside = s->steadiness.warmup_aside ? s->steadiness.warmup_calls : 0;
	double calls = (double)(s->calls - aside);

	if (!b->sites++)
		b->site = index;
	b->value_ns += fmax(s->total_ns, 0);
	b->calls += s->calls;
	b->aside += aside;
	b->bytes += s->bytes;
	b->has_bytes = b->has_bytes || s->has_bytes;
	b->unreliable |= s->estimate.unreliable;
	b->mean_ns += calls * s->estimate.mean;
	b->on_cpu_ns += calls * (s->states.known ? s->states.on_cpu.mean : NAN);
	b->runnable_ns += calls * (s->states.known ? s->states.runnable.mean : NAN);
	b->asleep_ns += calls * (s->states.known ? s->states.asleep.mean : NAN);
}

/* So far the mean is a sum. */
static void fill_mean(struct flame_box *b, const struct report *r)
{
	static const struct mean_interval none = {.mean = NAN, .low = NAN, .high = NAN};
	const struct mean_interval *e = b->sites ? &r->site[b->site].estimate : &none;
	bool alone = b->sites <= 1;

	b->mean_ns = alone ? e->mean : b->mean_ns / (double)(b->calls - b->aside);
	b->low_ns = alone ? e->low : NAN;
	b->high_ns = alone ? e->high : NAN;
}

/* Of all threads' time, as of rows; without that, of all calls. */
static void fill_shares(struct flame *f, const struct report *r)
{
	double of_ns = r->time_ns > 0 ? fmax(r->time_ns, f->box[0].value_ns) : f->box[0].value_ns;

	for (uint32_t i = 0; i < f->boxes; i++) {
		struct flame_box *b = &f->box[i];

		b->waits = b->kind == FLAME_WAITING || (i && f->box[b->parent].waits);
		b->share = of_ns > 0 ? b->value_ns / of_ns : NAN;
	}
}

static void sum_up(struct flame *f, const struct report *r)
{
	for (uint32_t i = 0; i < r->sites; i++)
		for (uint32_t at = f->end[i];; at = f->box[at].parent) {
			add_site(&f->box[at], &r->site[i], i);
			if (!at)
				break;
		}
	for (uint32_t i = 0; i < f->boxes; i++)
		fill_mean(&f->box[i], r);
	fill_shares(f, r);
}

/* -1: out of memory. */
static int grow_computing(struct growth *g)
{
	struct flame *f = g->flame;

	for (uint32_t i = 0; i < computing_paths(g->report); i++) {
		const struct report_site path = computing_site(g->report, i);
		uint32_t at = grow(g, &path);

		if (at == FAILED)
			return -1;
		for (;; at = f->box[at].parent) {
			f->box[at].computing_ns += path.total_ns;
			if (!at)
				break;
		}
	}
	return 0;
}

static int grow_all(struct growth *g)
{
	struct flame_label top = {FLAME_TOP, STRING_INDEX_NONE, STRING_INDEX_NONE,
				  STRING_INDEX_NONE};
	const struct report *r = g->report;
	struct flame *f = g->flame;

	f->end = malloc((r->sites ? r->sites : 1) * sizeof(*f->end));
	if (!f->end || note_programs(g) < 0 || number_label(g, &top) == FAILED ||
	    new_box(g, 0, 0) == FAILED)
		return -1;
	for (uint32_t i = 0; i < r->sites; i++)
		g->halves = g->halves || r->site[i].waits;
	for (uint32_t i = 0; i < r->sites; i++) {
		f->end[i] = grow(g, &r->site[i]);
		if (f->end[i] == FAILED)
			return -1;
	}
	if (grow_computing(g) < 0)
		return -1;
	sum_up(f, r);
	return 0;
}

static void free_growth(struct growth *g)
{
	pairs_clear(&g->boxes);
	string_index_clear(&g->keys);
	PROF_FREE(g, of_symbol, program);
}

int flame_build(struct flame *f, struct report *r, struct string_index *strings)
{
	struct growth g = {.flame = f, .report = r};

	*f = (struct flame){.strings = strings};
	int status = computing_find(r) < 0 ? -1 : grow_all(&g);
	free_growth(&g);
	if (!status)
		status = flame_order(f, r->sites);
	if (!status && strings->failed)
		status = -1;
	if (status)
		flame_free(f);
	return status;
}

void flame_free(struct flame *f)
{
	PROF_FREE(f, box, label, end);
	*f = (struct flame){0};
}
