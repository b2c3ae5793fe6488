// SPDX-License-Identifier: GPL-3.0-or-later
/* How often the intervals of stats/causal hold what is so, on programs whose answer a long run of
 * the same recursion gives. Asserts nothing.
 *
 * simulate [RUNS [WINDOWS [WINDOW_MS [SITES [DRIFT [STEAL_MS [SEEN [HIGH [PROGRAM]]]]]]]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/causal/models.h"
#include "stats/numerics/distributions.h"

#define LONG	      5000 /* windows of a run that gives the truth */
#define LONG_WINDOW_S 0.02
#define SHARES	      2

static const double shares[SHARES] = {0.1, 0.3};

struct room {
	struct slopes_window *window;
	unsigned char *level;
	double *delay;
};

struct truth {
	double slope[REAL_SITES], gain[SHARES][REAL_SITES], each[SHARES][REAL_SITES],
		latency[SHARES][REAL_SITES];
};

struct score {
	double slopes, slope_in, found;
	double predictions[SHARES], in[SHARES], at_most[SHARES], plain_in[SHARES], width[SHARES];
	double latency_in[SHARES], latency_told[SHARES], each_in[SHARES];
	double nulls, alarms, carries, bent, conditional;
};

static double rate_of(const struct slopes_window *w, size_t count)
{
	double time = 0, n = 0;

	for (size_t i = 0; i < count; i++) {
		time += w[i].time;
		n += w[i].progress;
	}
	return n / time;
}

static double latency_of(const struct slopes_window *w, size_t count)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < count; i++) {
		sum += w[i].latency;
		n += w[i].progress;
	}
	return sum / n;
}

static void find_truth(enum program p, const struct machine *like, struct room *room,
		       struct truth *out)
{
	struct machine m = *like;
	struct slopes all;
	struct slopes_site site[SLOPES_SITES];
	double call[REAL_SITES], rate, latency;

	m.windows = LONG;
	m.drift = m.steal_every = 0;
	m.sites = models_sites(p);
	models_run(p, &m, room->window, room->level, room->delay, call);
	slopes_fit(&(struct slopes_data){m.windows, m.sites, room->window, room->level, room->delay,
					 0, NULL, NULL},
		   0.05, &all, site);
	for (size_t i = 0; i < m.sites; i++)
		out->slope[i] = site[i].slope.value;
	m.delays = false;
	random_seed(&m.random, 1);
	models_run(p, &m, room->window, room->level, room->delay, call);
	rate = rate_of(room->window, LONG);
	latency = latency_of(room->window, LONG);
	for (size_t k = 0; k < SHARES; k++)
		for (size_t i = 0; i < m.sites; i++) {
			random_seed(&m.random, 1);
			m.which = i;
			m.faster = shares[k];
			m.each = true;
			models_run(p, &m, room->window, room->level, room->delay, call);
			out->each[k][i] = 100 * (rate_of(room->window, LONG) / rate - 1);
			m.each = false;
			random_seed(&m.random, 1);
			models_run(p, &m, room->window, room->level, room->delay, call);
			out->gain[k][i] = 100 * (rate_of(room->window, LONG) / rate - 1);
			out->latency[k][i] = 100 * (1 - latency_of(room->window, LONG) / latency);
		}
}

static void judge(const struct slopes *all, const struct slopes_site *site, double call, size_t i,
		  const struct truth *truth, struct score *s)
{
	double half = distributions_t_quantile(0.975, site->slope.freedom) * site->slope.error;

	s->slopes++;
	s->slope_in += fabs(site->slope.value - truth->slope[i]) <= half;
	s->found += site->q <= 0.05;
	s->bent += site->shape == SLOPES_CONVEX || site->shape == SLOPES_CONCAVE;
	s->conditional += site->shape == SLOPES_CONDITIONAL;
	for (size_t k = 0; k < SHARES; k++) {
		struct slopes_prediction p = slopes_predict(
			all, site, (struct slopes_value){call, 0.002 * call, 100}, shares[k], 0.95);
		bool in = p.low <= truth->gain[k][i] && truth->gain[k][i] <= p.high;

		s->each_in[k] += p.low <= truth->each[k][i] && truth->each[k][i] <= p.high;
		s->predictions[k]++;
		s->in[k] += in;
		s->at_most[k] += p.at_most;
		s->plain_in[k] += in && !p.at_most;
		s->width[k] += (p.high - p.low) / 2;
		s->latency_told[k] += isfinite(p.latency_low);
		s->latency_in[k] += p.latency_low <= truth->latency[k][i] &&
				    truth->latency[k][i] <= p.latency_high;
	}
}

