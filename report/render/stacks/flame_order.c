// SPDX-License-Identifier: GPL-3.0-or-later
/* Sorts the boxes of a flame graph into preorder, and leaves out the narrowest of too many. */
#include <math.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/render/stacks/flame.h"

/* By parent, then the widest first; ties as they are read. */
ARRAY_COMPARE_AT(compare_boxes, struct flame_box,
		 ARRAY_ORDER(a->parent, b->parent)
			 ?: ARRAY_ORDER(flame_width(b), flame_width(a)) ?: ARRAY_ORDER(a, b))

/* Where each box goes in preorder: behind its parent and the siblings before it, with all that is
 * below them. Parents come before their children in `sorted`, too. */
static void place(const struct flame *f, const uint32_t *sorted, uint32_t *size, uint32_t *next,
		  uint32_t *now)
{
	for (uint32_t i = 0; i < f->boxes; i++)
		size[i] = 1;
	for (uint32_t i = f->boxes; i-- > 1;)
		size[f->box[i].parent] += size[i];
	now[0] = 0;
	next[0] = 1;
	for (uint32_t i = 1; i < f->boxes; i++) {
		uint32_t box = sorted[i], parent = f->box[box].parent;

		now[box] = next[parent];
		next[parent] += size[box];
		next[box] = now[box] + 1;
	}
}

int flame_order(struct flame *f, uint32_t sites)
{
	size_t n = f->boxes;
	uint32_t *work = malloc(4 * n * sizeof(*work)), *now;
	struct flame_box *out = malloc(n * sizeof(*out));

	if (!work || !out) {
		free(work);
		free(out);
		return -1;
	}
	now = work + 3 * n;
	for (uint32_t i = 0; i < n; i++)
		work[i] = i;
	/* The top, which is its own parent, is nobody's child. */
	qsort_r(work + 1, n - 1, sizeof(*work), compare_boxes, f->box);
	place(f, work, work + n, work + 2 * n, now);
	for (uint32_t i = 0; i < n; i++) {
		f->box[i].parent = now[f->box[i].parent];
		out[now[i]] = f->box[i];
	}
	for (uint32_t i = 0; i < sites; i++)
		f->end[i] = now[f->end[i]];
	free(f->box);
	f->box = out;
	free(work);
	return 0;
}

ARRAY_COMPARE(compare_widths, double, ARRAY_ORDER(*b, *a))

/* How wide a box has to be; of equal ones all or none. -1: out of memory. */
static double least_width(const struct flame *f, uint32_t most)
{
	double *width = malloc(f->boxes * sizeof(*width)), least;

	if (!width)
		return -1;
	for (uint32_t i = 0; i < f->boxes; i++)
		width[i] = flame_width(&f->box[i]);
	ARRAY_SORT(width, f->boxes, compare_widths);
	least = nextafter(width[most], INFINITY);
	free(width);
	return least;
}

/* A box is as wide as what is below it, so what is kept is a tree, and in preorder. */
int flame_limit(struct flame *f, uint32_t sites, uint32_t most)
{
	uint32_t *now, kept = 1;

	if (f->boxes <= most)
		return 0;
	now = calloc(f->boxes, sizeof(*now));
	double least = now ? least_width(f, most) : -1;
	if (least < 0) {
		free(now);
		return -1;
	}
	for (uint32_t i = 1; i < f->boxes; i++) {
		struct flame_box *b = &f->box[i];
		bool keeps = flame_width(b) >= least;

		b->parent = now[b->parent];
		now[i] = keeps ? kept : b->parent;
		if (keeps)
			f->box[kept++] = *b;
	}
	for (uint32_t i = 0; i < sites; i++)
		f->end[i] = now[f->end[i]];
	f->left_out = f->boxes - kept;
	f->boxes = kept;
	free(now);
	return 0;
}
