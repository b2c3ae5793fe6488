// SPDX-License-Identifier: GPL-3.0-or-later
/* Counts are of 32 bits; where a sum does not fit, its slot no longer adds up and is not known. */

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/model/addition.h"

#define LEAST_OCTAVES 2

void tails_double(struct prof_tail *t, uint32_t pairs)
{
	for (uint32_t i = 0; i < pairs; i++)
		for (uint32_t k = 0; k < SCP_TAIL_OCTAVES; k++)
			t->calls[i][k] = prof_add32(t->calls[2 * i][k], t->calls[2 * i + 1][k]);
}

/* One slot by other octaves: shorter calls to the first, longer ones to the last. */
static void put_slot(uint32_t *to, const struct prof_tail *as, const uint32_t *from, uint32_t first,
		     uint32_t octaves)
{
	uint32_t sum[SCP_TAIL_OCTAVES] = {0};

	for (uint32_t k = 0; k < octaves; k++) {
		uint32_t at = first + k < as->first ? 0 : first + k - as->first;

		at = at < as->octaves ? at : as->octaves - 1;
		sum[at] = prof_add32(sum[at], from[k]);
	}
	memcpy(to, sum, sizeof sum);
}

/* The octaves that both have; false: too few. */
static bool common(const struct prof_tail *a, const struct prof_tail *b, struct prof_tail *as)
{
	uint64_t end_a = (uint64_t)a->first + a->octaves, end_b = (uint64_t)b->first + b->octaves;
	uint64_t end = end_a < end_b ? end_a : end_b;

	as->first = a->first > b->first ? a->first : b->first;
	if (end < (uint64_t)as->first + LEAST_OCTAVES)
		return false;
	as->octaves = (uint32_t)(end - as->first);
	return true;
}

static void append(struct prof_tail *to, uint32_t at, const struct prof_tail *from, uint32_t count,
		   const struct prof_tail *as)
{
	for (uint32_t i = 0; i < at; i++)
		put_slot(to->calls[i], as, to->calls[i], to->first, to->octaves);
	for (uint32_t i = 0; i < count; i++)
		put_slot(to->calls[at + i], as, from->calls[i], from->first, from->octaves);
	PROF_SET(to, as, first, octaves);
}

void tails_append(struct prof_tail **to, uint32_t at, const struct prof_tail *from, uint32_t count)
{
	struct prof_tail as;

	if (*to && !from) {
		memset((*to)->calls + at, 0, count * sizeof(*to)->calls[0]);
		return;
	}
	if (!*to && from) {
		*to = array_copy(from, sizeof *from);
		if (!*to)
			return;
		memset((*to)->calls, 0, sizeof(*to)->calls);
	}
	if (!*to)
		return;
	if (common(*to, from, &as)) {
		append(*to, at, from, count, &as);
		return;
	}
	free(*to);
	*to = NULL;
}

/* The stretches of unbatched calls, thread by thread and batch by batch. */

static void add_stretch(struct prof_apart *sum, prof_u128 calls, prof_u128 units, prof_u128 slow)
{
	sum->stretches++;
	sum->calls_sq += calls * calls;
	sum->calls_units += calls * units;
	sum->units_sq += units * units;
	sum->slow_calls_units += calls * slow;
	sum->slow_units_sq += slow * slow;
}

/* NULL: the slow clock has no batches over the same calls. */
static const uint64_t *slow_sums(const struct prof_sums *s)
{
	return s->slow && s->slow->batches.count == s->batches.count ? s->slow->batches.sum : NULL;
}

/* What is left of one thread is one stretch. */
static void add_rest(struct prof_apart *sum, const struct prof_sums *s, uint64_t slow_units,
		     uint32_t kept)
{
	const uint64_t *slow = slow_sums(s);
	uint64_t calls = s->calls - kept * s->batches.calls, units = s->units;

	for (uint32_t i = 0; i < kept; i++) {
		units -= s->batches.sum[i];
		slow_units -= slow ? slow[i] : 0;
	}
	if (calls)
		add_stretch(sum, calls, units, slow_units);
}

void unbatched_add(struct prof_apart *sum, const struct prof_sums *s, uint64_t slow_units,
		   uint64_t calls)
{
	const uint64_t *slow = slow_sums(s);
	uint64_t each = s->batches.calls;
	uint32_t kept = 0;

	if (calls && each && s->batches.count) {
		uint64_t group = calls / each ? calls / each : 1;

		kept = (uint32_t)(s->batches.count / group * group);
	}
	if (!s->apart) {
		add_rest(sum, s, slow_units, kept);
		return;
	}
	PROF_ADD(sum, s->apart, stretches, calls_sq, calls_units, units_sq, slow_calls_units,
		 slow_units_sq);
	for (uint32_t i = kept; i < s->batches.count; i++)
		add_stretch(sum, each, s->batches.sum[i], slow ? slow[i] : 0);
}
