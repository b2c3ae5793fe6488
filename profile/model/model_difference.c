// SPDX-License-Identifier: GPL-3.0-or-later
/* What happened between two readings of the same files. Both readings are added to one model, so
 * that equal paths and functions are one already; then the calls of the first are subtracted from
 * those of the second, path by path. */

#include <stdlib.h>

#include "profile/base/array.h"
#include "profile/model/model.h"

struct part {
	uint32_t path, function;
	uint16_t outcome, reading; /* 0: the first, 1: the second */
	bool has_bytes;
	uint64_t calls, units, bytes, inner_calls;
	prof_u128 units_sq;
};

#define PART_SUMS calls, units, bytes, inner_calls, units_sq

int model_difference_mark(const struct profile *p, struct model_mark *m)
{
	*m = (struct model_mark){.entries = p->entries, .functions = p->functions};
	m->overflow = calloc((size_t)p->functions + 1, sizeof(*m->overflow));
	if (!m->overflow)
		return -1;
	for (uint32_t i = 0; i < p->functions; i++)
		m->overflow[i] = (struct profile_overflow){p->function[i].overflow_calls,
							   p->function[i].overflow_units,
							   p->function[i].overflow_bytes};
	return 0;
}

void model_difference_mark_free(struct model_mark *m)
{
	free(m->overflow);
	*m = (struct model_mark){0};
}

/* Those of one place together, the first reading's before the second's. */
ARRAY_COMPARE(by_place, struct part, PROF_ORDER(a, b, path, function, outcome, reading))

static bool same_place(const struct part *a, const struct part *b)
{
	return a->path == b->path && a->function == b->function && a->outcome == b->outcome;
}

static struct part part_of(const struct prof_entry *e, uint16_t reading)
{
	struct part part = {.reading = reading};

	PROF_SET(&part, e, path, function, outcome);
	PROF_SET(&part, &e->sums, has_bytes, PART_SUMS);
	return part;
}

/* From the parts of one place: what is in *now less what is in *before. False: nothing happened, or
 * the place went backwards, so it is not counted. */
static bool subtract(const struct part *part, uint32_t count, struct part *now)
{
	struct part before = {0};

	*now = (struct part){
		.path = part->path, .function = part->function, .outcome = part->outcome};
	for (uint32_t i = 0; i < count; i++) {
		struct part *to = part[i].reading ? now : &before;

		to->has_bytes = to->has_bytes || part[i].has_bytes;
		PROF_ADD(to, &part[i], PART_SUMS);
	}
	if (PROF_ANY_LESS(now, &before, PART_SUMS))
		return false;
	PROF_SUBTRACT(now, &before, PART_SUMS);
	return now->calls > 0;
}

static void put_entry(struct prof_entry *e, const struct part *part)
{
	sums_clear(&e->sums);
	*e = (struct prof_entry){0};
	PROF_SET(e, part, path, function, outcome);
	PROF_SET(&e->sums, part, has_bytes, PART_SUMS);
}

/* `part`: sorted; of all entries. */
static void put_entries(struct profile *p, const struct part *part, uint32_t parts)
{
	struct profile_size size = profile_size(p);
	uint32_t *entries = &size.count[MODEL_ENTRY], count;
	struct part now;

	*entries = size.count[MODEL_GAP] = size.count[MODEL_SLOWEST] = size.count[MODEL_LOOK] = 0;
	for (uint32_t i = 0; i < parts; i += count) {
		for (count = 1; i + count < parts && same_place(&part[i], &part[i + count]);)
			count++;
		if (subtract(&part[i], count, &now))
			put_entry(&p->entry[(*entries)++], &now);
	}
	size.count[MODEL_PROCESS] = p->processes ? 1 : 0;
	size.count[MODEL_TABLE] = p->tables ? 1 : 0;
	profile_shrink(p, &size);
	if (p->processes)
		p->process[0].count = 1;
	if (p->tables) {
		p->table[0].process = 0;
		p->table[0].live = false;
		p->table[0].states = (struct prof_table_states){0};
	}
}

/* The model holds both readings: the first one twice. */
static uint64_t difference(uint64_t both, uint64_t first)
{
	return both - first > first ? both - first - first : 0;
}

static void put_overflow(struct profile *p, const struct model_mark *m)
{
	for (uint32_t i = 0; i < m->functions; i++) {
		struct prof_function *f = &p->function[i];
		const struct profile_overflow *o = &m->overflow[i];

		f->overflow_calls = difference(f->overflow_calls, o->calls);
		f->overflow_units = difference(f->overflow_units, o->units);
		f->overflow_bytes = difference(f->overflow_bytes, o->bytes);
	}
}

int model_difference_make(struct profile *p, const struct model_mark *m)
{
	struct part *part = malloc(((size_t)p->entries + 1) * sizeof(*part));

	if (!part)
		return -1;
	for (uint32_t i = 0; i < p->entries; i++)
		part[i] = part_of(&p->entry[i], i >= m->entries);
	ARRAY_SORT(part, p->entries, by_place);
	put_entries(p, part, p->entries);
	put_overflow(p, m);
	p->switches = (struct scp_switches){0}; /* of no such entry are states kept */
	p->usage = (struct scp_usage){0};	/* of whole lives, not of the time between */
	p->usage_cpu_of = p->usage_io_of = 0;
	free(part);
	return 0;
}
