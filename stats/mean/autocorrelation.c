// SPDX-License-Identifier: GPL-3.0-or-later
/* The integrated autocorrelation time is the sum of all correlations, which a short series cannot
 * give: a sum over many lags is mostly noise. Where neighbours show no dependence, only what lag 1
 * leaves possible is added; where they do, lags are added in pairs until a pair is no longer
 * positive (Geyer 1992, "Practical Markov chain Monte Carlo", section 3.3, initial positive
 * sequence). */
#include "stats/mean/autocorrelation.h"

#include <math.h>

#define MOST 64

/* Correlations of neighbours beyond this many standard errors count as real. */
#define SIGNIFICANT 1.3
/* Neighbours' correlation below this is the sign of contiguous calls: the tick that one batch has
 * too many, the next lacks. Pure exchange gives -0.5. */
#define TELESCOPING (-0.2)
/* Degrees of freedom of Student's t for a variance that is estimated from the wandering of one
 * series. */
#define WANDERING_FREEDOM 4

struct series {
	uint32_t count;
	double x[MOST]; /* less their mean */
	double square;	/* sum of squares */
};

static double correlation(const struct series *s, uint32_t lag)
{
	double sum = 0;

	for (uint32_t i = 0; i + lag < s->count; i++)
		sum += s->x[i] * s->x[i + lag];
	return s->square > 0 ? sum / s->square : 0;
}

/* Sums are exact integers; they are centred on the first one to avoid cancellation. */
static void centre(const struct stats_batches *b, struct series *s)
{
	double mean = 0;

	s->count = b->count < MOST ? b->count : MOST;
	s->square = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		s->x[i] = (double)(int64_t)(b->sum[i] - b->sum[0]) / (double)b->calls;
		mean += s->x[i];
	}
	mean /= s->count;
	for (uint32_t i = 0; i < s->count; i++) {
		s->x[i] -= mean;
		s->square += s->x[i] * s->x[i];
	}
}

static double positive_sequence(const struct series *s)
{
	double time = -1, least = INFINITY;

	for (uint32_t lag = 0; lag + 1 < s->count / 2; lag += 2) {
		double pair = (lag ? correlation(s, lag) : 1) + correlation(s, lag + 1);

		if (pair <= 0)
			break;
		least = fmin(least, pair); /* never increasing: the initial monotone sequence */
		time += 2 * least;
	}
	return time;
}

/* Contiguous calls (Beilner's section 2, eq. 10c): the sum over all batches is their whole time and
 * the phases of its two ends, so its variance is 2 q + count w, with q that of an end's phase and w
 * that of a batch's time alone. Neighbours give both (their covariance is -q), but w badly where it
 * is far below q; then w is taken from how the cumulated sums wander around a straight line, which
 * for a random walk is count w / 6 (the Cramer-von Mises estimator of Goldsman et al. 1999). */
static double telescoping_time(const struct series *s, double r, double *freedom)
{
	double variance = s->square / (s->count - 1), q = -r * variance, at = 0, wandered = 0;
	double walk = s->count * (variance - 2 * q), error = s->count * variance * 0.25;

	for (uint32_t i = 0; i < s->count; i++) {
		at += s->x[i];
		wandered += at * at;
	}
	*freedom = s->count - 1;
	if (walk < 2 * error) {
		walk = fmin(fmax(walk + error, 0), 6 * fmax(wandered / s->count - q, 0));
		*freedom = WANDERING_FREEDOM;
	}
	return (2 * q + walk) / (s->count * variance);
}

static double integrated_time(const struct series *s, double r, double *freedom)
{
	double error = 1 / sqrt(s->count), unbiased = r + 1.0 / s->count, time;

	if (r < TELESCOPING && s->count >= 32)
		return telescoping_time(s, r, freedom);
	time = 1 + 2 * fmax(unbiased, 0);
	if (unbiased > SIGNIFICANT * error) {
		time = positive_sequence(s);
		/* A finite series cannot show dependence that lasts as long as itself: its variance
		 * around its own mean is too small by the share time / count. */
		time /= 1 - fmin(time / s->count, 0.3);
	}
	*freedom = fmax(1, s->count / fmax(time, 1) - 1);
	return time;
}

