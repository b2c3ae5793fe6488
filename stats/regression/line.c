// SPDX-License-Identifier: GPL-3.0-or-later
/* The line of time on size with errors from blocks of calls.
 *
 * In sizes centred on their mean and measured in their deviation, the normal equations of all calls
 * are N times the identity. A block then is a 2 x 2 matrix of moments H_g (they add up to the
 * identity) and a vector s_g of residual sums (they add up to 0). Leaving the block out moves a
 * contrast c of the coefficients by
 *   q_g = c' (I - H_g)^-1 s_g,
 * and sum q_g^2 is the jackknife's variance. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "stats/regression/line.h"
#include "stats/numerics/moments.h"
#include "stats/numerics/distributions.h"

#define MOST 64

/* Blocks are joined only down to this number; with half as many, Student's t is very wide. */
#define LEAST_TO_JOIN 16
/* Correlations of neighbours beyond this many standard errors count as real. */
#define SIGNIFICANT 1.3
/* If the determinant of I - H_g is below this, the fit depends on this block alone. */
#define SINGULAR 1e-9

struct block {
	double call, cross, size; /* H_g: [call cross; cross size] */
	double rest, rest_size;	  /* s_g */
};

struct centred {
	unsigned count;
	struct block block[MOST];
	long double mean_x, mean_y, slope, deviation_x;
};

/* Exact sums over one block, centred on whole numbers near the overall means. */
struct sums {
	stats_u128 calls, x, y, xx, xy;
};

static void add(struct sums *to, const struct stats_line_block *b)
{
	to->calls += b->calls;
	to->x += b->bytes;
	to->y += b->units;
	to->xx += b->bytes_sq;
	to->xy += b->bytes_units;
}

/* Copies the blocks that contain calls; joins neighbours if there are too many. */
static unsigned gather(const struct stats_line_block *block, unsigned blocks, struct sums *out)
{
	unsigned used = 0, each, count = 0;

	for (unsigned i = 0; i < blocks; i++)
		used += block[i].calls > 0;
	each = used > MOST ? (used + MOST - 1) / MOST : 1;
	memset(out, 0, MOST * sizeof *out);
	used = 0;
	for (unsigned i = 0; i < blocks; i++) {
		if (block[i].calls == 0)
			continue;
		add(&out[used / each], &block[i]);
		count = used++ / each + 1;
	}
	return count;
}

static long double signed_of(stats_u128 x)
{
	return (long double)(__int128)x;
}

struct real {
	long double n, x, y, xx, xy;
};

/* Moves the centre from the whole numbers to the means. */
static struct real shift(const struct sums *s, long double dx, long double dy)
{
	long double n = (long double)s->calls, x = signed_of(s->x), y = signed_of(s->y);

	return (struct real){n, x - n * dx, y - n * dy, signed_of(s->xx) - 2 * dx * x + n * dx * dx,
			     signed_of(s->xy) - dx * y - dy * x + n * dx * dy};
}

/* The means, and the sums of each block around them. -1: no line can be fitted. */
static int around_means(struct sums *sums, unsigned count, struct centred *c, struct real *r)
{
	struct sums all = {0};

	for (unsigned i = 0; i < count; i++) {
		all.calls += sums[i].calls;
		all.x += sums[i].x;
		all.y += sums[i].y;
	}
	if (all.calls < 2)
		return -1;
	stats_u128 near_x = all.x / all.calls;
	stats_u128 near_y = all.y / all.calls;
	c->mean_x = (long double)(all.x % all.calls) / (long double)all.calls;
	c->mean_y = (long double)(all.y % all.calls) / (long double)all.calls;
	for (unsigned i = 0; i < count; i++) {
		struct sums *s = &sums[i];
		/* Small differences of large products are correct modulo 2^128. */
		s->xx += s->calls * near_x * near_x - 2 * near_x * s->x;
		s->xy += s->calls * near_x * near_y - near_x * s->y - near_y * s->x;
		s->x -= s->calls * near_x;
		s->y -= s->calls * near_y;
		r[i] = shift(s, c->mean_x, c->mean_y);
		/* Cauchy and Schwarz, with tolerance for rounding */
		if (r[i].xx * r[i].n < r[i].x * r[i].x * (1 - 1e-12L))
			return -1;
	}
	c->mean_x += (long double)near_x;
	c->mean_y += (long double)near_y;
	return 0;
}

static int centre(const struct stats_line_block *block, unsigned blocks, struct centred *c)
{
	struct sums sums[MOST];
	struct real r[MOST], all = {0};

	c->count = gather(block, blocks, sums);
	if (around_means(sums, c->count, c, r))
		return -1;
	for (unsigned i = 0; i < c->count; i++) {
		all.n += r[i].n;
		all.xx += r[i].xx;
		all.xy += r[i].xy;
	}
	if (all.xx <= 0)
		return -1;
	c->slope = all.xy / all.xx;
	c->deviation_x = sqrtl(all.xx / all.n);
	long double per = all.n * c->deviation_x;
	for (unsigned i = 0; i < c->count; i++)
		c->block[i] = (struct block){(double)(r[i].n / all.n), (double)(r[i].x / per),
					     (double)(r[i].xx / all.xx),
					     (double)((r[i].y - c->slope * r[i].x) / all.n),
					     (double)((r[i].xy - c->slope * r[i].xx) / per)};
	return 0;
}

