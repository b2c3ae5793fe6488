// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/causal/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BIN	    1e-3 /* seconds: speed and theft change at their edges */
#define QUEUE	    8
#define BLOCK	    20	   /* windows */
#define UNIT	    200e-6 /* about what a unit takes: delays are shares of it */
#define LONGEST_LAG 6

const char *const program_name[PROGRAMS] = {
	"one thread",	    "pipeline 100:60",	   "pipeline 100:85",
	"pipeline 100:100", "fork-join",	   "lock, 3 threads",
	"open loop, 60 %",  "closed loop, 2 CPUs", "its sleeping call",
};

/* Mean service times in seconds; 0: no such site. */
static const double service[PROGRAMS][REAL_SITES] = {
	{60e-6, 100e-6, 40e-6}, {100e-6, 60e-6}, {100e-6, 85e-6}, {100e-6, 100e-6},
	{80e-6, 60e-6, 60e-6},	{200e-6, 60e-6}, {120e-6},	  {80e-6, 120e-6},
	{80e-6, 120e-6},
};

size_t models_sites(enum program which)
{
	size_t n = 0;

	while (n < REAL_SITES && service[which][n] > 0)
		n++;
	return n;
}

/* Calls a unit of each thread at each site. */
static const double share[PROGRAMS][MODELS_THREADS][REAL_SITES] = {
	[SERIAL] = {{1, 1, 1}},
	[UNBALANCED] = {{1}, {0, 1}},
	[NEAR] = {{1}, {0, 1}},
	[BALANCED] = {{1}, {0, 1}},
	[FORK_JOIN] = {{1, 0, 1}, {0, 1}},
	[LOCK] = {{1. / 3, 1. / 3}, {1. / 3, 1. / 3}, {1. / 3, 1. / 3}},
	[OPEN_LOOP] = {{1}},
	[CLOSED_LOOP] = {{0.25}, {0.25}, {0.25}, {0.25}},
	[ASLEEP] = {{0.25}, {0.25}, {0.25}, {0.25}},
};

size_t models_threads(enum program which, const double call[REAL_SITES], size_t sites, double *busy,
		      double *calls)
{
	size_t threads = 0;

	for (; threads < MODELS_THREADS; threads++) {
		double all = 0;

		memset(calls + threads * sites, 0, sites * sizeof(*calls));
		busy[threads] = 0;
		for (size_t s = 0; s < REAL_SITES && s < sites; s++) {
			double each = share[which][threads][s];

			calls[threads * sites + s] = each;
			busy[threads] += each * call[s];
			all += each;
		}
		if (!(all > 0))
			break;
	}
	return threads;
}

struct state {
	struct machine *m;
	enum program which;
	struct slopes_window *window;
	const double *delay;
	double *slow;	/* [bins] */
	double *stolen; /* [bins]: seconds until then */
	size_t bins;
	double sum[REAL_SITES], calls[REAL_SITES];
	bool over;
};

