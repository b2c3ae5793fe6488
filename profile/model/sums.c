// SPDX-License-Identifier: GPL-3.0-or-later
/* Adding up what two sites, threads or processes recorded. All sums are integers and simply add.
 * What is kept batch by batch does not: see batches.c. */

#include <stdlib.h>

#include "profile/model/addition.h"
#include "profile/model/call_sums.h"

/* A sample of the calls: both samples together. */
static int add_phase(struct prof_sums *dst, const struct prof_sums *src)
{
	if (!src->phase)
		return 0;
	if (!dst->phase && !(dst->phase = calloc(1, sizeof *dst->phase)))
		return -1;
	for (uint32_t i = 0; i < SCP_PHASE_BINS; i++)
		dst->phase->count[i] += src->phase->count[i];
	return 0;
}

/* The slow sums have no count of calls of their own: they mean something only
 * where they cover all calls, so half of them is none. */
static int add_slow(struct prof_sums *dst, const struct prof_sums *src)
{
	struct prof_slow *d = dst->slow;
	const struct prof_slow *s = src->slow;

	if (dst->calls == 0 && !d && s) {
		dst->slow = malloc(sizeof *s);
		if (!dst->slow)
			return -1;
		*dst->slow = *s;
		dst->slow->batches = (struct prof_batches){0}; /* they come with the others */
		return 0;
	}
	if (!d || (!s && src->calls == 0))
		return 0;
	if (!s) {
		free(d->batches.sum);
		PROF_FREE(dst, slow);
		return 0;
	}
	PROF_ADD(d, s, units, units_sq);
	PROF_MOST(d, s, max_units);
	return 0;
}

static void add_extremes(struct prof_sums *dst, const struct prof_sums *src)
{
	if (dst->calls == 0) {
		PROF_SET(dst, src, min_units, max_units, max_at, first_at, first_units, last_at);
		return;
	}
	PROF_LEAST(dst, src, min_units);
	if (src->max_units > dst->max_units)
		PROF_SET(dst, src, max_units, max_at);
	if (src->first_at < dst->first_at)
		PROF_SET(dst, src, first_at, first_units);
	PROF_MOST(dst, src, last_at);
}

int sums_add(struct prof_sums *dst, const struct prof_sums *src)
{
	if (hist_make_room(dst, src) || add_phase(dst, src) || add_slow(dst, src))
		return -1;
	states_add(dst, src, batches_append(dst, src));
	hist_add(dst, src);
	if (src->calls)
		add_extremes(dst, src);
	PROF_ADD(dst, src, calls, units, units_sq, bytes, bytes_sq, bytes_units, inner_calls);
	dst->has_bytes = dst->has_bytes || src->has_bytes;
	for (unsigned i = 0; i < SCP_WAYS; i++)
		dst->way_calls[i] += src->way_calls[i];
	states_settle(dst);
	return 0;
}

void sums_free(struct prof_sums *s)
{
	hist_free(s->hist);
	if (s->slow)
		free(s->slow->batches.sum);
	PROF_FREE(s, first, batches.sum, slow, phase, line, tail, apart);
	states_free(s->states);
}

void sums_clear(struct prof_sums *s)
{
	sums_free(s);
	*s = (struct prof_sums){0};
}
