// SPDX-License-Identifier: GPL-3.0-or-later
/* Shares of computing between runs. What single samples say is about these runs: the next one may
 * take another way. */
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "stats/compare/between_runs.h"
#include "stats/mean/proportion.h"

#define MOST_RUNS 64 /* of more, several are one: groups at random */

static uint32_t runs_of(const struct report *r)
{
	if (r->runs < RUN_TO_RUN_LEAST)
		return 0;
	return r->runs < MOST_RUNS ? r->runs : MOST_RUNS;
}

static int reach(struct computing_runs *t, uint32_t rows, uint32_t runs)
{
	return array_reach((void **)&t->samples, &t->room, rows, runs * sizeof(*t->samples), 0)
		       ? 0
		       : -1;
}

int computing_runs_add(struct computing_runs *t, const struct report *r, uint32_t row,
		       uint32_t process, uint64_t samples)
{
	uint32_t runs = runs_of(r);

	if (!runs || r->run_of[process] == PROF_NONE)
		return 0;
	if (reach(t, 1 + row, runs))
		return -1;
	uint32_t run = r->run_of[process] % runs;
	t->samples[run] += samples;
	t->samples[(size_t)(1 + row) * runs + run] += samples;
	return 0;
}

static void widen(const struct report *r, struct report_computing_row *row, double effective)
{
	struct report_computing *c = r->computing;
	double low, high, p = row->share;

	proportion_wilson(p * effective, effective, r->confidence, &low, &high);
	row->share_low = fmin(row->share_low, low);
	row->share_high = fmax(row->share_high, high);
	row->cpu_error_s = fmax(row->cpu_error_s, c->cpu_s * sqrt(p * (1 - p) / effective));
	c->effective = fmin(c->effective, effective);
}

int computing_runs_widen(struct computing_runs *t, const struct report *r)
{
	struct report_computing *c = r->computing;
	uint32_t runs = runs_of(r), some = 0;
	double *effective;

	for (uint32_t k = 0; t->samples && k < runs; k++)
		some += t->samples[k] > 0;
	if (some < RUN_TO_RUN_LEAST)
		return 0;
	effective = calloc(c->rows + 1, sizeof(*effective));
	int failed = !effective || reach(t, 1 + c->rows, runs) ||
		     between_runs_shares(t->samples + runs, t->samples, c->rows + 1, runs,
					 r->confidence, effective);

	if (!failed)
		widen(r, &c->recording, effective[0]);
	for (uint32_t i = 0; !failed && i < c->rows; i++)
		widen(r, &c->row[i], effective[i + 1]);
	free(effective);
	return failed;
}
