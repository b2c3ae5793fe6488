// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of all cycles together: the row of the remaining time, and each row's part of the
 * whole, in percentages that add up as printed. */
#include "report/loops/loop_graph.h"

#include <math.h>
#include <stdlib.h>

#include "profile/base/array.h"

#include "report/wording/numbers.h"

struct loop_row loop_shares_none(enum loop_kind kind)
{
	return (struct loop_row){.kind = kind,
				 .from = PROF_NONE,
				 .to = PROF_NONE,
				 .estimate = {.low = NAN, .high = NAN, .method = "none"}};
}

struct loop_row *loop_shares_add(struct loop_rows *w, enum loop_kind kind)
{
	struct loop *l = w->loop;
	struct loop_row *larger = array_room(l->row, &w->room, l->rows, sizeof(*larger));

	if (!larger)
		return NULL;
	l->row = larger;
	l->row[l->rows] = loop_shares_none(kind);
	return &l->row[l->rows++];
}

static int write_outside(struct loop_rows *w)
{
	double unit = w->report->profile->clock.ns_per_unit;
	struct loop_row *row;

	if (w->inside == w->units)
		return 0;
	row = loop_shares_add(w, LOOP_OUTSIDE);
	if (!row)
		return -1;
	row->total_ns = ((double)w->units - (double)w->inside) * unit;
	row->estimate.mean = row->pass_ns = row->per_pass = NAN;
	return 0;
}

static void settle_shares(struct loop_rows *w, const int32_t *permille)
{
	struct loop *l = w->loop;
	double all_ns = (double)w->units * w->report->profile->clock.ns_per_unit;

	for (uint32_t i = 0; i < l->rows; i++) {
		l->row[i].permille = permille[i];
		l->row[i].share = w->units ? l->row[i].total_ns / all_ns : NAN;
	}
	for (uint32_t i = 0; i < l->cycles; i++) {
		struct loop_cycle *c = &l->cycle[i];

		c->share = w->units ? c->total_ns / all_ns : NAN;
		for (uint32_t k = c->row; k < c->row + c->rows; k++)
			c->permille += permille[k];
	}
}

int loop_shares_finish(struct loop_rows *w)
{
	struct loop *l = w->loop;
	double *part;
	int32_t *permille;
	int status = write_outside(w);

	part = calloc((size_t)l->rows + 1, sizeof(*part));
	permille = calloc((size_t)l->rows + 1, sizeof(*permille));
	if (!part || !permille)
		status = -1;
	for (uint32_t i = 0; !status && i < l->rows; i++)
		part[i] = l->row[i].total_ns;
	if (!status)
		status = numbers_percentages(part, l->rows, permille);
	if (!status)
		settle_shares(w, permille);
	free(part);
	free(permille);
	return status;
}
