// SPDX-License-Identifier: GPL-3.0-or-later
/* What happened between two readings of the same files. Both readings are added to one model, so
 * that equal paths and functions are one already; then the calls of the first are subtracted from
 * those of the second, path by path. */

#include <stdlib.h>

#include "profile/model/model.h"

struct part {
	uint32_t path, function;
	uint16_t outcome;
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

static int by_place(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return ARRAY_ORDER(x->path, y->path)
		       ?: ARRAY_ORDER(x->function, y->function)
		       ?: ARRAY_ORDER(x->outcome, y->outcome);
}

static struct part part_of(const struct prof_entry *e)
{
	struct part part = {.path = e->path, .function = e->function, .outcome = e->outcome};

	PROF_SET(&part, &e->sums, has_bytes, PART_SUMS);
	return part;
}

static void add(struct part *to, const struct part *more)
{
	to->has_bytes = to->has_bytes || more->has_bytes;
	PROF_ADD(to, more, PART_SUMS);
}

/* Sorted, and one for each place. Returns how many are left. */
static uint32_t join(struct part *part, uint32_t count)
{
	uint32_t kept = 0;

	if (count)
		qsort(part, count, sizeof(*part), by_place);
	for (uint32_t i = 0; i < count; i++) {
		if (kept && by_place(&part[kept - 1], &part[i]) == 0)
			add(&part[kept - 1], &part[i]);
		else
			part[kept++] = part[i];
	}
	return kept;
}

/* false: nothing happened, or the place went backwards, so it is not counted. */
static bool subtract(struct part *now, const struct part *before)
{
	if (before) {
		if (PROF_ANY_LESS(now, before, PART_SUMS))
			return false;
		PROF_SUBTRACT(now, before, PART_SUMS);
	}
	return now->calls > 0;
}

static void put_entry(struct prof_entry *e, const struct part *part)
{
	sums_clear(&e->sums);
	*e = (struct prof_entry){0};
	PROF_SET(e, part, path, function, outcome);
	PROF_SET(&e->sums, part, has_bytes, PART_SUMS);
}

/* `before` and `now` are sorted; there are at least as many entries as places. */
static void put_entries(struct profile *p, const struct part *before, uint32_t befores,
			struct part *now, uint32_t nows)
{
	struct profile_size size = profile_size(p);
	uint32_t k = 0, *entries = &size.count[MODEL_ENTRY];

	*entries = size.count[MODEL_GAP] = size.count[MODEL_SLOWEST] = size.count[MODEL_LOOK] = 0;
	for (uint32_t i = 0; i < nows; i++) {
		while (k < befores && by_place(&before[k], &now[i]) < 0)
			k++;
		if (subtract(&now[i],
			     k < befores && by_place(&before[k], &now[i]) == 0 ? &before[k] : NULL))
			put_entry(&p->entry[(*entries)++], &now[i]);
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

static void put_overflow(struct profile *p, const struct model_mark *m)
{
	for (uint32_t i = 0; i < m->functions; i++) {
		struct prof_function *f = &p->function[i];
		const struct profile_overflow *o = &m->overflow[i];

		/* the model holds both readings: the first one twice */
		f->overflow_calls -= o->calls;
		f->overflow_units -= o->units;
		f->overflow_bytes -= o->bytes;
		f->overflow_calls -= f->overflow_calls < o->calls ? f->overflow_calls : o->calls;
		f->overflow_units -= f->overflow_units < o->units ? f->overflow_units : o->units;
		f->overflow_bytes -= f->overflow_bytes < o->bytes ? f->overflow_bytes : o->bytes;
	}
}

int model_difference_make(struct profile *p, const struct model_mark *m)
{
	uint32_t after = p->entries - m->entries;
	struct part *before = calloc((size_t)m->entries + 1, sizeof(*before));
	struct part *now = calloc((size_t)after + 1, sizeof(*now));

	if (!before || !now) {
		free(before);
		free(now);
		return -1;
	}
	for (uint32_t i = 0; i < m->entries; i++)
		before[i] = part_of(&p->entry[i]);
	for (uint32_t i = 0; i < after; i++)
		now[i] = part_of(&p->entry[m->entries + i]);
	put_entries(p, before, join(before, m->entries), now, join(now, after));
	put_overflow(p, m);
	p->switches = (struct scp_switches){0}; /* of no such entry are states kept */
	p->usage = (struct scp_usage){0};	/* of whole lives, not of the time between */
	p->usage_cpu_of = p->usage_io_of = 0;
	free(before);
	free(now);
	return 0;
}
