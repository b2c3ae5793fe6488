// SPDX-License-Identifier: GPL-3.0-or-later
/* Fold processes of one program (an executable, started under one name) into one, and their
 * threads by name.
 *
 * A server that forks for every request leaves thousands of small profiles.
 * Everything is regrouped in the same way: give each element the index of the
 * first one with the same key, add it to that one, close the holes. Memory for
 * all steps is taken first, so that a shortage leaves the model as it was.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/model/addition.h"
#include "profile/model/model.h"

struct fold {
	struct profile *p;
	uint32_t *process, *table, *entry, *gap, *look; /* old index -> new index */
	uint32_t *order;				/* for sorting, as long as the longest */
};

typedef int (*compare_fn)(const struct fold *f, uint32_t a, uint32_t b);

struct sorting {
	const struct fold *f;
	compare_fn compare;
};

static int by_number(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_stable(const void *a, const void *b, void *context)
{
	const struct sorting *s = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = s->compare(s->f, x, y);

	return order ? order : by_number(x, y);
}

/* map[i] becomes the lowest index with the same key as i. */
static void find_first(const struct fold *f, uint32_t count, compare_fn compare, uint32_t *map)
{
	struct sorting s = {f, compare};
	uint32_t first = 0;

	for (uint32_t i = 0; i < count; i++)
		f->order[i] = i;
	qsort_r(f->order, count, sizeof *f->order, compare_stable, &s);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || compare(f, f->order[i - 1], f->order[i]) != 0)
			first = f->order[i];
		map[f->order[i]] = first;
	}
}

/* From "first with this key" to new indices; calls `move` for a first one that
 * changes its place and `add` for the others, in order. Returns the new count. */
static uint32_t close_holes(struct fold *f, uint32_t count, uint32_t *map,
			    void (*move)(struct profile *, uint32_t to, uint32_t from),
			    void (*add)(struct profile *, uint32_t to, uint32_t from))
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (map[i] == i) {
			if (kept != i)
				move(f->p, kept, i);
			map[i] = kept++;
		} else {
			map[i] = map[map[i]];
			add(f->p, map[i], i);
		}
	}
	return kept;
}

static int compare_processes(const struct fold *f, uint32_t a, uint32_t b)
{
	const struct prof_process *x = &f->p->process[a], *y = &f->p->process[b];
	int order = strcmp(x->exe, y->exe);

	return order ? order : strcmp(x->program, y->program);
}

static void move_process(struct profile *p, uint32_t to, uint32_t from)
{
	p->process[to] = p->process[from];
}

static bool is_over(const struct prof_process *q)
{
	return q->end_state != SCP_END_RUNNING || q->end.seen > SCP_END_LIVED;
}

/* What is known of all: the same end, or that there was one. */
static void add_end(struct prof_process *d, const struct prof_process *s)
{
	bool over = is_over(d) && is_over(s),
	     open = d->end_state == SCP_END_RUNNING || s->end_state == SCP_END_RUNNING;

	if (d->end.seen != s->end.seen || d->end.value != s->end.value) {
		bool lived = d->end.seen == SCP_END_LIVED || s->end.seen == SCP_END_LIVED;

		d->end = (struct prof_end){lived	  ? SCP_END_LIVED
					   : over && open ? SCP_END_GONE
							  : SCP_END_UNSEEN,
					   0};
	}
	if (open)
		d->end_state = SCP_END_RUNNING;
}

static uint32_t add32(uint32_t a, uint32_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}

