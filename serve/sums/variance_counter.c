// SPDX-License-Identifier: GPL-3.0-or-later
/* See the header. */
#include "serve/sums/variance_counter.h"

#define KEEP 0.95 /* of a batch's weight, at each later one: 20 batches are known at most */

void variance_counter_add(struct spread *s, double calls, double time)
{
	if (!(calls > 0))
		return;
	s->waiting += calls;
	if (s->calls > 0) {
		double residual = time - s->time / s->calls * calls;
		double unsure = s->noise / (s->calls * s->calls);

		/* the first batch of all scatters as the second one does */
		s->variance += residual * residual / (1 + calls * unsure) * (s->waiting / calls);
		s->batches++;
		s->waiting = 0;
	}
	s->calls = KEEP * s->calls + calls;
	s->time = KEEP * s->time + time;
	s->noise = KEEP * KEEP * s->noise + calls;
}
