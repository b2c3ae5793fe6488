// SPDX-License-Identifier: GPL-3.0-or-later
/* Most of a million sites have one call, or a few: their histogram is made when looked at. That of
 * others is kept without the blocks that would be empty. */
#include "profile/model/addition.h"

#include <stdlib.h>

#include "profile/base/array.h"
#include "stats/histogram/histogram.h"

uint64_t *hist_block(struct prof_blocks **of, uint32_t block)
{
	if (!*of && !(*of = calloc(1, sizeof **of)))
		return NULL;
	if (!(*of)->block[block])
		(*of)->block[block] = calloc(SCP_HIST_BUCKETS, sizeof(uint64_t));
	return (*of)->block[block];
}

int hist_add_blocks(struct prof_blocks **to, const struct prof_blocks *from, uint64_t times)
{
	for (uint32_t block = 0; from && block < SCP_HIST_BLOCKS; block++) {
		const uint64_t *count = from->block[block];
		uint64_t *sum = count ? hist_block(to, block) : NULL;

		if (count && !sum)
			return -1;
		for (uint32_t i = 0; count && i < SCP_HIST_BUCKETS; i++)
			sum[i] += times * count[i];
	}
	return 0;
}

void hist_free(struct prof_blocks *blocks)
{
	for (uint32_t i = 0; blocks && i < SCP_HIST_BLOCKS; i++)
		free(blocks->block[i]);
	free(blocks);
}

/* The calls whose durations are kept one by one. */
static uint32_t few(const struct prof_sums *s)
{
	return s->first ? s->first->calls : s->hist_of_one;
}

static uint32_t bucket_of(const struct prof_sums *s, uint32_t call)
{
	return histogram_bucket(s->first ? s->first->units[call] : s->units);
}

static int add(struct prof_blocks **to, const struct prof_sums *from, uint64_t times)
{
	for (uint32_t i = 0; i < few(from); i++) {
		uint32_t bucket = bucket_of(from, i);
		uint64_t *count = hist_block(to, bucket / SCP_HIST_BUCKETS);

		if (!count)
			return -1;
		count[bucket % SCP_HIST_BUCKETS] += times;
	}
	return hist_add_blocks(to, from->hist, times);
}

static void drop_few(struct prof_sums *s)
{
	s->hist_of_one = false;
	PROF_FREE(s, first);
}

const struct prof_hist *hist_find(const struct prof_sums *s, struct prof_hist *room)
{
	if (!hist_is_known(s))
		return NULL;
	*room = (struct prof_hist){0};
	for (uint32_t i = 0; i < few(s); i++)
		room->count[bucket_of(s, i)]++;
	for (uint32_t i = 0; s->hist && i < SCP_HIST_BLOCKS; i++)
		if (s->hist->block[i])
			memcpy(room->count + i * SCP_HIST_BUCKETS, s->hist->block[i],
			       SCP_HIST_BUCKETS * sizeof room->count[0]);
	return room;
}

static bool is_empty(const struct prof_sums *s)
{
	return s->calls == 0 && !hist_is_known(s);
}

int hist_make_room(struct prof_sums *dst, const struct prof_sums *src)
{
	struct prof_sums of_few = {
		.units = dst->units, .hist_of_one = dst->hist_of_one, .first = dst->first};

	if (!dst->hist && !src->hist && !(few(src) && !is_empty(dst)) && !(few(dst) && src->calls))
		return 0;
	if (add(&dst->hist, &of_few, 1))
		return -1;
	drop_few(dst);
	return add(&dst->hist, src, 0);
}

/* Without memory for it there is no histogram, as where the target found no room. */
static void copy_few(struct prof_sums *dst, const struct prof_sums *src)
{
	dst->hist_of_one = src->hist_of_one;
	dst->first = array_copy(src->first, sizeof *src->first);
}

void hist_add(struct prof_sums *dst, const struct prof_sums *src)
{
	if (dst->hist)
		add(&dst->hist, src, 1); /* there is room */
	else if (is_empty(dst))
		copy_few(dst, src);
}

static void forget(struct prof_sums *s)
{
	hist_free(s->hist);
	s->hist = NULL;
	drop_few(s);
}

void hist_take(struct prof_sums *dst, struct prof_sums *src)
{
	if (!dst->hist) {
		dst->hist = src->hist;
		src->hist = NULL;
	}
	if (hist_make_room(dst, src)) {
		forget(dst);
		forget(src);
	}
}
