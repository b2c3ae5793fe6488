// SPDX-License-Identifier: GPL-3.0-or-later
/* Adding up what two sites, threads or processes recorded.
 *
 * All sums are integers and simply add. Batches do not: they stay a sequence
 * of equally long runs of calls, for the serial covariance.
 */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* Pairs of neighbours become one batch; an odd last one is dropped. */
static void double_batches(struct prof_batches *b)
{
	b->count /= 2;
	for (uint32_t i = 0; i < b->count; i++)
		b->sum[i] = b->sum[2 * i] + b->sum[2 * i + 1];
	b->calls *= 2;
}

static void bring_to_size(struct prof_batches *b, uint64_t calls)
{
	while (b->count && b->calls < calls)
		double_batches(b);
}

/* Both sequences, one after the other, in at most SCP_BATCHES batches. */
static void add_batches(struct prof_batches *dst, const struct prof_batches *src)
{
	struct prof_batches more = *src;

	if (more.count == 0)
		return;
	if (dst->count == 0) {
		*dst = more;
		return;
	}
	bring_to_size(&more, dst->calls);
	bring_to_size(dst, more.calls);
	if (dst->count == 0) {
		*dst = more;
		return;
	}
	while (dst->count + more.count > SCP_BATCHES) {
		double_batches(dst);
		double_batches(&more);
	}
	memcpy(dst->sum + dst->count, more.sum, more.count * sizeof more.sum[0]);
	dst->count += more.count;
}

static void add_hist(struct prof_sums *dst, const struct prof_sums *src)
{
	for (size_t i = 0; i < sizeof dst->hist->count / sizeof dst->hist->count[0]; i++)
		dst->hist->count[i] += src->hist->count[i];
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
		return 0;
	}
	if (!d || (!s && src->calls == 0))
		return 0;
	if (!s) {
		free(d);
		dst->slow = NULL;
		return 0;
	}
	d->units += s->units;
	d->units_sq += s->units_sq;
	if (s->max_units > d->max_units)
		d->max_units = s->max_units;
	add_batches(&d->batches, &s->batches);
	return 0;
}

static void add_extremes(struct prof_sums *dst, const struct prof_sums *src)
{
	if (dst->calls == 0) {
		dst->min_units = src->min_units;
		dst->max_units = src->max_units;
		dst->first_at = src->first_at;
		dst->last_at = src->last_at;
		return;
	}
	if (src->min_units < dst->min_units)
		dst->min_units = src->min_units;
	if (src->max_units > dst->max_units)
		dst->max_units = src->max_units;
	if (src->first_at < dst->first_at)
		dst->first_at = src->first_at;
	if (src->last_at > dst->last_at)
		dst->last_at = src->last_at;
}

int prof_sums_add(struct prof_sums *dst, const struct prof_sums *src)
{
	if (src->hist && !dst->hist) {
		dst->hist = calloc(1, sizeof *dst->hist);
		if (!dst->hist)
			return -1;
	}
	if (add_slow(dst, src))
		return -1;
	if (src->hist)
		add_hist(dst, src);
	if (src->calls)
		add_extremes(dst, src);
	dst->calls += src->calls;
	dst->units += src->units;
	dst->units_sq += src->units_sq;
	dst->has_bytes = dst->has_bytes || src->has_bytes;
	dst->bytes += src->bytes;
	dst->bytes_sq += src->bytes_sq;
	dst->bytes_units += src->bytes_units;
	add_batches(&dst->batches, &src->batches);
	/* Both clocks' batches are over the same calls, or the slow ones are of no use. */
	if (dst->slow && dst->batches.count &&
	    (dst->slow->batches.count != dst->batches.count ||
	     dst->slow->batches.calls != dst->batches.calls))
		dst->slow->batches.count = 0;
	return 0;
}

void prof_sums_clear(struct prof_sums *s)
{
	free(s->hist);
	free(s->slow);
	*s = (struct prof_sums){0};
}
