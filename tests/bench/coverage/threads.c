// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls are walked one by one: there is no short cut to be checked. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "profile/profile.h"
#include "tests/bench/coverage/threads.h"
#include "tests/bench/coverage/walk.h"

#define SLOW_LEVEL 20
#define RARE_LEVEL 100
#define RARE_SHARE 0.05

const char *const threads_names[THREADS_KINDS] = {"alike", "levels", "slow", "rare"};

struct threads {
	struct source source;
	struct threads_program program;
	double outside;
};

static double level_of(enum threads_kind kind, struct dice *d)
{
	switch (kind) {
	case THREADS_LEVELS:
		return exp(BURST_SIGMA * dice_normal(d) - BURST_SIGMA * BURST_SIGMA / 2);
	case THREADS_SLOW:
		return SLOW_LEVEL;
	case THREADS_RARE:
		return dice_unit(d) < RARE_SHARE ? RARE_LEVEL : 1;
	default:
		return 1;
	}
}

static double mean_level(enum threads_kind kind)
{
	if (kind == THREADS_RARE)
		return 1 + RARE_SHARE * (RARE_LEVEL - 1);
	return kind == THREADS_SLOW ? SLOW_LEVEL : 1;
}

/* One thread's calls, added to the site's. */
static void add_thread(struct prof_sums *site, uint64_t calls, double mean, struct dice *d)
{
	struct law law = {LAW_EXPONENTIAL, mean};
	struct recorder r;
	struct prof_sums one;

	recorder_begin(&r, calls, false);
	for (uint64_t i = 0; i < calls; i++)
		recorder_add(&r, walk_fixed_ticks(law_draw(&law, d), d));
	one = (struct prof_sums){
		.calls = calls,
		.units = r.sample.sums.sum,
		.units_sq = r.sample.sums.sum_sq,
		.min_units = r.sample.sums.min,
		.max_units = r.sample.sums.max,
		.batches = {r.sample.batches.calls, r.sample.batches.count, r.batch}};
	if (calls && sums_add(site, &one))
		abort();
}

static struct stats_apart apart_of(const struct prof_sums *s)
{
	const struct prof_apart *a = s->apart;

	return a ? (struct stats_apart){(double)a->stretches, (double)a->calls_sq,
					(double)a->calls_units, (double)a->units_sq}
		 : (struct stats_apart){0};
}

static void record(struct recorder *r, const struct prof_sums *site)
{
	recorder_begin(r, site->calls, false);
	r->sample.sums = (struct stats_sums){.n = site->calls,
					     .sum = site->units,
					     .sum_sq = site->units_sq,
					     .min = site->min_units,
					     .max = site->max_units,
					     .tick = 1,
					     .unit = 1};
	r->sample.batches.calls = site->batches.calls;
	r->sample.batches.count = site->batches.count;
	for (uint32_t i = 0; i < site->batches.count; i++)
		r->batch[i] = site->batches.sum[i];
	r->sample.apart = apart_of(site);
}

static void draw(struct source *s, struct dice *d, struct recorder *r)
{
	struct threads *t = (struct threads *)s;
	const struct threads_program *p = &t->program;
	struct prof_sums site = {0};
	uint64_t threads = p->random ? gsl_ran_poisson(&d->gsl, (double)p->threads) : p->threads;

	if (p->long_calls)
		add_thread(&site, p->long_calls, p->mean, d);
	for (uint64_t i = 0; i < threads; i++)
		add_thread(&site, p->calls, p->mean * level_of(p->kind, d), d);
	record(r, &site);
	t->outside = 1 - (double)site.batches.calls * site.batches.count / (double)site.calls;
	sums_clear(&site);
}

double threads_outside(const struct source *s)
{
	return ((const struct threads *)s)->outside;
}

struct source *threads_create(const struct threads_program *p)
{
	double shorts = (double)p->threads * (double)p->calls, longs = (double)p->long_calls;
	struct threads *t = malloc(sizeof *t);

	if (!t)
		return NULL;
	*t = (struct threads){.program = *p};
	t->source = (struct source){
		.draw = draw,
		.cell = {.law = {LAW_EXPONENTIAL, p->mean}, .n = (uint64_t)(longs + shorts)},
		.truth = p->mean * (longs + shorts * mean_level(p->kind)) / (longs + shorts),
		.deviation = NAN,
	};
	return &t->source;
}
