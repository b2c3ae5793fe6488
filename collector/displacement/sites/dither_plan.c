// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/displacement/sites/site_dither.h"

#include <limits.h>
#include <math.h>

#define DEPTH 0.25
#define LEAST 2 /* windows a block, however much may be lost */

void dither_plan_begin(struct dither_plan *p, double share, uint64_t seed)
{
	*p = (struct dither_plan){.block = (unsigned)fmax(LEAST, floor(DEPTH / share + 1e-9))};
	p->depth = share * p->block;
	random_seed(&p->random, seed);
}

bool dither_plan_next(struct dither_plan *p)
{
	if (p->at == 0)
		p->on = (unsigned)random_below(&p->random, p->block);
	bool on = p->at == p->on;

	p->at = (p->at + 1) % p->block;
	return on;
}

size_t dither_plan_site(struct dither_plan *p, const double *rate, const unsigned *drawn, size_t n)
{
	unsigned least = UINT_MAX;
	size_t chosen = n, alike = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(rate[i] >= DITHER_PLAN_RATE) || drawn[i] > least)
			continue;
		alike = drawn[i] < least ? 1 : alike + 1;
		least = drawn[i];
		if (!random_below(&p->random, alike))
			chosen = i;
	}
	return chosen;
}

/* A delay takes more than was asked for: that is within the limit, too. */
#define REST 0.2

double dither_plan_delay(const struct dither_plan *p)
{
	return dither_plan_limit(p) / (DITHER_PLAN_PIECES + REST);
}

double dither_plan_limit(const struct dither_plan *p)
{
	return p->depth * DITHER_PLAN_WINDOW_S;
}