static void run_once(enum program p, struct machine *m, const struct truth *truth,
		     struct room *room, struct score *s)
{
	struct slopes all;
	struct slopes_site site[SLOPES_SITES];
	double call[REAL_SITES];
	size_t real = models_sites(p);

	double busy[MODELS_THREADS], calls[MODELS_THREADS * SLOPES_SITES];

	models_run(p, m, room->window, room->level, room->delay, call);
	size_t threads = models_threads(p, call, m->sites, busy, calls);
	if (slopes_fit(&(struct slopes_data){m->windows, m->sites, room->window, room->level,
					     room->delay, threads, busy, calls},
		       0.05, &all, site))
		abort();
	s->carries += all.carry;
	for (size_t i = 0; i < m->sites; i++) {
		if (i < real && ((p == CLOSED_LOOP && i == 1) || (p == ASLEEP && i == 0)))
			continue;
		if (i < real) {
			judge(&all, &site[i], call[i], i, truth, s);
		} else {
			s->nulls++;
			s->alarms += site[i].q <= 0.05;
		}
	}
}

static void print(enum program p, const struct score *s, double runs)
{
	printf("%-20s %6.1f %5.0f ", program_name[p], 100 * s->slope_in / s->slopes,
	       100 * s->found / s->slopes);
	for (size_t k = 0; k < SHARES; k++)
		printf(" %6.1f %6.1f %4.0f %6.1f %6.2f %6.1f", 100 * s->in[k] / s->predictions[k],
		       100 * s->each_in[k] / s->predictions[k],
		       100 * s->at_most[k] / s->predictions[k],
		       100 * s->plain_in[k] / (s->predictions[k] - s->at_most[k]),
		       s->width[k] / s->predictions[k],
		       100 * s->latency_in[k] / s->latency_told[k]);
	printf("  %5.2f  %4.1f %4.0f %4.0f\n", 100 * s->alarms / s->nulls, 100 * s->carries / runs,
	       100 * s->bent / s->slopes, 100 * s->conditional / s->slopes);
	fflush(stdout);
}

static double argument(int argc, char **argv, int i, double otherwise)
{
	return i < argc ? strtod(argv[i], NULL) : otherwise;
}

int main(int argc, char **argv)
{
	size_t runs = (size_t)argument(argc, argv, 1, 200);
	struct machine m = {
		.windows = (size_t)argument(argc, argv, 2, 600),
		.window_s = argument(argc, argv, 3, 50) / 1e3,
		.sites = (size_t)argument(argc, argv, 4, 12),
		.drift = argument(argc, argv, 5, 0.05),
		.steal_s = argument(argc, argv, 6, 50) / 1e3,
		.steal_every = 50,
		.high = argument(argc, argv, 8, 0.05),
		.delays = true,
	};
	int only = (int)argument(argc, argv, 9, -1);
	size_t most = m.windows > LONG ? m.windows : LONG;
	struct room room = {
		calloc(most, sizeof(struct slopes_window)),
		calloc(most, SLOPES_SITES),
		calloc(most, SLOPES_SITES * sizeof(double)),
	};

	printf("%zu runs of %zu windows of %g ms, %zu sites, drift %g, theft %g ms in 1 of 50, "
	       "higher delay %g of 200 us\n",
	       runs, m.windows, 1e3 * m.window_s, m.sites, m.drift, 1e3 * m.steal_s, m.high);
	printf("program               slope found   10%%-in   each most  plain +-%%    lat-in  "
	       "30%%-in "
	       "most "
	       " plain +-%%    lat-in  alarm carry bent cond\n");
	for (enum program p = 0; p < PROGRAMS; p++) {
		struct truth truth;
		struct score s = {0};

		if (only >= 0 && (int)p != only)
			continue;
		random_seed(&m.random, 7);
		m.faster = 0;
		find_truth(p, &m, &room, &truth);
		for (size_t i = 0; i < models_sites(p); i++)
			printf("  site %zu: slope %.3f, 10 %% brings %.2f %%, 30 %% %.2f %%; "
			       "latency %.2f, "
			       "%.2f\n",
			       i, truth.slope[i], truth.gain[0][i], truth.gain[1][i],
			       truth.latency[0][i], truth.latency[1][i]);
		random_seed(&m.random, 42 + (uint64_t)p);
		for (size_t i = 0; i < runs; i++)
			run_once(p, &m, &truth, &room, &s);
		print(p, &s, (double)runs);
	}
	free(room.window);
	free(room.level);
	free(room.delay);
	return 0;
}
