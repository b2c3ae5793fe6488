// SPDX-License-Identifier: GPL-3.0-or-later
/* Fold processes of one program (an executable, started under one name) in one run into one and
 * their threads by name, or leave processes out. A server that forks for every request leaves
 * thousands of small profiles. Both number the elements anew, kind by kind. Each element is kept,
 * or is added to the first one with the same key, or goes with what it belonged to; what stays
 * moves down, and indices follow. Memory for all steps is taken first, so that a shortage leaves
 * the model as it was. Modules, paths and functions stay. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/model/addition.h"
#include "profile/model/model.h"

ARRAY_COMPARE(compare_processes, struct prof_process,
	      ARRAY_ORDER(a->run, b->run) ?: strcmp(a->exe, b->exe)
		      ?: strcmp(a->program, b->program))

static bool is_over(const struct prof_process *q)
{
	return q->end_state != SCP_END_RUNNING || q->end.seen > SCP_END_LIVED;
}

/* The sum keeps what both say: the same end, or that there was one. */
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

void fold_attached(struct prof_attached *d, const struct prof_attached *s)
{
	uint64_t total = d->stopped_total_ns + s->stopped_total_ns;

	if (!s->known)
		return;
	d->flags = d->known ? d->flags & s->flags : s->flags;
	d->known = true;
	PROF_MOST(d, s, stopped_ns, ran_ns);
	d->pid = d->pid ?: s->pid;
	d->stopped_total_ns = total < s->stopped_total_ns ? UINT64_MAX : total;
	d->threads = prof_add32(d->threads, s->threads);
	d->in_calls = prof_add32(d->in_calls, s->in_calls);
	for (size_t i = 0; i < sizeof(d->slots) / sizeof(uint32_t); i++) /* it has nothing else */
		((uint32_t *)&d->slots)[i] =
			prof_add32(((uint32_t *)&d->slots)[i], ((const uint32_t *)&s->slots)[i]);
}

static void add_process(void *to, void *from)
{
	struct prof_process *d = to, *s = from;

	d->count = prof_add32(d->count, s->count);
	PROF_LEAST(d, s, start_real_ns, start_mono_ns);
	if (d->end_mono_ns && (s->end_mono_ns == 0 || s->end_mono_ns > d->end_mono_ns))
		d->end_mono_ns = s->end_mono_ns;
	add_end(d, s);
	fold_attached(&d->attached, &s->attached);
}

ARRAY_COMPARE(compare_tables, struct prof_table,
	      memcmp(&a->process, &b->process, sizeof a->process)
		      ?: strncmp(a->name, b->name, sizeof a->name))

static void add_table(void *to, void *from)
{
	struct prof_table *d = to;
	const struct prof_table *s = from;

	d->threads += s->threads;
	d->live = d->live || s->live;
	PROF_ADD(d, s, time_units, nested_units, nested_calls, recording_units, recordings, walks,
		 call_units, gap_units);
	states_add_table(&d->states, &s->states);
}

/* What would have to be allocated is taken over instead: adding cannot fail. */
static void add_entry(void *to, void *from)
{
	struct prof_entry *into = to, *more = from;
	struct prof_sums *d = &into->sums, *s = &more->sums;

	into->torn = into->torn || more->torn;
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
}

static void drop_entry(void *entry)
{
	sums_clear(&((struct prof_entry *)entry)->sums);
}

static void add_gap(void *to, void *from)
{
	struct prof_gap *d = to;
	const struct prof_gap *s = from;

	PROF_ADD(d, s, calls, units, units_sq);
	PROF_MOST(d, s, max_units);
}

static void add_look(void *to, void *from)
{
	struct prof_look *d = to;
	const struct prof_look *s = from;

	PROF_ADD(d, s, calls, timed, weight, units, units_sq);
}

/* What an element belongs to is its first member: the index of an element of the kind `of`. Equal
 * ones have the same bytes up to key_bytes, or `compare` says so; none have where both are 0. Of
 * equal ones `add` makes one, if it is not enough that the first stays. */
