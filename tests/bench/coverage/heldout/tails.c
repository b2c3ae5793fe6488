// SPDX-License-Identifier: GPL-3.0-or-later
/* Independent durations with heavy tails. */
#include "tests/bench/coverage/heldout/stream.h"

/* E min(T, x) = (a - x^(1 - a)) / (a - 1). */
static double pareto_begin(struct stream *s, struct dice *d)
{
	(void)d;
	return s->law->a / (s->law->a - 1);
}

/* P(T > x) = x^-a from 1 on. */
static double pareto_next(struct stream *s, struct dice *d)
{
	return pow(dice_unit(d), -1 / s->law->a);
}

const struct stream_law stream_tails[] = {
	{"pareto-1.2", pareto_begin, pareto_next, .a = 1.2, .limited = 4.744056785},
	{"pareto-1.5", pareto_begin, pareto_next, .a = 1.5, .limited = 2.936754447},
	{"pareto-2.5", pareto_begin, pareto_next, .a = 2.5},
	{0},
};
