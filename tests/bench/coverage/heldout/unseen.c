// SPDX-License-Identifier: GPL-3.0-or-later
/* Further laws of all kinds. Whoever worked on the rule did not know them until it was finished. */
#include "tests/bench/coverage/heldout/stream.h"

static double exponential(struct dice *d)
{
	return -log(dice_unit(d));
}

/* Jobs come in batches of geometric sizes; a call waits for those of its batch before it. */
#define BATCH_STAY 0.95 /* that the batch goes on */

struct batch {
	double waited;
};

/* The stationary place in a batch is geometric from 0 on; each place before it took 1 on average.
 */
static double batch_begin(struct stream *s, struct dice *d)
{
	while (dice_unit(d) < BATCH_STAY)
		STREAM_STATE_OF(struct batch, s)->waited += exponential(d);
	return 1 / (1 - BATCH_STAY);
}

static double batch_next(struct stream *s, struct dice *d)
{
	struct batch *b = STREAM_STATE_OF(struct batch, s);
	double t = b->waited + exponential(d);

	b->waited = dice_unit(d) < BATCH_STAY ? t : 0;
	return t;
}

/* Autoregressive conditional durations (Engle and Russell 1998): volatility that clusters. */
#define ACD_REST 0.03
#define ACD_LAST 0.12
#define ACD_KEPT 0.85
#define ACD_WARM 1500 /* calls, for a half-life of 23 */

struct acd {
	double psi;
};

static double acd_next(struct stream *s, struct dice *d)
{
	struct acd *a = STREAM_STATE_OF(struct acd, s);
	double t = a->psi * exponential(d);

	a->psi = ACD_REST + ACD_LAST * t + ACD_KEPT * a->psi;
	return t;
}

static double acd_begin(struct stream *s, struct dice *d)
{
	STREAM_STATE_OF(struct acd, s)->psi = ACD_REST / (1 - ACD_LAST - ACD_KEPT);
	for (int i = 0; i < ACD_WARM; i++)
		acd_next(s, d);
	return ACD_REST / (1 - ACD_LAST - ACD_KEPT);
}

/* Levels (lognormal) that last for lognormal numbers of calls. What is left of the first is a
 * uniform part of a length drawn by its length, which is lognormal, too. */
#define STAY_MEAN   300.0
#define STAY_SIGMA  1.5
#define LEVEL_SIGMA 0.8

struct renewal {
	double left, level;
};

static double stay(double shift, struct dice *d)
{
	return STAY_MEAN *
	       exp(STAY_SIGMA * dice_normal(d) + (shift - 0.5) * STAY_SIGMA * STAY_SIGMA);
}

static double level(struct dice *d)
{
	return exp(LEVEL_SIGMA * dice_normal(d) - LEVEL_SIGMA * LEVEL_SIGMA / 2);
}

static double renewal_begin(struct stream *s, struct dice *d)
{
	struct renewal *r = STREAM_STATE_OF(struct renewal, s);

	r->left = dice_unit(d) * stay(1, d);
	r->level = level(d);
	return 1;
}

static double renewal_next(struct stream *s, struct dice *d)
{
	struct renewal *r = STREAM_STATE_OF(struct renewal, s);

	for (r->left -= 1; r->left < 0; r->left += stay(0, d))
		r->level = level(d);
	return r->level * (0.8 + 0.4 * dice_unit(d));
}

/* Three modes; a call in 50 begins another. */
struct modes {
	int mode;
};

static const double mode_mean[] = {1, 4, 20}, mode_share[] = {0.7, 0.25, 0.05};

static int draw_mode(struct dice *d)
{
	double u = dice_unit(d);

	return u < mode_share[0] ? 0 : u < mode_share[0] + mode_share[1] ? 1 : 2;
}

static double modes_begin(struct stream *s, struct dice *d)
{
	STREAM_STATE_OF(struct modes, s)->mode = draw_mode(d);
	return mode_share[0] * mode_mean[0] + mode_share[1] * mode_mean[1] +
	       mode_share[2] * mode_mean[2];
}

static double modes_next(struct stream *s, struct dice *d)
{
	struct modes *m = STREAM_STATE_OF(struct modes, s);

	if (dice_unit(d) < 0.02)
		m->mode = draw_mode(d);
	return mode_mean[m->mode] * (0.9 + 0.2 * dice_unit(d));
}

/* Weibull's law of shape 1/2: the square of an exponential. */
static double weibull_begin(struct stream *s, struct dice *d)
{
	(void)s;
	(void)d;
	return 2;
}

static double weibull_next(struct stream *s, struct dice *d)
{
	double e = exponential(d);

	(void)s;
	return e * e;
}

/* Work (1) and gaps (3), and two periodic interruptions of whatever goes on: 5 every 4000, and 40
 * every 10 007, in time without them. The phases are any. */
struct interrupts {
	double until[2];
};

static const double every[] = {4000, 10007}, costs[] = {5, 40};

static double interrupts_begin(struct stream *s, struct dice *d)
{
	struct interrupts *t = STREAM_STATE_OF(struct interrupts, s);

	for (int i = 0; i < 2; i++)
		t->until[i] = every[i] * dice_unit(d);
	return 1 + costs[0] / every[0] + costs[1] / every[1];
}

