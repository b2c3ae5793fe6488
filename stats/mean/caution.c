// SPDX-License-Identifier: GPL-3.0-or-later
/* The constants were chosen by the coverage study: docs/coverage.md. */
#include <math.h>

#include "stats/mean/caution.h"

/* Autocorrelation times up to that of neighbours that correlate by so many standard errors may be
 * chance. */
#define SIGNIFICANT	 1.3
#define MANY_INDEPENDENT 24
#define FEW_INDEPENDENT	 18
/* Lags in the window, in autocorrelation times; half of the series at most. */
#define WINDOW 2.5
/* Fewer are as good as a guess: the interval would tell nothing. */
#define LEAST_FREEDOM 2
/* Standard errors that the time is taken longer. */
#define ERRORS 1.5

static double relative_error(const struct serial *s)
{
	double lags = s->batches * fmin(WINDOW / s->independent, 0.5);

	return sqrt(2 * (2 * lags + 1) / s->batches);
}

struct caution caution_estimate(const struct serial *s)
{
	double few = (MANY_INDEPENDENT - s->independent) / (MANY_INDEPENDENT - FEW_INDEPENDENT);
	struct caution c = {1, s->freedom};

	if (!(s->time > 1 + 2 * SIGNIFICANT / sqrt(s->batches)) || !(few > 0))
		return c;
	c.variance = 1 + ERRORS * fmin(few, 1) * relative_error(s);
	c.freedom = fmin(c.freedom, fmax(LEAST_FREEDOM, s->independent / c.variance - 1));
	return c;
}
