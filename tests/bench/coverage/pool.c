// SPDX-License-Identifier: GPL-3.0-or-later
/* Long runs made of segments that were simulated call by call once.
 *
 * Dependence reaches over a few hundred calls at most (AR(1)), over one burst, or over everything
 * but only through the phase (a loop). So segments of 2048 calls, or whole bursts, drawn with
 * replacement, behave like the program; of a loop they are laid end to end in time, and the ticks
 * in between are counted again. Phases of a period that is incommensurable with fixed ticks are
 * spread more evenly than chance would; there a segment is drawn among those that began where the
 * last one ended. The mean that a run estimates is that of the pool, not the law's, and is what
 * must be covered. Runs are rounded to whole segments, bursts apart. */
#include <stdlib.h>

#include "tests/bench/coverage/walk.h"

#define SEGMENT_CALLS 2048
#define SEGMENTS      10000
/* Bursts can be divided between batches at multiples of so many calls; all batches
 * of long runs are such multiples. */
#define PIECE  8
#define PIECES (BURST_CALLS / PIECE)
/* Segments to choose among that began at about the same phase. */
#define NEIGHBOURS 4

struct segment {
	double time;	       /* of all its calls, in ticks */
	double phase, advance; /* of the first call; from there to the call after it */
	double sum_sq;
	uint64_t sum, min, max;
	uint32_t before[PIECES]; /* bursts: ticks before each piece */
};

struct pool {
	struct source source;
	uint64_t calls; /* in a segment */
	unsigned segments;
	double phases; /* sampled, per call */
	struct segment segment[];
};

static bool bursts(const struct cell *c)
{
	return c->dependence >= DEPENDENCE_BURSTS;
}

static const struct segment *any(const struct pool *p, struct dice *d)
{
	return &p->segment[dice_below(d, p->segments)];
}

static bool follows_phases(const struct cell *c)
{
	return cell_period(c) > 0 && !c->randomised;
}

static int by_phase(const void *a, const void *b)
{
	double x = ((const struct segment *)a)->phase, y = ((const struct segment *)b)->phase;

	return (x > y) - (x < y);
}

/* One that began about at `at`, which it moves to where it ends. */
static const struct segment *following(const struct pool *p, double *at, struct dice *d)
{
	unsigned low = 0, high = p->segments;
	const struct segment *s;

	*at -= floor(*at);
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (p->segment[middle].phase < *at)
			low = middle + 1;
		else
			high = middle;
	}
	low += p->segments - NEIGHBOURS / 2 + (unsigned)dice_below(d, NEIGHBOURS);
	s = &p->segment[low % p->segments];
	*at += s->advance;
	return s;
}

static void simulate_segment(struct pool *p, struct segment *s, struct walk *w, struct recorder *r)
{
	bool sampled = r->sample.phase && walk_tells_time(w->cell);
	double begin = w->at;

	*s = (struct segment){.min = UINT64_MAX, .phase = begin - floor(begin)};
	for (uint64_t i = 0; i < p->calls; i++) {
		uint64_t ticks;

		if (bursts(w->cell) && i % PIECE == 0)
			s->before[i / PIECE] = (uint32_t)s->sum;
		if (sampled) {
			walk_enter_burst(w);
			recorder_phase(r, w->at, w->dice);
			r->sample.sums.n++;
		}
		ticks = walk_call(w);
		s->time += w->duration;
		s->sum += ticks;
		s->sum_sq += (double)ticks * (double)ticks;
		if (ticks < s->min)
			s->min = ticks;
		if (ticks > s->max)
			s->max = ticks;
	}
	s->advance = w->at - begin;
}

static void simulate(struct pool *p, uint64_t seed)
{
	const struct cell *c = &p->source.cell;
	uint64_t sampled = 0;
	double sum = 0, time = 0, calls = (double)p->segments * (double)p->calls;
	struct recorder r;
	struct dice d;
	struct walk w;

	dice_seed(&d, seed);
	walk_begin(&w, c, &d);
	recorder_begin(&r, c->n, !c->randomised);
	for (unsigned i = 0; i < p->segments; i++) {
		simulate_segment(p, &p->segment[i], &w, &r);
		sum += (double)p->segment[i].sum;
		time += p->segment[i].time;
	}
	if (follows_phases(c))
		qsort(p->segment, p->segments, sizeof p->segment[0], by_phase);
	for (unsigned i = 0; i < STATS_PHASES; i++)
		sampled += r.phase[i];
	p->phases = walk_tells_time(c) ? (double)sampled / calls : 1 / RECORDER_STRIDE;
	p->source.truth = (c->dependence == DEPENDENCE_LOOP ? time : sum) / calls;
}

static void take(struct recorder *r, const struct segment *s, double *sum_sq)
{
	struct stats_sums *sums = &r->sample.sums;

	sums->sum += s->sum;
	*sum_sq += s->sum_sq;
	if (s->min < sums->min)
		sums->min = s->min;
	if (s->max > sums->max)
		sums->max = s->max;
}