struct kind {
	uint32_t of, key_bytes;
	int (*compare)(const void *a, const void *b);
	void (*add)(void *to, void *from);
	void (*drop)(void *element); /* frees what it has */
};

static const struct kind kinds[MODEL_FOLDED] = {
	[MODEL_PROCESS] = {.compare = compare_processes,
			   .add = add_process,
			   .drop = model_clear_process},
	[MODEL_TABLE] = {.of = MODEL_PROCESS, .compare = compare_tables, .add = add_table},
	[MODEL_ENTRY] = {.of = MODEL_TABLE,
			 .add = add_entry,
			 .drop = drop_entry,
			 .key_bytes = offsetof(struct prof_entry, outcome) + sizeof(uint16_t)},
	[MODEL_GAP] = {.of = MODEL_TABLE, .key_bytes = 3 * sizeof(uint32_t), .add = add_gap},
	[MODEL_LOOK] = {.of = MODEL_TABLE, .key_bytes = 2 * sizeof(uint32_t), .add = add_look},
	[MODEL_SLOWEST] = {.of = MODEL_ENTRY},
	[MODEL_SITE_COST] = {.of = MODEL_ENTRY, .key_bytes = sizeof(uint32_t)},
	[MODEL_SAMPLE] = {.of = MODEL_PROCESS,
			  .key_bytes = 3 * sizeof(uint32_t),
			  .add = samples_sum},
};

struct renumbering {
	struct profile *p;
	uint32_t *map[MODEL_FOLDED]; /* old index -> new one; PROF_NONE: left out */
	uint32_t *order; /* for sorting, as long as the longest; NULL: equal ones stay apart */
};

struct sorting {
	const struct kind *k;
	const char *array;
	size_t bytes; /* of an element */
};

static int compare_keys(const struct sorting *s, uint32_t a, uint32_t b)
{
	const void *x = s->array + a * s->bytes, *y = s->array + b * s->bytes;

	return s->k->compare ? s->k->compare(x, y) : memcmp(x, y, s->k->key_bytes);
}

static int compare_stable(const void *a, const void *b, void *sorting)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_keys(sorting, x, y) ?: ARRAY_ORDER(x, y);
}

/* map[i] becomes the lowest index with the same key as i. */
static void find_first(const struct renumbering *r, enum model_array kind)
{
	struct sorting s = {&kinds[kind], model_element(r->p, kind, 0), model_bytes(kind)};
	uint32_t first = 0, count = *model_count(r->p, kind), *map = r->map[kind];

	for (uint32_t i = 0; i < count; i++)
		map[i] = r->order[i] = i;
	if (!kinds[kind].compare && !kinds[kind].key_bytes)
		return;
	qsort_r(r->order, count, sizeof *r->order, compare_stable, &s);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || compare_keys(&s, r->order[i - 1], r->order[i]) != 0)
			first = r->order[i];
		map[r->order[i]] = first;
	}
}

/* Elements of one kind follow what they belong to. */
static void follow(const struct renumbering *r, enum model_array kind)
{
	for (uint32_t i = 0; i < *model_count(r->p, kind); i++) {
		uint32_t *owner = model_element(r->p, kind, i);

		*owner = r->map[kinds[kind].of][*owner];
		r->map[kind][i] = *owner == PROF_NONE ? PROF_NONE : i;
	}
}

static void rename_gap_ends(const struct renumbering *r)
{
	for (struct prof_gap *g = r->p->gap; g < r->p->gap + r->p->gaps; g++) {
		g->from = g->from == PROF_NONE ? PROF_NONE : r->map[MODEL_ENTRY][g->from];
		g->to = g->to == PROF_NONE ? PROF_NONE : r->map[MODEL_ENTRY][g->to];
	}
}