struct serial autocorrelation_estimate(const struct stats_batches *b)
{
	struct serial r = {0};
	struct series s;
	double cube = 0;

	if (b->count < 4 || b->calls == 0)
		return r;
	centre(b, &s);
	for (uint32_t i = 0; i < s.count; i++)
		cube += s.x[i] * s.x[i] * s.x[i];
	r.batches = s.count;
	r.calls = (double)b->calls;
	r.variance = s.square / (s.count - 1);
	if (s.square > 0)
		r.skewness = cube / s.count / pow(s.square / s.count, 1.5);
	r.correlation = correlation(&s, 1);
	r.time = 1;
	r.freedom = s.count - 1;
	if (s.square > 0)
		r.time = integrated_time(&s, r.correlation, &r.freedom);
	r.contiguous = s.count >= 32 && r.correlation < TELESCOPING;
	r.independent = s.count / fmax(r.time, 1);
	return r;
}

/* ---- caution: the constants were chosen by the coverage study, docs/coverage.md ---- */

#define MANY_INDEPENDENT 24
#define FEW_INDEPENDENT	 18
/* Number of lags in the window, in autocorrelation times; at most half of the series. */
#define WINDOW 2.5
/* With fewer the interval would be meaningless. Student's t with this many is as far from the mean
 * of one stretch as Poisson's limit is from one event: 4.3 and 4.6 at 95 %. */
#define LEAST_FREEDOM 2
/* Number of standard errors added to the time. */
#define ERRORS 1.5

struct caution autocorrelation_caution(const struct serial *s)
{
	double few = (MANY_INDEPENDENT - s->independent) / (MANY_INDEPENDENT - FEW_INDEPENDENT);
	double lags = s->batches * fmin(WINDOW / s->independent, 0.5);
	struct caution c = {1, s->freedom};

	if (!(s->time > 1 + 2 * SIGNIFICANT / sqrt(s->batches)) || !(few > 0))
		return c;
	c.variance = 1 + ERRORS * fmin(few, 1) * sqrt(2 * (2 * lags + 1) / s->batches);
	c.freedom = fmin(c.freedom, fmax(LEAST_FREEDOM, s->independent / c.variance - 1));
	return c;
}

/* ---- unbatched calls ---- */

#define ROUNDING 1e-12

/* Kish's effective number of stretches. Each is weighted by its time, or also by the mean time of
 * its calls, so that a stretch that is extreme in either way counts alone. */
static double effective_stretches(const struct stats_apart *a, double calls, double time,
				  double mean)
{
	double both = time + mean * calls;
	double squares = a->sum_sq + 2 * mean * a->calls_sum + mean * mean * a->calls_sq;

	return fmin(time * time / a->sum_sq, both * both / squares);
}

double autocorrelation_unbatched(const struct stats_sample *s, double each, double ends,
				 double *freedom)
{
	const struct stats_batches *b = &s->batches;
	double n = (double)s->sums.n, calls = n - (double)b->calls * b->count;
	double mean = (double)s->sums.sum / n, time = (double)s->sums.sum, squares, excess;
	struct stats_apart a = s->apart;

	*freedom = INFINITY;
	for (uint32_t i = 0; i < b->count; i++)
		time -= (double)(int64_t)b->sum[i];
	if (!(calls >= 1))
		return 0;
	if (!(a.stretches >= 1))
		a = (struct stats_apart){1, calls * calls, calls * time, time * time};
	squares = a.sum_sq - 2 * mean * a.calls_sum + mean * mean * a.calls_sq;
	excess = squares - calls * each - a.stretches * ends;
	if (!(excess > ROUNDING * (a.sum_sq + mean * mean * a.calls_sq)) || !isfinite(excess))
		return 0;
	*freedom = fmax(LEAST_FREEDOM, effective_stretches(&a, calls, time, mean));
	return excess;
}
