// SPDX-License-Identifier: GPL-3.0-or-later
/* Adding up what two sites, threads or processes recorded.
 *
 * All sums are integers and simply add. What is kept batch by batch does not: see
 * batches.c.
 */
#include <stdlib.h>

#include "profile/model/batches.h"
#include "profile/model/states.h"
#include "stats/histogram/histogram.h"

static void add_hist(struct prof_hist *dst, const struct prof_sums *src)
{
	if (src->hist_of_one)
		dst->count[histogram_bucket(src->units)]++;
	for (size_t i = 0; src->hist && i < sizeof dst->count / sizeof dst->count[0]; i++)
		dst->count[i] += src->hist->count[i];
}

const struct prof_hist *sums_hist(const struct prof_sums *s, struct prof_hist *room)
{
	if (!s->hist_of_one)
		return s->hist;
	*room = (struct prof_hist){0};
	add_hist(room, s);
	return room;
}

/* A histogram for what comes: most of a million sites have one call, and need none. */
static int make_hist(struct prof_sums *s)
{
	struct prof_hist *made = calloc(1, sizeof *made);

	if (!made)
		return -1;
	add_hist(made, s);
	s->hist = made;
	s->hist_of_one = false;
	return 0;
}

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
		free(d);
		dst->slow = NULL;
		return 0;
	}
	d->units += s->units;
	d->units_sq += s->units_sq;
	if (s->max_units > d->max_units)
		d->max_units = s->max_units;
	return 0;
}

static void add_extremes(struct prof_sums *dst, const struct prof_sums *src)
{
	if (dst->calls == 0) {
		dst->min_units = src->min_units;
		dst->max_units = src->max_units;
		dst->max_at = src->max_at;
		dst->first_at = src->first_at;
		dst->first_units = src->first_units;
		dst->last_at = src->last_at;
		return;
	}
	if (src->min_units < dst->min_units)
		dst->min_units = src->min_units;
	if (src->max_units > dst->max_units) {
		dst->max_units = src->max_units;
		dst->max_at = src->max_at;
	}
	if (src->first_at < dst->first_at) {
		dst->first_at = src->first_at;
		dst->first_units = src->first_units;
	}
	if (src->last_at > dst->last_at)
		dst->last_at = src->last_at;
}

static bool is_empty(const struct prof_sums *s)
{
	return s->calls == 0 && !sums_has_hist(s);
}

static bool needs_hist(const struct prof_sums *dst, const struct prof_sums *src)
{
	return !dst->hist && (src->hist || (src->hist_of_one && !is_empty(dst)) ||
			      (dst->hist_of_one && src->calls));
}

void sums_take_hist(struct prof_sums *dst, struct prof_sums *src)
{
	if (!dst->hist && src->hist) {
		struct prof_hist *taken = src->hist;

		src->hist = NULL;
		add_hist(taken, dst);
		dst->hist = taken;
		dst->hist_of_one = false;
	} else if (needs_hist(dst, src) && make_hist(dst)) {
		dst->hist_of_one = src->hist_of_one = false;
	}
}

int sums_add(struct prof_sums *dst, const struct prof_sums *src)
{
	bool first = is_empty(dst);

	if (needs_hist(dst, src) && make_hist(dst))
		return -1;
	if (add_phase(dst, src) || add_slow(dst, src))
		return -1;
	states_add(dst, src, batches_append(dst, src));
	if (dst->hist)
		add_hist(dst->hist, src);
	else if (first)
		dst->hist_of_one = src->hist_of_one;
	if (src->calls)
		add_extremes(dst, src);
	dst->calls += src->calls;
	dst->units += src->units;
	dst->units_sq += src->units_sq;
	dst->has_bytes = dst->has_bytes || src->has_bytes;
	dst->bytes += src->bytes;
	dst->bytes_sq += src->bytes_sq;
	dst->bytes_units += src->bytes_units;
	dst->inner_calls += src->inner_calls;
	states_settle(dst);
	return 0;
}

void sums_free(const struct prof_sums *s)
{
	free(s->hist);
	free(s->batches.sum);
	if (s->slow)
		free(s->slow->batches.sum);
	free(s->slow);
	free(s->phase);
	free(s->line);
	free(s->tail);
	free(s->apart);
	states_free(s->states);
}

void sums_clear(struct prof_sums *s)
{
	sums_free(s);
	*s = (struct prof_sums){0};
}