static double interrupts_next(struct stream *s, struct dice *d)
{
	struct interrupts *t = STREAM_STATE_OF(struct interrupts, s);
	double work = exponential(d), gap = 3 * exponential(d), sum = work;

	for (int i = 0; i < 2; i++) {
		for (t->until[i] -= work; t->until[i] < 0; t->until[i] += every[i])
			sum += costs[i];
		for (t->until[i] -= gap; t->until[i] < 0; t->until[i] += every[i])
			continue;
	}
	return sum;
}

/* A window that grows by one, or is halved: the call takes 1 and 64 over the window. One call in 20
 * changes it; a loss is the more likely the larger it is. */
#define WINDOWS	  64
#define STEP	  0.05
#define ITERATION 4000

struct window {
	int size;
};

static double loss(int size)
{
	return size == WINDOWS ? 1 : 0.002 * size;
}

/* The stationary distribution, by iteration: its half-life is tens of steps. */
static void window_shares(double share[WINDOWS + 1])
{
	for (int w = 0; w <= WINDOWS; w++)
		share[w] = w ? 1.0 / WINDOWS : 0;
	for (int i = 0; i < ITERATION; i++) {
		double next[WINDOWS + 1] = {0};

		for (int w = 1; w <= WINDOWS; w++) {
			next[(w + 1) / 2] += share[w] * loss(w);
			if (w < WINDOWS)
				next[w + 1] += share[w] * (1 - loss(w));
		}
		for (int w = 1; w <= WINDOWS; w++)
			share[w] = next[w];
	}
}

static double window_begin(struct stream *s, struct dice *d)
{
	static _Thread_local double share[WINDOWS + 1];
	double mean = 1, u = dice_unit(d);
	int size = 1;

	if (share[1] + share[2] + share[WINDOWS / 2] <= 0)
		window_shares(share);
	for (int w = 1; w <= WINDOWS; w++)
		mean += share[w] * 64 / w;
	while (size < WINDOWS && (u -= share[size]) > 0)
		size++;
	STREAM_STATE_OF(struct window, s)->size = size;
	return mean;
}

static double window_next(struct stream *s, struct dice *d)
{
	struct window *w = STREAM_STATE_OF(struct window, s);
	double t = exponential(d) * (1 + 64.0 / w->size);

	if (dice_unit(d) < STEP)
		w->size = dice_unit(d) < loss(w->size) ? (w->size + 1) / 2 : w->size + 1;
	return t;
}

/* Retries that wait twice as long each time: the variance is infinite (index 1.32). */
#define RETRY 0.4

static double backoff_begin(struct stream *s, struct dice *d)
{
	(void)s;
	(void)d;
	return (1 - RETRY) / (1 - 2 * RETRY);
}

static double backoff_next(struct stream *s, struct dice *d)
{
	double t = 1;

	(void)s;
	while (dice_unit(d) < RETRY)
		t *= 2;
	return t;
}

/* Every 16th call writes a buffer; every 10^k-th merges a level of a tree, which costs a tenth of
 * the calls since. */
struct merges {
	uint64_t at;
};

#define MERGE_LEVELS 5
#define MERGE_COST   0.1

static double merges_begin(struct stream *s, struct dice *d)
{
	STREAM_STATE_OF(struct merges, s)->at = dice_bits(d) % 10000000;
	return 1 + MERGE_LEVELS * MERGE_COST;
}

static double merges_next(struct stream *s, struct dice *d)
{
	struct merges *m = STREAM_STATE_OF(struct merges, s);
	double t = 0.9 + 0.2 * dice_unit(d);
	uint64_t every_th = 100;

	m->at++;
	for (int k = 0; k < MERGE_LEVELS && m->at % every_th == 0; k++, every_th *= 10)
		t += MERGE_COST * (double)every_th;
	return t;
}

/* Every 128th call fills a buffer: as long as a batch, or a part of one. */
static double refill_begin(struct stream *s, struct dice *d)
{
	STREAM_STATE_OF(struct merges, s)->at = dice_below(d, 128);
	return 1 + 40.0 / 128;
}

static double refill_next(struct stream *s, struct dice *d)
{
	return 0.9 + 0.2 * dice_unit(d) +
	       (++STREAM_STATE_OF(struct merges, s)->at % 128 ? 0 : 30 + 20 * dice_unit(d));
}

const struct stream_law stream_unseen[] = {
	{"batch-arrivals", batch_begin, batch_next, .dependent = true},
	{"acd", acd_begin, acd_next, .dependent = true},
	{"lognormal-stays", renewal_begin, renewal_next, .dependent = true},
	{"three-modes", modes_begin, modes_next, .dependent = true},
	{"weibull-0.5", weibull_begin, weibull_next, .dependent = false},
	{"two-interrupts", interrupts_begin, interrupts_next, .dependent = true},
	{"window", window_begin, window_next, .dependent = true},
	{"backoff", backoff_begin, backoff_next, .limited = 2.782735053},
	{"merges", merges_begin, merges_next, .dependent = true},
	{"refill-128", refill_begin, refill_next, .dependent = true},
	{0},
};
