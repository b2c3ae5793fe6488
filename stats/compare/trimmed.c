// SPDX-License-Identifier: GPL-3.0-or-later
/* A trimmed mean from a histogram. Only the long end is trimmed: losing the processor makes calls
 * longer, never shorter. */
#include "stats/compare/trimmed.h"

#include <math.h>

#include <gsl/gsl_sort.h>

#include "stats/histogram/histogram.h"
#include "stats/mean/autocorrelation.h"

#define BUCKET_ERROR 0.036
#define FREEDOM	     0.7 /* degrees of freedom, as a share of the number of batches minus 1 */
/* Minimum number of undisturbed batches that can show dependence. */
#define LEAST_CLEAN 8
/* Batches within this many standard deviations of the undisturbed ones count as near. */
#define NEAR	    4
#define INDEPENDENT 5	/* minimum number of independent batches */
#define CHANCE	    2.9 /* 99th percentile by simulation: 1.36 for 64 batches, 2.03 for 8 */

/* The part of each bucket below the cut, and the moments of that part. */
struct kept {
	double calls, kept;
	double mean, variance; /* Winsorised: durations above the cut count as the cut */
	double squares;	       /* sum of squares of the buckets' shares */
};

static double density(const uint64_t *count, uint32_t i)
{
	return (double)count[i] / (histogram_start(i + 1) - histogram_start(i));
}

/* Mean duration in a bucket. Its density is taken to be the line between the densities of its
 * neighbours. */
static double centre_of(const uint64_t *count, uint32_t buckets, uint32_t i)
{
	double start = histogram_start(i), width = histogram_start(i + 1) - start;
	double left = i ? density(count, i - 1) : 0;
	double right = i + 1 < buckets ? density(count, i + 1) : 0;
	double slope = (right - left) / 2 / density(count, i);

	if (width <= 1)
		return start; /* one value */
	return start + width * (0.5 + fmin(fmax(slope, -2), 2) / 12);
}

static struct kept keep(const uint64_t *count, uint32_t buckets)
{
	struct kept k = {.calls = histogram_calls(count, 0, buckets)};
	double room = k.kept = k.calls * (1 - TRIMMED_SHARE), sum = 0, squares = 0, cut = 0, all;

	for (uint32_t i = 0; i < buckets && room > 0; i++) {
		double calls = fmin((double)count[i], room), at;

		if (!count[i])
			continue;
		if (calls < (double)count[i]) {
			double start = histogram_start(i), width = histogram_start(i + 1) - start;

			at = start + width * calls / (double)count[i] / 2;
			cut = start + width * calls / (double)count[i];
		} else {
			at = centre_of(count, buckets, i);
			cut = histogram_start(i + 1);
		}
		sum += calls * at;
		squares += calls * at * at;
		k.squares += calls / k.kept * (calls / k.kept);
		room -= calls;
	}
	k.mean = sum / k.kept;
	all = (sum + (k.calls - k.kept) * cut) / k.calls;
	k.variance = (squares + (k.calls - k.kept) * cut * cut) / k.calls - all * all;
	return k;
}

/* Moves outlying batches. If outlying calls explain that many, they come in bursts like the host's
 * load and say nothing about the program: they move to the centre. Otherwise they contain calls of
 * another kind, and move to the limit of "near". */
static struct serial serial_near(const struct stats_batches *b, uint32_t n, double centre,
				 double reach, uint32_t explained)
{
	uint64_t moved[TRIMMED_BATCHES];
	struct stats_batches near = {b->calls, n, moved};
	double calls = (double)b->calls, limit;
	uint32_t far = 0;

	for (uint32_t i = 0; i < n; i++)
		far += (double)b->sum[i] / calls > centre + reach;
	limit = far <= explained + 2 + 3 * sqrt(explained) ? centre : centre + reach;
	for (uint32_t i = 0; i < n; i++) {
		double mean = fmax((double)b->sum[i] / calls, fmax(centre - reach, 0));

		moved[i] = (uint64_t)llround((mean > centre + reach ? limit : mean) * calls);
	}
	return autocorrelation_estimate(&near);
}

