// SPDX-License-Identifier: GPL-3.0-or-later
/* Most of a million sites have one call, or a few: their histogram is made when looked at. */
#include "profile/model/addition.h"

#include <stdlib.h>

#include "profile/base/array.h"
#include "stats/histogram/histogram.h"

static void add(struct prof_hist *to, const struct prof_sums *from)
{
	if (from->hist_of_one)
		to->count[histogram_bucket(from->units)]++;
	for (uint32_t i = 0; from->first && i < from->first->calls; i++)
		to->count[histogram_bucket(from->first->units[i])]++;
	for (size_t i = 0; from->hist && i < sizeof to->count / sizeof to->count[0]; i++)
		to->count[i] += from->hist->count[i];
}

static bool is_of_few(const struct prof_sums *s)
{
	return s->hist_of_one || s->first;
}

static void drop_few(struct prof_sums *s)
{
	s->hist_of_one = false;
	free(s->first);
	s->first = NULL;
}

const struct prof_hist *hist_find(const struct prof_sums *s, struct prof_hist *room)
{
	if (!is_of_few(s))
		return s->hist;
	*room = (struct prof_hist){0};
	add(room, s);
	return room;
}

static bool is_empty(const struct prof_sums *s)
{
	return s->calls == 0 && !hist_is_known(s);
}

int hist_make_room(struct prof_sums *dst, const struct prof_sums *src)
{
	struct prof_hist *made;

	if (dst->hist ||
	    !(src->hist || (is_of_few(src) && !is_empty(dst)) || (is_of_few(dst) && src->calls)))
		return 0;
	made = calloc(1, sizeof *made);
	if (!made)
		return -1;
	add(made, dst);
	dst->hist = made;
	drop_few(dst);
	return 0;
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
		add(dst->hist, src);
	else if (is_empty(dst))
		copy_few(dst, src);
}

void hist_take(struct prof_sums *dst, struct prof_sums *src)
{
	struct prof_hist *taken = src->hist;

	if (!dst->hist && taken) {
		src->hist = NULL;
		add(taken, dst);
		dst->hist = taken;
		drop_few(dst);
	} else if (hist_make_room(dst, src)) {
		drop_few(dst);
		drop_few(src);
	}
}
