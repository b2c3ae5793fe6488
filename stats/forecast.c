// SPDX-License-Identifier: GPL-3.0-or-later
/* How many calls more, judged by those that were made.
 *
 * The standard error falls with the square root of the calls. Beside it an interval
 * has a part that falls faster: what an exact interval adds for few ticks (about
 * half a tick on each side), what skewness adds to Student's t. With u = sqrt(n/n')
 *   half width (n') = s u (q + (c - q) u),
 * c the half width now in standard errors s, q the quantile for many calls. And the
 * error of what was subtracted stays as it is.
 */
#include <math.h>

#include "stats/plan.h"
#include "stats/distributions.h"

/* A long run keeps 32 to 63 batches, some of them dependent: about so many degrees
 * of freedom, however many calls there are. */
#define LASTING_FREEDOM 40

double forecast_calls(const struct stats_finished *f, double confidence, double p)
{
	double half = (f->high - f->low) / 2, target = p * f->mean / 2, s, c, q, a, b, u;
	double fixed = plan_two_sided_z(confidence) * f->fixed;

	if (!(f->mean > 0) || !isfinite(half) || !isfinite(f->error) || !(f->n >= 2))
		return NAN;
	if (half <= target)
		return f->n;
	if (target <= fixed)
		return INFINITY;
	s = sqrt(fmax(0, f->error * f->error - f->fixed * f->fixed));
	if (!(s > 0))
		return NAN;
	target = sqrt(target * target - fixed * fixed);
	q = distributions_t_quantile(0.5 + confidence / 2, LASTING_FREEDOM);
	c = fmax(q, sqrt(fmax(0, half * half - fixed * fixed)) / s);
	a = (c - q) * s;
	b = q * s;
	/* a u^2 + b u = target, written so that a = 0 divides by nothing */
	u = 2 * target / (b + sqrt(b * b + 4 * a * target));
	return fmax(f->n, f->n / (u * u));
}