/* Whole segments fill whole batches; what is left is rounded to segments. */
static void fill_batches(const struct pool *p, double at, struct dice *d, struct recorder *r,
			 double *sum_sq)
{
	uint64_t n = p->source.cell.n, calls = r->sample.batches.calls, per = calls / p->calls;
	uint64_t batches = n / calls, segments = (n + p->calls / 2) / p->calls, last = 0;
	bool follows = follows_phases(&p->source.cell);

	for (uint64_t i = 1; i <= segments; i++) {
		take(r, follows ? following(p, &at, d) : any(p, d), sum_sq);
		if (i % per == 0 && i / per <= batches) {
			r->batch[i / per - 1] = r->sample.sums.sum - last;
			last = r->sample.sums.sum;
		}
	}
	r->sample.batches.count = (uint32_t)batches;
	r->sample.sums.n = segments * p->calls;
}

/* Bursts one after another; a batch may end inside one. */
static void fill_bursts(const struct pool *p, struct dice *d, struct recorder *r, double *sum_sq)
{
	uint64_t n = p->source.cell.n, calls = r->sample.batches.calls, base = 0, b = 0;
	uint64_t batches = n / calls;

	for (uint64_t at = 0; at < n; at += p->calls) {
		const struct segment *s = any(p, d);

		for (; b < batches && (b + 1) * calls < at + p->calls; b++) {
			uint64_t sum =
				r->sample.sums.sum + s->before[((b + 1) * calls - at) / PIECE];

			r->batch[b] = sum - base;
			base = sum;
		}
		take(r, s, sum_sq);
	}
	for (; b < batches; b++) {
		r->batch[b] = r->sample.sums.sum - base;
		base = r->sample.sums.sum;
	}
	r->sample.batches.count = (uint32_t)batches;
	r->sample.sums.n = n;
}

/* The ticks of a loop: those of the clock between the ends of its batches. The sum
 * of squares is corrected as if the difference were calls that show one tick more. */
static void fill_loop(const struct pool *p, double at, struct dice *d, struct recorder *r,
		      double *sum_sq)
{
	uint64_t n = p->source.cell.n, calls = r->sample.batches.calls, per = calls / p->calls;
	uint64_t batches = n / calls, segments = (n + p->calls / 2) / p->calls, last = 0, now = 0;
	double usual = floor(p->source.cell.law.mean);
	struct wall wall;

	wall_begin(&wall, at, d);
	for (uint64_t i = 1; i <= segments; i++) {
		const struct segment *s = any(p, d);

		take(r, s, sum_sq);
		at += s->time;
		if (i % per && i < segments)
			continue;
		now = p->source.cell.randomised ? wall_read(&wall, at, d) : (uint64_t)at;
		if (i % per == 0 && i / per <= batches)
			r->batch[i / per - 1] = now - last;
		last = i % per == 0 ? now : last;
	}
	*sum_sq += ((double)now - (double)r->sample.sums.sum) * (2 * usual + 1);
	r->sample.sums.sum = now;
	r->sample.batches.count = (uint32_t)batches;
	r->sample.sums.n = segments * p->calls;
}

static void draw(struct source *s, struct dice *d, struct recorder *r)
{
	struct pool *p = (struct pool *)s;
	const struct cell *c = &s->cell;
	double sum_sq = 0, start = dice_unit(d), step;
	unsigned points = cell_points(c, &step);

	recorder_begin(r, c->n, !c->randomised);
	if (bursts(c))
		fill_bursts(p, d, r, &sum_sq);
	else if (c->dependence == DEPENDENCE_LOOP)
		fill_loop(p, start, d, r, &sum_sq);
	else
		fill_batches(p, start, d, r, &sum_sq);
	r->sample.sums.sum_sq = (stats_u128)sum_sq;
	if (r->sample.phase)
		recorder_scatter_points(r, (uint64_t)((double)c->n * p->phases + dice_unit(d)),
					start, step, points, d);
}

static bool resize(struct source *s, uint64_t n)
{
	struct pool *p = (struct pool *)s;

	s->cell.n = n;
	s->cost_ns = 3000 + (follows_phases(&s->cell) ? 100 : 12) * (double)n / (double)p->calls;
	return true;
}

struct source *pool_create(const struct cell *c, double scale, uint64_t seed)
{
	unsigned segments = (unsigned)(SEGMENTS * scale);
	uint64_t calls = bursts(c) ? BURST_CALLS : SEGMENT_CALLS;
	struct pool *p = malloc(sizeof *p + segments * sizeof p->segment[0]);

	if (!p)
		return NULL;
	p->source = (struct source){.draw = draw, .resize = resize, .cell = *c, .deviation = NAN};
	p->calls = calls;
	p->segments = segments;
	simulate(p, seed);
	resize(&p->source, c->n);
	return &p->source;
}