/* Expected number of batches without an outlying call, if such calls come at random. */
static uint32_t clean_batches(const uint64_t *count, uint32_t buckets, const struct kept *k,
			      const struct stats_batches *b, uint32_t n)
{
	/* The sum and the maximum affect only results that are not used here. */
	struct outliers far = outliers_find(count, buckets, 1, UINT64_MAX);
	double share = isfinite(far.fence) ? far.calls / k->calls : 0;

	return (uint32_t)(n * pow(1 - share, (double)b->calls));
}

/* The standard deviation of undisturbed batches, if any `clean` of the first n are undisturbed. It
 * is that of a normal distribution in which half a sample of size `clean` has, on average, the
 * range of the closest clean / 2 + 1 of the n. *centre: the middle of that range. */
static double deviation_of(const struct stats_batches *b, uint32_t n, uint32_t clean,
			   double *centre)
{
	double x[TRIMMED_BATCHES], least = INFINITY;
	uint32_t half = clean / 2;

	for (uint32_t i = 0; i < n; i++)
		x[i] = (double)b->sum[i] / (double)b->calls;
	gsl_sort(x, 1, n);
	for (uint32_t i = 0; i + half < n; i++) {
		if (x[i + half] - x[i] >= least)
			continue;
		least = x[i + half] - x[i];
		*centre = (x[i] + x[i + half]) / 2;
	}
	/* Simulated: the mean of `least` over normal samples of size `clean`; accurate to 1 %. */
	return least / (1.3 - 0.8 / sqrt(clean));
}

/* The factor by which dependence raises the error of independent calls; INFINITY: unknown.
 * *freedom: degrees of freedom of that estimate. */
static double dependence(const struct stats_batches *b, uint32_t n, uint32_t clean, double variance,
			 double *freedom)
{
	double centre = 0, expected = sqrt(variance / (double)b->calls), deviation;
	struct serial serial;

	*freedom = FREEDOM * (n - 1);
	if (clean < LEAST_CLEAN)
		return 1;
	deviation = deviation_of(b, n, clean, &centre);
	/* One unit of a batch may always be due to the clock's resolution. */
	expected = fmax(expected, 1 / (double)b->calls);
	serial = serial_near(b, n, centre, NEAR * fmax(deviation, expected), n - clean);
	if (serial.independent < INDEPENDENT)
		return INFINITY;
	*freedom = fmin(*freedom, serial.independent - 1);
	/* With few batches the deviation is itself uncertain. Values that occur in 99 % of samples
	 * of independent calls are ignored; they would make most comparisons less sensitive. */
	if (deviation < expected * (1 + CHANCE / sqrt(clean)))
		deviation = expected;
	return fmax(1, deviation / expected) * sqrt(fmax(serial.time, 1));
}

int trimmed_mean(const uint64_t *count, uint32_t buckets, const struct stats_batches *b,
		 struct trimmed *out)
{
	uint32_t n = b->count < TRIMMED_BATCHES ? b->count : TRIMMED_BATCHES;
	struct kept k = keep(count, buckets);
	double variance = fmax(k.variance, 0), effect, chance;

	if (k.calls < TRIMMED_LEAST || n < TRIMMED_LEAST_BATCHES || !b->calls || !(k.mean > 0))
		return -1;
	effect = dependence(b, n, clean_batches(count, buckets, &k, b, n), variance, &out->freedom);
	if (!isfinite(effect))
		return -1;
	chance = sqrt(variance / k.calls) / (1 - TRIMMED_SHARE) * effect;
	out->location = k.mean;
	out->error = hypot(chance, BUCKET_ERROR * pow(k.squares, 1.5) * k.mean);
	out->spread = variance / (k.mean * k.mean);
	return 0;
}
