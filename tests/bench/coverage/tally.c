// SPDX-License-Identifier: GPL-3.0-or-later
/* Batches of independent counts in a time that hardly depends on their number:
 * a chain of binomials over the cells, or one by one by the alias method, whichever
 * is shorter. */
#include "tests/bench/coverage/tally.h"

#define RANGE_RATIO 1.125
#define NEGLIGIBLE  1e-15
/* From so many draws in a range on, their sum is taken as normal. */
#define MANY_IN_RANGE 48
#define SLICES	      64

#define BINOMIAL_NS 70.0
#define ALIAS_NS    6.0

static double range_survival(const struct tally_cell *c, double count)
{
	return c->above * pow(count / (double)c->first, -c->power);
}

/* Moments of a range, slice by slice. */
static void range_moments(struct tally_cell *c)
{
	uint64_t width = c->end - c->first, slices = width < SLICES ? width : SLICES;
	double sum = 0, square = 0;

	c->power = log(c->above / c->beyond) / log((double)c->end / (double)c->first);
	for (uint64_t i = 0; i < slices; i++) {
		uint64_t a = c->first + width * i / slices, b = c->first + width * (i + 1) / slices;
		double p = range_survival(c, (double)a) - range_survival(c, (double)b);
		double middle = (double)(a + b - 1) / 2;

		sum += p * middle;
		square += p * middle * middle;
	}
	c->mean = sum / c->p;
	c->square = square / c->p;
	c->var = fmax(0, c->square - c->mean * c->mean);
}

static void add_cell(struct tally *t, uint64_t first, uint64_t end, double above, double beyond)
{
	struct tally_cell *c = &t->cell[t->cells];
	double mean = (double)first;

	if (above - beyond <= NEGLIGIBLE || t->cells == TALLY_CELLS)
		return;
	*c = (struct tally_cell){.p = above - beyond,
				 .first = first,
				 .end = end,
				 .above = above,
				 .beyond = beyond,
				 .mean = mean,
				 .square = mean * mean};
	if (end > first + 1)
		range_moments(c);
	t->cells++;
}

/* Walker's alias table (Vose 1991). */
static void make_alias(struct tally *t)
{
	unsigned small[TALLY_CELLS] = {0}, large[TALLY_CELLS] = {0}, smalls = 0, larges = 0;
	double total = t->rest[0];

	for (unsigned i = 0; i < t->cells; i++) {
		t->alias_p[i] = t->cell[i].p / total * t->cells;
		t->alias[i] = i;
		if (t->alias_p[i] < 1)
			small[smalls++] = i;
		else
			large[larges++] = i;
	}
	while (smalls && larges) {
		unsigned s = small[--smalls], l = large[larges - 1];

		t->alias[s] = l;
		t->alias_p[l] -= 1 - t->alias_p[s];
		if (t->alias_p[l] < 1) {
			larges--;
			small[smalls++] = l;
		}
	}
	while (smalls)
		t->alias_p[small[--smalls]] = 1;
	while (larges)
		t->alias_p[large[--larges]] = 1;
}

static void finish(struct tally *t)
{
	double rest = 0, square = 0;

	for (unsigned i = t->cells; i-- > 0;)
		t->rest[i] = rest += t->cell[i].p;
	t->mean = 0;
	for (unsigned i = 0; i < t->cells; i++) {
		t->mean += t->cell[i].p * t->cell[i].mean / rest;
		square += t->cell[i].p * t->cell[i].square / rest;
	}
	t->var = fmax(0, square - t->mean * t->mean);
	make_alias(t);
}

void tally_build(struct tally *t, tally_survival *survival, const void *of, uint64_t singles)
{
	double above = 1, beyond;
	uint64_t k = 0, end;

	t->cells = 0;
	for (; k < singles && above > NEGLIGIBLE; k++, above = beyond) {
		beyond = survival(of, k + 1);
		add_cell(t, k, k + 1, above, beyond);
	}
	for (; above > NEGLIGIBLE && t->cells < TALLY_CELLS; k = end, above = beyond) {
		end = (uint64_t)ceil((double)k * RANGE_RATIO);
		beyond = survival(of, end);
		if (beyond < NEGLIGIBLE) /* the last range is cut off where it ends */
			beyond = NEGLIGIBLE / 2;
		add_cell(t, k, end, above, beyond);
	}
	finish(t);
}

static inline void total_add(struct tally_total *total, uint64_t count, uint64_t times)
{
	total->sum += count * times;
	total->sum_sq += (stats_u128)(count * count) * times;
	if (count < total->min)
		total->min = count;
	if (count > total->max)
		total->max = count;
}

static uint64_t draw_in_range(const struct tally_cell *c, struct dice *d)
{
	double p = c->beyond + (c->above - c->beyond) * dice_unit(d);
	uint64_t count = (uint64_t)((double)c->first * pow(c->above / p, 1 / c->power));

	return count < c->first ? c->first : count >= c->end ? c->end - 1 : count;
}

/* n draws of one cell. The sum of squares of many follows their sum: inside a range
 * the square is nearly linear. */
static void draw_cell(const struct tally_cell *c, struct dice *d, uint64_t n,
		      struct tally_total *total)
{
	double sum, square;

	if (n == 0)
		return;
	if (c->end == c->first + 1) {
		total_add(total, c->first, n);
		return;
	}
	if (n < MANY_IN_RANGE) {
		for (; n; n--)
			total_add(total, draw_in_range(c, d), 1);
		return;
	}
	sum = nearbyint((double)n * c->mean + sqrt((double)n * c->var) * dice_normal(d));
	square = (double)n * c->square + 2 * c->mean * (sum - (double)n * c->mean);
	total->sum += (uint64_t)sum;
	total->sum_sq += (stats_u128)square;
	if (c->first < total->min)
		total->min = c->first;
	if (c->end - 1 > total->max)
		total->max = c->end - 1;
}

static double chain_cost_ns(const struct tally *t, uint64_t n)
{
	double cost = 0;

	/* The chain ends where nothing is left to place. */
	for (unsigned i = 0; i < t->cells; i++)
		cost += BINOMIAL_NS * fmin(1, (double)n * t->rest[i]);
	return cost;
}

double tally_cost_ns(const struct tally *t, uint64_t n)
{
	return fmin(chain_cost_ns(t, n), ALIAS_NS * (double)n);
}

static void draw_alias(const struct tally *t, struct dice *d, uint64_t n, struct tally_total *total)
{
	for (; n; n--) {
		uint64_t bits = dice_bits(d);
		unsigned i = (unsigned)((bits >> 32) * t->cells >> 32);
		const struct tally_cell *c;

		if ((double)(uint32_t)bits * 0x1p-32 >= t->alias_p[i])
			i = t->alias[i];
		c = &t->cell[i];
		if (c->end == c->first + 1)
			total_add(total, c->first, 1);
		else
			total_add(total, draw_in_range(c, d), 1);
	}
}

static void draw_chain(const struct tally *t, struct dice *d, uint64_t n, struct tally_total *total)
{
	for (unsigned i = 0; i < t->cells && n; i++) {
		uint64_t k = i + 1 == t->cells ? n : dice_binomial(d, t->cell[i].p / t->rest[i], n);

		draw_cell(&t->cell[i], d, k, total);
		n -= k;
	}
}

void tally_draw(const struct tally *t, struct dice *d, uint64_t n, struct tally_total *total)
{
	if (ALIAS_NS * (double)n < 4 * BINOMIAL_NS || ALIAS_NS * (double)n < chain_cost_ns(t, n))
		draw_alias(t, d, n, total);
	else
		draw_chain(t, d, n, total);
}