void fold_attached(struct prof_attached *d, const struct prof_attached *s)
{
	uint64_t total = d->stopped_total_ns + s->stopped_total_ns;

	if (!s->known)
		return;
	d->flags = d->known ? d->flags & s->flags : s->flags;
	d->known = true;
	d->stopped_ns = s->stopped_ns > d->stopped_ns ? s->stopped_ns : d->stopped_ns;
	d->pid = d->pid ? d->pid : s->pid;
	d->ran_ns = s->ran_ns > d->ran_ns ? s->ran_ns : d->ran_ns;
	d->stopped_total_ns = total < s->stopped_total_ns ? UINT64_MAX : total;
	d->threads = add32(d->threads, s->threads);
	d->in_calls = add32(d->in_calls, s->in_calls);
	for (size_t i = 0; i < sizeof(d->slots) / sizeof(uint32_t); i++) /* it has nothing else */
		((uint32_t *)&d->slots)[i] =
			add32(((uint32_t *)&d->slots)[i], ((const uint32_t *)&s->slots)[i]);
}

static void add_process(struct profile *p, uint32_t to, uint32_t from)
{
	struct prof_process *d = &p->process[to], *s = &p->process[from];

	d->count = add32(d->count, s->count);
	if (s->start_real_ns < d->start_real_ns)
		d->start_real_ns = s->start_real_ns;
	if (s->start_mono_ns < d->start_mono_ns)
		d->start_mono_ns = s->start_mono_ns;
	if (d->end_mono_ns && (s->end_mono_ns == 0 || s->end_mono_ns > d->end_mono_ns))
		d->end_mono_ns = s->end_mono_ns;
	add_end(d, s);
	fold_attached(&d->attached, &s->attached);
	model_clear_process(s);
}

static int compare_tables(const struct fold *f, uint32_t a, uint32_t b)
{
	const struct prof_table *x = &f->p->table[a], *y = &f->p->table[b];
	int order = by_number(x->process, y->process);

	return order ? order : strncmp(x->name, y->name, sizeof x->name);
}

static void move_table(struct profile *p, uint32_t to, uint32_t from)
{
	p->table[to] = p->table[from];
}

static void add_table(struct profile *p, uint32_t to, uint32_t from)
{
	struct prof_table *d = &p->table[to], *s = &p->table[from];

	d->threads += s->threads;
	d->live = d->live || s->live;
	d->time_units += s->time_units;
	d->nested_units += s->nested_units;
	d->nested_calls += s->nested_calls;
	d->recording_units += s->recording_units;
	d->recordings += s->recordings;
	d->walks += s->walks;
	d->call_units += s->call_units;
	d->gap_units += s->gap_units;
	states_add_table(&d->states, &s->states);
}

static int compare_entries(const struct fold *f, uint32_t a, uint32_t b)
{
	const struct prof_entry *x = &f->p->entry[a], *y = &f->p->entry[b];
	int order = by_number(x->table, y->table);

	order = order ? order : by_number(x->path, y->path);
	order = order ? order : by_number(x->function, y->function);
	return order ? order : by_number(x->outcome, y->outcome);
}

static void move_entry(struct profile *p, uint32_t to, uint32_t from)
{
	p->entry[to] = p->entry[from];
}

/* What would have to be allocated is taken over instead: adding cannot fail. */
static void add_entry(struct profile *p, uint32_t to, uint32_t from)
{
	struct prof_sums *d = &p->entry[to].sums, *s = &p->entry[from].sums;

	p->entry[to].torn = p->entry[to].torn || p->entry[from].torn;
	if (d->calls == 0) {
		struct prof_sums none = *d;

		*d = *s;
		*s = none;
	}
	hist_take(d, s);
	if (!d->phase) {
		d->phase = s->phase;
		s->phase = NULL;
	}
	if (d->calls == 0 && !d->slow) {
		d->slow = s->slow;
		s->slow = NULL;
	}
	sums_add(d, s);
	sums_clear(s);
}

static int compare_gaps(const struct fold *f, uint32_t a, uint32_t b)
{
	const struct prof_gap *x = &f->p->gap[a], *y = &f->p->gap[b];
	int order = by_number(x->table, y->table);

	order = order ? order : by_number(x->from, y->from);
	return order ? order : by_number(x->to, y->to);
}

static void move_gap(struct profile *p, uint32_t to, uint32_t from)
{
	p->gap[to] = p->gap[from];
}

