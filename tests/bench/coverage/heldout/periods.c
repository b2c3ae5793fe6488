// SPDX-License-Identifier: GPL-3.0-or-later
/* What comes back at regular distances, with a random phase: rare long calls, pauses, slow tides
 * and buffers that fill. The true mean is that over a whole period. */
#include "tests/bench/coverage/heldout/stream.h"

#define TIDE 0.5 /* amplitude, in means */

struct period {
	double at, length; /* calls */
};

static double exponential(struct dice *d)
{
	return -log(dice_unit(d));
}

static struct period *begin(struct stream *s, double length, struct dice *d)
{
	struct period *p = STREAM_STATE_OF(struct period, s);

	p->length = length;
	p->at = floor(length * dice_unit(d));
	return p;
}

/* Advance; whether a new period began. */
static bool wraps(struct period *p)
{
	if (++p->at < p->length)
		return false;
	p->at -= p->length;
	return true;
}

/* Every a-th call is b times as long as the others, which take 0.9 to 1.1. */
static double every_begin(struct stream *s, struct dice *d)
{
	begin(s, s->law->a, d);
	return 1 + (s->law->b - 1) / s->law->a;
}

static double every_next(struct stream *s, struct dice *d)
{
	return (0.9 + 0.2 * dice_unit(d)) *
	       (wraps(STREAM_STATE_OF(struct period, s)) ? s->law->b : 1);
}

/* Every a-th call, exponential like the others, waits for a pause of b (1 +- 20 %) more. */
static double pause_begin(struct stream *s, struct dice *d)
{
	begin(s, s->law->a, d);
	return 1 + s->law->b / s->law->a;
}

static double pause_next(struct stream *s, struct dice *d)
{
	double t = exponential(d);

	return wraps(STREAM_STATE_OF(struct period, s)) ? t + s->law->b * (0.8 + 0.4 * dice_unit(d))
							: t;
}

/* A slow sine of which a run sees `a` periods. The phase is any, so `at` need not be whole. */
static double tide_begin(struct stream *s, struct dice *d)
{
	struct period *p = begin(s, (double)s->n / s->law->a, d);

	p->at = p->length * dice_unit(d);
	return 1;
}

static double tide_next(struct stream *s, struct dice *d)
{
	struct period *p = STREAM_STATE_OF(struct period, s);

	wraps(p);
	return exponential(d) * (1 + TIDE * sin(2 * M_PI * p->at / p->length));
}

/* A buffer of a calls: each finds one more entry to pass, b of them cost 1. */
static double sawtooth_begin(struct stream *s, struct dice *d)
{
	begin(s, s->law->a, d);
	return 1 + (s->law->a - 1) / 2 / s->law->b;
}

static double sawtooth_next(struct stream *s, struct dice *d)
{
	struct period *p = STREAM_STATE_OF(struct period, s);

	wraps(p);
	return 0.9 + 0.2 * dice_unit(d) + p->at / s->law->b;
}

const struct stream_law stream_periods[] = {
	{"every-97th", every_begin, every_next, 97, 100, .dependent = true},
	{"pause-40000", pause_begin, pause_next, 40000, 5000, .dependent = true},
	{"pause-250000", pause_begin, pause_next, 250000, 50000, .dependent = true},
	{"tide-0.37", tide_begin, tide_next, .a = 0.37, .dependent = true},
	{"tide-1", tide_begin, tide_next, .a = 1, .dependent = true},
	{"tide-3.4", tide_begin, tide_next, .a = 3.4, .dependent = true},
	{"tide-10", tide_begin, tide_next, .a = 10, .dependent = true},
	{"sawtooth-1000", sawtooth_begin, sawtooth_next, 1000, 250, .dependent = true},
	{"sawtooth-30000", sawtooth_begin, sawtooth_next, 30000, 7500, .dependent = true},
	{0},
};
