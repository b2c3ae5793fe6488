// SPDX-License-Identifier: GPL-3.0-or-later
/* Tukey's biweight: a robust location of batch means. Outlying batches get weight 0, unlike in a
 * trimmed mean, whose centre moves when one run has more of them. */
#include "stats/compare/biweight.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "stats/mean/autocorrelation.h"

#define REACH	      6	   /* weights are 0 beyond this many median absolute deviations */
#define FAR_MOST      0.25 /* maximum share of batches with weight 0 */
#define FREEDOM	      0.7  /* degrees of freedom, as a share of n - 1 */
#define STEPS	      50
#define NORMAL_MEDIAN 1.4826 /* normal: standard / median absolute deviation */
/* Maximum ratio of the deviations by median and by closest quarter; 2.4 if normal. */
#define UNLIKE_MOST 5
/* As for a mean: minimum number of independent batches, and minimum share of few batches. */
#define INDEPENDENT	  14
#define INDEPENDENT_SHARE 0.4

double biweight_deviation(const struct stats_batches *b, uint32_t n, uint32_t clean, double *centre)
{
	double x[BIWEIGHT_BATCHES], least = INFINITY;
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

static double biweight(const double *x, uint32_t n, double reach, double start)
{
	double centre = start;

	for (int step = 0; step < STEPS; step++) {
		double weights = 0, sum = 0, next;

		for (uint32_t i = 0; i < n; i++) {
			double u = (x[i] - centre) / reach, w = 1 - u * u;

			if (fabs(u) < 1) {
				weights += w * w;
				sum += w * w * (x[i] - centre);
			}
		}
		next = centre + sum / weights;
		if (fabs(next - centre) < 1e-9 * reach)
			return next;
		centre = next;
	}
	return centre;
}

/* Squared error of the biweight; *kept: number of batches with weight above 0. */
static double biweight_variance(const double *x, uint32_t n, double reach, double centre,
				uint32_t *kept)
{
	double squares = 0, slope = 0;

	*kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		double e = x[i] - centre, u = e / reach, w = 1 - u * u;

		if (fabs(u) >= 1)
			continue;
		(*kept)++;
		squares += e * e * w * w * w * w;
		slope += w * (1 - 5 * u * u);
	}
	return squares / (fmax(slope, 1) * fmax(slope - 1, 1));
}

/* Serial dependence of the batches after outliers were moved to where weights reach 0. */
static struct serial serial_within(const struct stats_batches *b, uint32_t n, double low,
				   double high)
{
	uint64_t moved[BIWEIGHT_BATCHES];
	struct stats_batches within = {b->calls, n, moved};
	double calls = (double)b->calls;

	for (uint32_t i = 0; i < n; i++) {
		double mean = (double)b->sum[i] / calls;

		moved[i] = b->sum[i];
		if (mean < low)
			moved[i] = (uint64_t)(fmax(low, 0) * calls);
		else if (mean > high)
			moved[i] = (uint64_t)(high * calls);
	}
	return autocorrelation_estimate(&within);
}

int biweight_location(const struct stats_batches *b, struct biweight *out)
{
	uint32_t n = b->count < BIWEIGHT_BATCHES ? b->count : BIWEIGHT_BATCHES, kept;
	double x[BIWEIGHT_BATCHES], room[BIWEIGHT_BATCHES], middle, reach, variance, centre;
	struct serial serial;

	if (n < BIWEIGHT_LEAST || b->calls == 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		x[i] = (double)b->sum[i] / (double)b->calls;
	memcpy(room, x, n * sizeof(*x));
	middle = gsl_stats_median(room, 1, n);
	reach = REACH * gsl_stats_mad0(x, 1, n, room);
	if (!(reach > 0) ||
	    reach / REACH * NORMAL_MEDIAN > UNLIKE_MOST * biweight_deviation(b, n, n / 2, &centre))
		return -1;
	out->location = biweight(x, n, reach, middle);
	variance = biweight_variance(x, n, reach, out->location, &kept);
	serial = serial_within(b, n, out->location - reach, out->location + reach);
	out->batches = n;
	out->kept = (double)kept / n;
	out->spread = NAN;
	out->error = sqrt(variance * fmax(serial.time, 1));
	out->freedom = FREEDOM * fmin(n - 1, serial.freedom);
	if (out->kept < 1 - FAR_MOST ||
	    serial.independent < fmin(INDEPENDENT, INDEPENDENT_SHARE * n))
		return -1;
	return 0;
}

void biweight_enlarge(uint64_t *sum, uint32_t *count, uint64_t *calls, uint64_t wanted)
{
	while (*count && *calls < wanted) {
		*count /= 2;
		for (uint32_t i = 0; i < *count; i++)
			sum[i] = sum[2 * i] + sum[2 * i + 1];
		*calls *= 2;
	}
}
