// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls are walked one by one. */
#include "tests/bench/coverage/percentile_program.h"

#define MEAN   3000.0 /* ticks */
#define LEVELS 4000   /* of the normal that a level is made of, to integrate over */
#define REACH  8.0

struct program program_make(unsigned dependence, enum law_kind law, uint64_t n)
{
	struct program p = {.cell = {.law = {law, MEAN}, .n = n},
			    .load = dependence == DEPENDENCE_LOAD};

	p.cell.dependence = p.load ? DEPENDENCE_NONE : dependence;
	return p;
}

const char *program_name(const struct program *p)
{
	return dependence_names[p->load ? DEPENDENCE_LOAD : (unsigned)p->cell.dependence];
}

static void take_level(const struct program *p, struct walk *w, uint64_t call, struct dice *d)
{
	if (p->load && call % cell_burst(&p->cell) == 0)
		w->level = dice_unit(d) < PROGRAM_LOAD_SHARE ? PROGRAM_LOAD_LEVEL : 1;
}

void program_run(const struct program *p, struct dice *d, struct program_run *r)
{
	struct walk w;

	recorder_begin(&r->recorder, p->cell.n, false);
	tail_record_begin(&r->tail, p->cell.n);
	walk_begin(&w, &p->cell, d);
	for (uint64_t i = 0; i < p->cell.n; i++) {
		uint64_t ticks;

		take_level(p, &w, i, d);
		ticks = walk_call(&w);
		tail_record_add(&r->tail, i, ticks);
		recorder_add(&r->recorder, ticks);
	}
	tail_record_end(&r->tail, &r->recorder);
}

static double survival(const struct program *p, double x)
{
	double sum = 0, weights = 0;

	if (p->load)
		return (1 - PROGRAM_LOAD_SHARE) * law_survival(&p->cell.law, x) +
		       PROGRAM_LOAD_SHARE * law_survival(&p->cell.law, x / PROGRAM_LOAD_LEVEL);
	if (p->cell.dependence < DEPENDENCE_BURSTS)
		return law_survival(&p->cell.law, x);
	for (int i = 0; i < LEVELS; i++) {
		double z = REACH * (2 * (i + 0.5) / LEVELS - 1), weight = exp(-z * z / 2);
		double level = exp(BURST_SIGMA * z - BURST_SIGMA * BURST_SIGMA / 2);

		sum += weight * law_survival(&p->cell.law, x / level);
		weights += weight;
	}
	return sum / weights;
}

double program_quantile(const struct program *p, double q)
{
	double low = 0, high = 1e9 * MEAN;

	while (high - low > 1e-12 * high) {
		double x = low > 0 ? sqrt(low * high) : high / 1e6;

		if (survival(p, x) <= 1 - q)
			high = x;
		else
			low = x;
		if (high < 1e-9)
			break;
	}
	return high;
}
