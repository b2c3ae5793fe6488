// SPDX-License-Identifier: GPL-3.0-or-later
/* Processes that stay in a state for some calls: on and off, fast and slow, and levels that last
 * for all lengths of time (1/f). A first sojourn is what remains of one at a random instant. */
#include "tests/bench/coverage/heldout/stream.h"

#define ON_LEVEL   5
#define OFF_LEVEL  1
#define RUN_STAYS  20 /* of the two-state Markov process, in a run */
#define HIT_TIME   1
#define MISS_TIME  20
#define PINK_ROWS  20
#define PINK_SIGMA 1.0

struct sojourn {
	double left; /* calls */
	int state;
};

static double exponential(struct dice *d)
{
	return -log(dice_unit(d));
}

static double on_off(const struct sojourn *s, struct dice *d)
{
	return exponential(d) * (s->state ? ON_LEVEL : OFF_LEVEL);
}

/* Pareto lengths of index a and mean b: the least is b (a - 1) / a. */
static double pareto_length(const struct stream_law *l, struct dice *d)
{
	return l->b * (l->a - 1) / l->a * pow(dice_unit(d), -1 / l->a);
}

/* What is left has the density of the lengths' survival: uniform up to the least length with
 * probability (a - 1) / a, else Pareto of index a - 1. */
static double pareto_onoff_begin(struct stream *s, struct dice *d)
{
	struct sojourn *o = STREAM_STATE_OF(struct sojourn, s);
	const struct stream_law *l = s->law;
	double least = l->b * (l->a - 1) / l->a;

	o->state = dice_unit(d) < 0.5;
	o->left = dice_unit(d) < (l->a - 1) / l->a ? least * dice_unit(d)
						   : least * pow(dice_unit(d), -1 / (l->a - 1));
	return (ON_LEVEL + OFF_LEVEL) / 2.0;
}

static double pareto_onoff_next(struct stream *s, struct dice *d)
{
	struct sojourn *o = STREAM_STATE_OF(struct sojourn, s);

	for (o->left -= 1; o->left < 0; o->state = !o->state)
		o->left += pareto_length(s->law, d);
	return on_off(o, d);
}

static double markov_begin(struct stream *s, struct dice *d)
{
	STREAM_STATE_OF(struct sojourn, s)->state = dice_unit(d) < 0.5;
	return (ON_LEVEL + OFF_LEVEL) / 2.0;
}

static double markov_next(struct stream *s, struct dice *d)
{
	struct sojourn *o = STREAM_STATE_OF(struct sojourn, s);
	double t = on_off(o, d);

	if (dice_unit(d) * (double)s->n < RUN_STAYS)
		o->state = !o->state;
	return t;
}

/* Phases in which 1 % of the calls miss a cache, and phases in which 40 % do; they last 2000 and
 * 500 calls on average. */
static const struct {
	double miss, calls;
} phase[] = {{0.01, 2000}, {0.4, 500}};

static double phases_begin(struct stream *s, struct dice *d)
{
	double second = phase[1].calls / (phase[0].calls + phase[1].calls), miss;

	STREAM_STATE_OF(struct sojourn, s)->state = dice_unit(d) < second;
	miss = (1 - second) * phase[0].miss + second * phase[1].miss;
	return (1 - miss) * HIT_TIME + miss * MISS_TIME;
}

static double phases_next(struct stream *s, struct dice *d)
{
	struct sojourn *o = STREAM_STATE_OF(struct sojourn, s);
	double miss = phase[o->state].miss;

	if (dice_unit(d) * phase[o->state].calls < 1)
		o->state = !o->state;
	return dice_unit(d) < miss ? MISS_TIME * exponential(d)
				   : HIT_TIME * (0.9 + 0.2 * dice_unit(d));
}

/* 1/f noise as the sum of values of which the k-th is renewed every 2^k calls (Voss's algorithm,
 * in Gardner, Scientific American, April 1978), up to periods of 2^20 calls; its exponential. */
struct pink {
	double row[PINK_ROWS], sum;
	uint64_t at;
};

static double pink_begin(struct stream *s, struct dice *d)
{
	struct pink *p = STREAM_STATE_OF(struct pink, s);

	p->at = dice_bits(d);
	for (int k = 0; k < PINK_ROWS; k++)
		p->sum += p->row[k] = dice_normal(d);
	return 1;
}

static double pink_next(struct stream *s, struct dice *d)
{
	struct pink *p = STREAM_STATE_OF(struct pink, s);
	int k = __builtin_ctzll(++p->at | UINT64_C(1) << 63);

	if (k < PINK_ROWS) {
		p->sum -= p->row[k];
		p->sum += p->row[k] = dice_normal(d);
	}
	return exp(PINK_SIGMA * p->sum / sqrt(PINK_ROWS) - PINK_SIGMA * PINK_SIGMA / 2);
}

const struct stream_law stream_sojourns[] = {
	{"onoff-pareto-1.5", pareto_onoff_begin, pareto_onoff_next, 1.5, 50, .dependent = true},
	{"onoff-pareto-1.2", pareto_onoff_begin, pareto_onoff_next, 1.2, 50, .dependent = true},
	{"markov-20", markov_begin, markov_next, .dependent = true},
	{"two-speeds", phases_begin, phases_next, .dependent = true},
	{"lognormal-1/f", pink_begin, pink_next, .dependent = true},
	{0},
};