struct pair {
	double call, size;
};

static double dot(struct pair a, struct pair b)
{
	return a.call * b.call + a.size * b.size;
}

static struct pair times(const struct block *b, struct pair v)
{
	return (struct pair){b->call * v.call + b->cross * v.size,
			     b->cross * v.call + b->size * v.size};
}

/* (I - H_g)^-1 c; false if the rest of the fit depends on the block alone. */
static bool left_out(const struct block *b, struct pair c, struct pair *u)
{
	double call = 1 - b->call, size = 1 - b->size;
	double determinant = call * size - b->cross * b->cross;

	if (determinant < SINGULAR)
		return false;
	*u = (struct pair){(size * c.call + b->cross * c.size) / determinant,
			   (b->cross * c.call + call * c.size) / determinant};
	return true;
}

/* Satterthwaite's degrees of freedom of sum q_g^2 if the calls' noise is independent and equal: q =
 * W' e with the Gram matrix (W' W)_gh = u_g' ([g = h] H_g - H_g H_h) u_h; freedom = tr^2 / sum of
 * squares. */
static double freedom_of(const struct block *b, const struct pair *u, unsigned count)
{
	double trace = 0, squares = 0;

	for (unsigned g = 0; g < count; g++)
		for (unsigned h = 0; h < count; h++) {
			struct pair left = times(&b[g], u[g]);
			double w = -dot(left, times(&b[h], u[h]));

			if (g == h) {
				w += dot(left, u[g]);
				trace += w;
			}
			squares += w * w;
		}
	return trace * trace / squares;
}

/* Correlation of neighbours; subtracting the mean makes it too small by 1 / count. */
static double correlation(const double *q, unsigned count)
{
	double r = gsl_stats_lag1_autocorrelation(q, 1, count);

	return isnan(r) ? 0 : r + 1.0 / count;
}

struct spread {
	double variance, freedom, correlation;
	unsigned count;
};

static struct spread spread_of(const struct block *b, unsigned count, struct pair c)
{
	struct spread s = {INFINITY, 0, 0, count};
	struct pair u[MOST];
	double q[MOST], sum = 0;

	if (count < 3)
		return s;
	for (unsigned g = 0; g < count; g++) {
		if (!left_out(&b[g], c, &u[g]))
			return s;
		q[g] = u[g].call * b[g].rest + u[g].size * b[g].rest_size;
		sum += q[g] * q[g];
	}
	s.variance = sum;
	s.freedom = freedom_of(b, u, count);
	s.correlation = correlation(q, count);
	return s;
}

/* Joins pairs of neighbours; an odd last block joins the last pair. */
static unsigned join(struct block *b, unsigned count)
{
	unsigned half = count / 2;

	for (unsigned i = 0; i < count; i++) {
		unsigned to = i / 2 < half ? i / 2 : half - 1;
		struct block *t = &b[to], from = b[i];

		if (i == 2 * to) {
			*t = from;
			continue;
		}
		t->call += from.call;
		t->cross += from.cross;
		t->size += from.size;
		t->rest += from.rest;
		t->rest_size += from.rest_size;
	}
	return half;
}

/* The contrast c' (mean, slope in deviations of size). */
static void price(const struct centred *line, struct pair c, double value, double confidence,
		  struct stats_line_price *p)
{
	struct block b[MOST];

	memcpy(b, line->block, sizeof b);
	struct spread s = spread_of(b, line->count, c);
	while (s.count >= LEAST_TO_JOIN && isfinite(s.variance) &&
	       s.correlation > SIGNIFICANT / sqrt(s.count))
		s = spread_of(b, join(b, s.count), c);
	*p = (struct stats_line_price){value, INFINITY, -INFINITY, INFINITY, 0};
	if (!isfinite(s.variance) || line->mean_y <= 0)
		return; /* a sample without a tick does not mean a price of exactly 0 */
	double more = 1 + 2 * fmax(s.correlation, 0);
	p->freedom = fmax(1, s.freedom / more);
	p->error = sqrt(s.variance * more);
	double t = distributions_t_two_sided(confidence, p->freedom);
	p->low = value - t * p->error;
	p->high = value + t * p->error;
}

int line_fit_blocks(const struct stats_line_block *block, unsigned blocks,
		    struct stats_line_fit *fit, double confidence)
{
	struct centred c;

	if (centre(block, blocks, &c))
		return -1;
	struct pair at_nothing = {1, (double)(-c.mean_x / c.deviation_x)};
	struct pair a_byte = {0, (double)(1 / c.deviation_x)};
	price(&c, at_nothing, (double)(c.mean_y - c.slope * c.mean_x), confidence, &fit->call);
	price(&c, a_byte, (double)c.slope, confidence, &fit->byte);
	return 0;
}

double line_half_width(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y,
		       stats_u128 sum_yy, double slope, double confidence)
{
	if (n < 3)
		return INFINITY;
	double sxx = moments_square(n, sum_x, sum_xx);
	if (sxx <= 0)
		return INFINITY;
	double left = fmax(0, moments_square(n, sum_y, sum_yy) - slope * slope * sxx);
	return distributions_t_two_sided(confidence, (double)(n - 2)) *
	       sqrt(left / (double)(n - 2) / sxx);
}