static void add_gap(struct profile *p, uint32_t to, uint32_t from)
{
	struct prof_gap *d = &p->gap[to], *s = &p->gap[from];

	d->calls += s->calls;
	d->units += s->units;
	d->units_sq += s->units_sq;
	if (s->max_units > d->max_units)
		d->max_units = s->max_units;
}

static int compare_looks(const struct fold *f, uint32_t a, uint32_t b)
{
	const struct prof_look *x = &f->p->look[a], *y = &f->p->look[b];
	int order = by_number(x->table, y->table);

	return order ? order : by_number(x->function, y->function);
}

static void move_look(struct profile *p, uint32_t to, uint32_t from)
{
	p->look[to] = p->look[from];
}

static void add_look(struct profile *p, uint32_t to, uint32_t from)
{
	struct prof_look *d = &p->look[to], *s = &p->look[from];

	d->calls += s->calls;
	d->timed += s->timed;
	d->weight += s->weight;
	d->units += s->units;
	d->units_sq += s->units_sq;
}

static int take_memory(struct fold *f)
{
	const struct profile *p = f->p;
	size_t longest = p->processes;

	longest = p->tables > longest ? p->tables : longest;
	longest = p->entries > longest ? p->entries : longest;
	longest = p->gaps > longest ? p->gaps : longest;
	longest = p->looks > longest ? p->looks : longest;
	f->order = malloc((longest + 1) * sizeof *f->order);
	f->process = malloc(((size_t)p->processes + 1) * sizeof *f->process);
	f->table = malloc(((size_t)p->tables + 1) * sizeof *f->table);
	f->entry = malloc(((size_t)p->entries + 1) * sizeof *f->entry);
	f->gap = malloc(((size_t)p->gaps + 1) * sizeof *f->gap);
	f->look = malloc(((size_t)p->looks + 1) * sizeof *f->look);
	return f->order && f->process && f->table && f->entry && f->gap && f->look ? 0 : -1;
}

static void fold_all(struct fold *f)
{
	struct profile *p = f->p;

	find_first(f, p->processes, compare_processes, f->process);
	p->processes = close_holes(f, p->processes, f->process, move_process, add_process);
	for (uint32_t i = 0; i < p->tables; i++)
		p->table[i].process = f->process[p->table[i].process];
	find_first(f, p->tables, compare_tables, f->table);
	p->tables = close_holes(f, p->tables, f->table, move_table, add_table);
	for (uint32_t i = 0; i < p->entries; i++)
		p->entry[i].table = f->table[p->entry[i].table];
	find_first(f, p->entries, compare_entries, f->entry);
	p->entries = close_holes(f, p->entries, f->entry, move_entry, add_entry);
	for (uint32_t i = 0; i < p->gaps; i++) {
		struct prof_gap *g = &p->gap[i];

		g->table = f->table[g->table];
		g->from = g->from == PROF_NONE ? PROF_NONE : f->entry[g->from];
		g->to = g->to == PROF_NONE ? PROF_NONE : f->entry[g->to];
	}
	site_cost_fold(p, f->entry);
	for (uint32_t i = 0; i < p->slowests; i++)
		p->slowest[i].entry = f->entry[p->slowest[i].entry];
	find_first(f, p->gaps, compare_gaps, f->gap);
	p->gaps = close_holes(f, p->gaps, f->gap, move_gap, add_gap);
	for (uint32_t i = 0; i < p->looks; i++)
		p->look[i].table = f->table[p->look[i].table];
	find_first(f, p->looks, compare_looks, f->look);
	p->looks = close_holes(f, p->looks, f->look, move_look, add_look);
	p->torn_entries = 0;
	for (uint32_t i = 0; i < p->entries; i++)
		p->torn_entries += p->entry[i].torn;
}

void fold_model(struct profile *p, uint32_t keep)
{
	struct fold f = {.p = p};

	if (p->processes <= keep)
		return;
	if (take_memory(&f) == 0)
		fold_all(&f);
	free(f.order);
	free(f.process);
	free(f.table);
	free(f.entry);
	free(f.gap);
	free(f.look);
}
