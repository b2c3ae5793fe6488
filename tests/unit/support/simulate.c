// SPDX-License-Identifier: GPL-3.0-or-later
/* Random numbers for tests by simulation.
 *
 * SplitMix64 (Steele, Lea and Flood 2014): one word of state, passes BigCrush, and
 * every seed is a good one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/support/simulate.h"

uint64_t simulate_bits(struct simulate *s)
{
	uint64_t z = s->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

double simulate_uniform(struct simulate *s)
{
	return (double)(simulate_bits(s) >> 11) * 0x1p-53;
}

double simulate_exponential(struct simulate *s)
{
	return -log1p(-simulate_uniform(s));
}

double simulate_normal(struct simulate *s)
{
	double radius = sqrt(2 * simulate_exponential(s));

	return radius * cos(2 * M_PI * simulate_uniform(s));
}

uint64_t simulate_ticks(struct simulate *s, double duration, double tick)
{
	return (uint64_t)floor(duration / tick + simulate_uniform(s));
}

unsigned simulate_trials(unsigned all)
{
	return getenv("LONG") ? all : all / 3;
}

void simulate_assert_rate(const char *what, unsigned hits, unsigned trials, double low, double high)
{
	double rate = (double)hits / trials;
	double slack_low = 3 * sqrt(low * (1 - low) / trials);
	double slack_high = 3 * sqrt(high * (1 - high) / trials);

	print_message("             %-46s %7.4f of %u\n", what, rate, trials);
	if (rate < low - slack_low || rate > high + slack_high)
		fail_msg("%s: %u of %u, not within [%g, %g]", what, hits, trials, low, high);
}
