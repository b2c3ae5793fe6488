// SPDX-License-Identifier: GPL-3.0-or-later
/* Most of a million sites have one call: its histogram is made where it is looked at. */
#include "profile/model/hist.h"

#include <stdlib.h>

#include "stats/histogram/histogram.h"

static void add(struct prof_hist *to, const struct prof_sums *from)
{
	if (from->hist_of_one)
		to->count[histogram_bucket(from->units)]++;
	for (size_t i = 0; from->hist && i < sizeof to->count / sizeof to->count[0]; i++)
		to->count[i] += from->hist->count[i];
}

const struct prof_hist *hist_find(const struct prof_sums *s, struct prof_hist *room)
{
	if (!s->hist_of_one)
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

	if (dst->hist || !(src->hist || (src->hist_of_one && !is_empty(dst)) ||
			   (dst->hist_of_one && src->calls)))
		return 0;
	made = calloc(1, sizeof *made);
	if (!made)
		return -1;
	add(made, dst);
	dst->hist = made;
	dst->hist_of_one = false;
	return 0;
}

void hist_add(struct prof_sums *dst, const struct prof_sums *src)
{
	if (dst->hist)
		add(dst->hist, src);
	else if (is_empty(dst))
		dst->hist_of_one = src->hist_of_one;
}

void hist_take(struct prof_sums *dst, struct prof_sums *src)
{
	struct prof_hist *taken = src->hist;

	if (!dst->hist && taken) {
		src->hist = NULL;
		add(taken, dst);
		dst->hist = taken;
		dst->hist_of_one = false;
	} else if (hist_make_room(dst, src)) {
		dst->hist_of_one = src->hist_of_one = false;
	}
}