static double uniform(struct random *r)
{
	return ((double)(random_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random *r)
{
	return sqrt(-2 * log(uniform(r))) * cos(2 * M_PI * uniform(r));
}

static size_t bin_of(const struct state *s, double t)
{
	size_t b = (size_t)(t / BIN);

	return b < s->bins ? b : s->bins - 1;
}

static size_t window_of(const struct state *s, double t)
{
	return (size_t)((t + s->stolen[bin_of(s, t)]) / s->m->window_s);
}

/* One over f: a sum of autoregressions, each four times as slow; and steps now and then. */
static void make_machine(struct state *s)
{
	double part[LONGEST_LAG] = {0}, step = 0, sum = 0, mean = 0;
	struct machine *m = s->m;
	double often = m->steal_every > 0 ? BIN / m->window_s / m->steal_every : 0;

	for (size_t b = 0; b < s->bins; b++) {
		double log_slow = 0, lag = 20;

		for (int i = 0; i < LONGEST_LAG; i++, lag *= 4) {
			double keep = exp(-1 / lag);

			part[i] = b ? keep * part[i] + sqrt(1 - keep * keep) * normal(&m->random)
				    : normal(&m->random);
			log_slow += part[i] / sqrt(LONGEST_LAG);
		}
		if (uniform(&m->random) < BIN / 5)
			step = normal(&m->random);
		s->slow[b] = exp(m->drift * (log_slow + step));
		mean += s->slow[b] / (double)s->bins;
		if (uniform(&m->random) < often)
			sum += m->steal_s;
		s->stolen[b] = sum;
	}
	for (size_t b = 0; b < s->bins; b++)
		s->slow[b] /= mean;
}

/* A call at a site that begins at t: its service, and the delay of the window. */
static double spin(struct state *s, size_t site, double t)
{
	size_t w = window_of(s, t);

	return s->m->delays && w < s->m->windows ? s->delay[w * s->m->sites + site] : 0;
}

static double serve(struct state *s, size_t site, double t)
{
	/* 45 % and a gamma of shape 3: shorter calls stay above 0. */
	double log_u =
		log(uniform(&s->m->random) * uniform(&s->m->random) * uniform(&s->m->random));
	double x = service[s->which][site] * (0.45 - 0.55 / 3 * log_u);

	x *= s->slow[bin_of(s, t)];
	if (site == s->m->which)
		x = s->m->each ? x * (1 - s->m->faster)
			       : fmax(0, x - s->m->faster * service[s->which][site]);
	s->sum[site] += x;
	s->calls[site]++;
	return x;
}

static double call(struct state *s, size_t site, double t)
{
	double x = spin(s, site, t);

	return t + x + serve(s, site, t + x);
}

static void complete(struct state *s, double begin, double end)
{
	size_t w = window_of(s, end);

	if (w >= s->m->windows) {
		s->over = true;
		return;
	}
	s->window[w].progress++;
	s->window[w].latency += end - begin;
}

static void run_serial(struct state *s)
{
	double t = 0, begin;

	while (!s->over) {
		begin = t;
		for (size_t i = 0; i < 3; i++)
			t = call(s, i, t);
		complete(s, begin, t);
	}
}

static void run_pipeline(struct state *s)
{
	double end[QUEUE] = {0}, a = 0, b = 0, begin;

	for (size_t i = 0; !s->over; i++) {
		begin = fmax(a, end[i % QUEUE]);
		a = call(s, 0, begin);
		b = call(s, 1, fmax(a, b));
		end[i % QUEUE] = b;
		complete(s, begin, b);
	}
}

static void run_fork_join(struct state *s)
{
	double t = 0, begin;

	while (!s->over) {
		begin = t;
		t = fmax(call(s, 0, t), call(s, 1, t));
		t = call(s, 2, t);
		complete(s, begin, t);
	}
}

static size_t first_of(const double *t, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (t[i] < t[best])
			best = i;
	return best;
}

static void run_lock(struct state *s)
{
	double wants[3], begin[3] = {0}, unlocked = 0;

	for (size_t i = 0; i < 3; i++)
		wants[i] = call(s, 0, 0);
	while (!s->over) {
		size_t i = first_of(wants, 3);

		unlocked = call(s, 1, fmax(unlocked, wants[i]));
		complete(s, begin[i], unlocked);
		begin[i] = unlocked;
		wants[i] = call(s, 0, unlocked);
	}
}

static void run_open(struct state *s)
{
	double t = 0, done = 0;

	while (!s->over) {
		t -= log(uniform(&s->m->random)) * 200e-6;
		done = call(s, 0, fmax(t, done));
		complete(s, t, done);
	}
}

/* Four workers on two CPUs: computing, and asleep. A delay of the call that sleeps is spun before
 * it, on the CPU. */
static void run_closed(struct state *s)
{
	double ready[4] = {0}, cpu[2] = {0};

	while (!s->over) {
		size_t i = first_of(ready, 4), c = first_of(cpu, 2);
		double begin = ready[i], t = call(s, 0, fmax(begin, cpu[c]));

		t += spin(s, 1, t);
		cpu[c] = t;
		ready[i] = t + serve(s, 1, t);
		complete(s, begin, ready[i]);
	}
}

static void draw(struct machine *m, size_t windows, unsigned char *level, double *delay)
{
	for (size_t i = 0; i < windows * m->sites; i++) {
		uint64_t r = random_below(&m->random, 4);

		level[i] = r < 2 ? 0 : (unsigned char)(r - 1);
		delay[i] = m->high * UNIT * level[i] / 2;
	}
}

void models_run(enum program which, struct machine *m, struct slopes_window *window,
		unsigned char *level, double *delay, double mean[REAL_SITES])
{
	static void (*const run[PROGRAMS])(struct state *) = {
		run_serial, run_pipeline, run_pipeline, run_pipeline, run_fork_join,
		run_lock,   run_open,	  run_closed,	run_closed,
	};
	struct state s = {.m = m, .which = which, .window = window, .delay = delay};

	s.bins = (size_t)((double)m->windows * m->window_s / BIN) + 100;
	s.slow = calloc(2 * s.bins, sizeof(double));
	if (!s.slow)
		abort();
	s.stolen = s.slow + s.bins;
	make_machine(&s);
	draw(m, m->windows, level, delay);
	for (size_t w = 0; w < m->windows; w++)
		window[w] = (struct slopes_window){.time = m->window_s, .block = w / BLOCK};
	run[which](&s);
	for (size_t i = 0; i < REAL_SITES; i++)
		mean[i] = s.calls[i] > 0 ? s.sum[i] / s.calls[i] : 0;
	free(s.slow);
}
