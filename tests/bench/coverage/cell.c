// SPDX-License-Identifier: GPL-3.0-or-later
/* What follows from the parameters of a cell alone. */
#include "tests/bench/coverage/cell.h"

#define LOCKED_PHASES 32

const char *const dependence_names[DEPENDENCE_NAMES] = {
	"none", "loop",	  "period-d/4",	 "period-3d/8", "period-golden",
	"ar1",	"bursts", "bursts-loop", "load"};

double cell_period(const struct cell *c)
{
	double base;

	switch (c->dependence) {
	case DEPENDENCE_PERIOD_QUARTER:
		base = 0.25;
		break;
	case DEPENDENCE_PERIOD_EIGHTHS:
		base = 0.375;
		break;
	case DEPENDENCE_PERIOD_GOLDEN:
		base = (sqrt(5) - 1) / 2;
		break;
	default:
		return 0;
	}
	return base * (floor(c->law.mean / base) + 1);
}

uint64_t cell_burst(const struct cell *c)
{
	return c->n / 10 < BURST_CALLS ? c->n / 10 : BURST_CALLS;
}

unsigned cell_points(const struct cell *c, double *step)
{
	*step = cell_period(c);
	if (c->dependence == DEPENDENCE_LOOP && c->law.kind == LAW_CONSTANT)
		*step = c->law.mean;
	if (c->dependence == DEPENDENCE_LOOP && c->law.kind == LAW_BIMODAL)
		*step = LAW_SHORT * c->law.mean; /* the long ones are 11 short ones */
	if (c->randomised || *step == 0)
		return 0;
	for (unsigned q = 1; q <= CELL_POINTS; q++)
		if (fabs(q * *step - nearbyint(q * *step)) < 1e-9)
			return q;
	return 0;
}

bool cell_is_locked(const struct cell *c)
{
	double step;
	unsigned points = cell_points(c, &step);

	return points > 0 && points <= LOCKED_PHASES;
}