/* From "the first with this key", or PROF_NONE, to new indices. */
static void close_holes(const struct renumbering *r, enum model_array kind)
{
	const struct kind *k = &kinds[kind];
	uint32_t kept = 0, *count = model_count(r->p, kind), *map = r->map[kind];

	for (uint32_t i = 0; i < *count; i++) {
		void *element = model_element(r->p, kind, i);

		if (map[i] == i) {
			if (kept != i)
				memcpy(model_element(r->p, kind, kept), element, model_bytes(kind));
			map[i] = kept++;
			continue;
		}
		if (map[i] != PROF_NONE) {
			map[i] = map[map[i]];
			if (k->add)
				k->add(model_element(r->p, kind, map[i]), element);
		}
		if (k->drop)
			k->drop(element);
	}
	*count = kept;
}

/* The map of processes is there where equal ones stay apart. */
static void renumber(const struct renumbering *r)
{
	struct profile *p = r->p;

	for (unsigned kind = MODEL_PROCESS; kind < MODEL_FOLDED; kind++) {
		if (kind != MODEL_PROCESS)
			follow(r, kind);
		if (kind == MODEL_GAP)
			rename_gap_ends(r);
		if (r->order)
			find_first(r, kind);
		close_holes(r, kind);
	}
	ARRAY_SORT(p->site_cost, p->site_costs, array_by_number);
	p->torn_entries = 0;
	for (uint32_t i = 0; i < p->entries; i++)
		p->torn_entries += p->entry[i].torn;
}

static bool take_memory(struct renumbering *r, bool orders)
{
	size_t longest = 0;
	bool all = true;

	for (unsigned kind = MODEL_PROCESS; kind < MODEL_FOLDED; kind++) {
		size_t count = *model_count(r->p, kind);

		longest = count > longest ? count : longest;
		r->map[kind] = malloc((count + 1) * sizeof *r->map[kind]);
		all = all && r->map[kind];
	}
	if (orders)
		r->order = malloc((longest + 1) * sizeof *r->order);
	return all && (r->order || !orders);
}

static void free_memory(struct renumbering *r)
{
	for (unsigned kind = MODEL_PROCESS; kind < MODEL_FOLDED; kind++)
		free(r->map[kind]);
	free(r->order);
}

void fold_model(struct profile *p, uint32_t keep)
{
	struct renumbering r = {.p = p};

	if (p->processes <= keep)
		return;
	if (take_memory(&r, true))
		renumber(&r);
	free_memory(&r);
}

/* How many processes are left out. */
static uint32_t choose(const struct renumbering *r, const char *pattern)
{
	uint32_t left_out = 0;

	for (uint32_t i = 0; i < r->p->processes; i++) {
		const char *name = r->p->process[i].program;
		bool stays = name && !fnmatch(pattern, name, 0);

		r->map[MODEL_PROCESS][i] = stays ? i : PROF_NONE;
		left_out += !stays;
	}
	return left_out;
}

/* These sums are not known of single processes. */
static void forget_sums(struct profile *p)
{
	for (struct prof_function *f = p->function; f < p->function + p->functions; f++)
		f->overflow_calls = f->overflow_units = f->overflow_bytes = 0;
	p->losses.overflow_calls = p->losses.overflow_gaps = 0;
	p->losses.overflow_gap_units = p->losses.overflow_nested_units = 0;
	p->losses.overflow_time_units = 0;
	memset(&p->usage, 0, sizeof p->usage);
	p->usage_cpu_of = p->usage_io_of = 0;
	p->sampling.cpu_ns = 0;
	p->own_ns = 0;
}

int keep_programs(struct profile *p, const char *pattern)
{
	struct renumbering r = {.p = p};
	uint32_t left_out;
	int status = -1;

	if (take_memory(&r, false)) {
		left_out = choose(&r, pattern);
		status = left_out == p->processes ? KEEP_NONE : 0;
		if (status == 0 && left_out) {
			renumber(&r);
			forget_sums(p);
		}
	}
	free_memory(&r);
	return status;
}
