// SPDX-License-Identifier: GPL-3.0-or-later
/* Recursive residuals of batches: the header has the equations. */
#include "serve/sums/variance_counter.h"

#define KEEP                                                                                       \
	0.95 /* a batch's weight shrinks by this factor at each later one: at most 20 batches      \
		count */

void variance_counter_add(struct variance_counter *s, double calls, double time)
{
	if (!(calls > 0))
		return;
	s->waiting += calls;
	if (s->calls > 0) {
		double residual = time - s->time / s->calls * calls;
		double unsure = s->noise / (s->calls * s->calls);

		/* the variance of the first batch is taken to be the second's */
		s->variance += residual * residual / (1 + calls * unsure) * (s->waiting / calls);
		s->batches++;
		s->waiting = 0;
	}
	s->calls = KEEP * s->calls + calls;
	s->time = KEEP * s->time + time;
	s->noise = KEEP * KEEP * s->noise + calls;
}
