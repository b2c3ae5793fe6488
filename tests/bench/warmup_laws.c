// SPDX-License-Identifier: GPL-3.0-or-later
/* How often is a part of a steady program set aside as warm-up, and how often a real warm-up?
 *
 *   warmup_laws [RUNS] [CALLS...]		2000 runs of 200, 2000 and 20000 calls
 *
 * One line a law and number of calls: share of the runs in which a part was set aside; in those,
 * the share of the batches and the mean of the rest over the run's own; share of all intervals that
 * hold the true mean (of calls that are warm), of those after something was set aside. `t` marks
 * the laws that the rule was chosen on, `h` those held out. Fixed seeds. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/mean/mean_interval.h"
#include "stats/numerics/random.h"
#include "stats/stationarity/warmup.h"

#define BATCHES 64
#define UNITS	10000 /* a mean of about so many */
#define OCTAVES 17

static struct random dice;

static double uniform(void)
{
	return ((double)(random_next(&dice) >> 11) + 0.5) * 0x1p-53;
}

static double exponential(void)
{
	return -log(uniform());
}

static double normal(void)
{
	return sqrt(2 * exponential()) * cos(2 * M_PI * uniform());
}

static double pareto(double exponent) /* mean 1 */
{
	return (exponent - 1) / exponent * pow(uniform(), -1 / exponent);
}

/* State of a law between calls. */
static struct {
	bool slow;
	double left; /* calls in this state */
	double wave[OCTAVES];
	uint64_t call, calls; /* this one, of so many */
} now;

struct law {
	const char *name;
	char half;
	double (*duration)(double a, double b, double c);
	double a, b, c;
};

/* Autocorrelation `a` of the logarithm, whose deviation is `b`. */
static double correlated(double a, double b, double c)
{
	(void)c;
	now.wave[0] = now.call ? a * now.wave[0] + sqrt(1 - a * a) * normal() : normal();
	return exp(b * now.wave[0]);
}

static double independent(double a, double b, double c)
{
	(void)a, (void)b, (void)c;
	return exponential();
}

static double heavy(double a, double b, double c)
{
	(void)b, (void)c;
	return pareto(a);
}

static double spread(double a, double b, double c)
{
	(void)b, (void)c;
	return exp(a * normal());
}

/* Sojourns of `a` calls fast, of `b` slow, geometric; slow calls take `c` times as long. Below 1:
 * shares of the run. */
static double two_states(double a, double b, double c)
{
	double fast = a < 1 ? a * (double)now.calls : a, slow = b < 1 ? b * (double)now.calls : b;

	if (!now.call) {
		now.slow = uniform() < slow / (fast + slow);
		now.left = exponential() * (now.slow ? slow : fast);
	}
	while (now.left < 1) {
		now.slow = !now.slow;
		now.left += exponential() * (now.slow ? slow : fast);
	}
	now.left--;
	return (now.slow ? c : 1) * (0.9 + 0.2 * uniform());
}

/* The same with sojourns that are Pareto-distributed, exponent 1.5, begun long before. */
static double on_off(double a, double b, double c)
{
	for (int i = 0; !now.call && i < 200; i++) {
		now.slow = !now.slow;
		now.left = pareto(1.5) * (now.slow ? b : a) * uniform();
	}
	while (now.left < 1) {
		now.slow = !now.slow;
		now.left += pareto(1.5) * (now.slow ? b : a);
	}
	now.left--;
	return (now.slow ? c : 1) * (0.5 + exponential() / 2);
}

/* A pause of `b` calls' length each `a` calls or so, at a random phase. */
static double pauses(double a, double b, double c)
{
	(void)c;
	if (!now.call)
		now.left = a * uniform();
	if (--now.left > 0)
		return 0.8 + 0.4 * uniform();
	now.left += a;
	return b;
}

/* 1/f: waves of all octaves, each renewed at random times. */
static double flicker(double a, double b, double c)
{
	double sum = 0;

	(void)b, (void)c;
	for (int i = 0; i < OCTAVES; i++) {
		if (!now.call || uniform() < ldexp(1, -i))
			now.wave[i] = normal();
		sum += now.wave[i];
	}
	return exp(a * sum / sqrt(OCTAVES)) * (0.8 + 0.4 * uniform());
}

static const struct law steady[] = {
	{"independent, exponential", 't', independent, 0, 0, 0},
	{"Pareto 1.5", 't', heavy, 1.5, 0, 0},
	{"AR(1) 0.9", 't', correlated, 0.9, 0.5, 0},
	{"AR(1) 0.999", 't', correlated, 0.999, 0.5, 0},
	{"bursts 20 of 200, 10x", 't', two_states, 180, 20, 10},
	{"convoy 50 of 250, 10x", 't', two_states, 200, 50, 10},
	{"sojourns 1/20 of run, 3x", 't', two_states, 0.05, 0.05, 3},
	{"convoys 1/50, 1/10 apart, 5x", 't', two_states, 0.1, 0.02, 5},
	{"pauses each 500, 200x", 't', pauses, 500, 200, 0},
	{"lognormal, sigma 2", 'h', spread, 2, 0, 0},
	{"AR(1) 0.99", 'h', correlated, 0.99, 1, 0},
	{"bursts 5 of 50, 30x", 'h', two_states, 45, 5, 30},
	{"convoy 300 of 1300, 20x", 'h', two_states, 1000, 300, 20},
	{"convoy 1/30, 1/15 apart, 1.4x", 'h', two_states, 0.0667, 0.0333, 1.4},
	{"sojourns 1/8 of run, 2x", 'h', two_states, 0.125, 0.125, 2},
	{"fast spells 1/40, 1/10 apart", 'h', two_states, 0.025, 0.1, 5},
	{"on/off Pareto 50, 25, 8x", 'h', on_off, 50, 25, 8},
	{"1/f", 'h', flicker, 0.7, 0, 0},
	{"pauses each 37, 20x", 'h', pauses, 37, 20, 0},
};

/* A warm-up: the first calls, each so many times as long. */
enum shape { FIRST, DECAY, STEPS };
struct warm {
	const char *name;
	enum shape shape;
	double share, factor; /* share of the run; 1 and above: calls */
};
static const struct warm warming[] = {
	{"1 call 1000x", FIRST, 1, 1000},
	{"10 calls 100x", FIRST, 10, 100},
	{"10 calls 10x", FIRST, 10, 10},
	{"2 % 2x", FIRST, 0.02, 2},
	{"2 % 10x", FIRST, 0.02, 10},
	{"10 % 1.3x", FIRST, 0.1, 1.3},
	{"10 % 2x", FIRST, 0.1, 2},
	{"10 % 10x", FIRST, 0.1, 10},
	{"25 % 2x", FIRST, 0.25, 2},
	{"decay over 1 %, 100x", DECAY, 0.01, 100},
	{"decay over 10 %, 3x", DECAY, 0.1, 3},
	{"decay over 10 %, 30x", DECAY, 0.1, 30},
	{"decay over 30 %, 3x", DECAY, 0.3, 3},
	{"cache steps in 3 %", STEPS, 0.03, 8},
	{"cache steps in 20 %", STEPS, 0.2, 8},
	{"10 % at 0.5x", FIRST, 0.1, 0.5},
};
static const struct law noise[] = {
	{"exponential", 't', independent, 0, 0, 0},
	{"spread 10 %", 't', spread, 0.1, 0, 0},
	{"AR(1) 0.9", 't', correlated, 0.9, 0.5, 0},
	{"bursts 20 of 200, 10x", 'h', two_states, 180, 20, 10},
	{"lognormal, sigma 1", 'h', spread, 1, 0, 0},
	{"AR(1) 0.99", 'h', correlated, 0.99, 0.3, 0},
};

static double slower(const struct warm *w)
{
	double calls = w->share < 1 ? w->share * (double)now.calls : w->share;
	double at = (double)now.call / calls;

	switch (w->shape) {
	case FIRST:
		return at < 1 ? w->factor : 1;
	case DECAY: /* a hundredth is left at the end */
		return 1 + (w->factor - 1) * exp(-4.6 * at);
	default:
		return at < 0.2 ? w->factor : at < 1 ? sqrt(w->factor) : 1;
	}
}

struct tally {
	unsigned runs, aside, covered, covered_aside;
	double batches, ratio;
};

/* As the recorder makes them. */
static uint64_t batch_calls(uint64_t n)
{
	uint64_t calls = 2;

	while (n / calls >= BATCHES)
		calls *= 2;
	return calls;
}

static double run(const struct law *l, const struct warm *w, uint64_t n, uint64_t *x)
{
	double whole = 0;

	now.calls = n;
	for (now.call = 0; now.call < n; now.call++) {
		double d = l->duration(l->a, l->b, l->c) * (w ? slower(w) : 1);

		x[now.call] = (uint64_t)fmin(UNITS * d, 1e14);
		whole += (double)x[now.call];
	}
	return whole / (double)n;
}

static double later_mean(const uint64_t *x, uint64_t from, uint64_t n)
{
	double sum = 0;

	for (uint64_t i = from; i < n; i++)
		sum += (double)x[i];
	return sum / (double)(n - from);
}

static void judge(const uint64_t *x, uint64_t n, double whole, double truth, struct tally *to)
{
	uint64_t sum[BATCHES] = {0}, each = batch_calls(n), skip;
	struct stats_batches b = {each, (uint32_t)(n / each), sum};
	struct stats_sample s = {.sums = {.min = UINT64_MAX, .tick = 1, .unit = 1}};
	struct mean_interval e;
	struct warmup found;
	bool covers;

	for (uint64_t i = 0; i < b.count * each; i++)
		sum[i / each] += x[i];
	found = warmup_find(&b);
	if (3 * found.batches > b.count) /* as reports do */
		found.batches = 0;
	skip = found.batches * each;
	for (uint64_t i = skip; i < n; i++) {
		s.sums.sum += x[i];
		s.sums.sum_sq += (stats_u128)x[i] * x[i];
		s.sums.min = x[i] < s.sums.min ? x[i] : s.sums.min;
		s.sums.max = x[i] > s.sums.max ? x[i] : s.sums.max;
	}
	s.sums.n = n - skip;
	s.batches = (struct stats_batches){each, b.count - found.batches, sum + found.batches};
	e = mean_interval_estimate(&s, 0.95);
	if (skip)
		warmup_widen(&e, later_mean(x, 2 * skip, n) / later_mean(x, skip, n) - 1);
	covers = e.low <= truth && truth <= e.high;
	to->runs++;
	to->covered += covers;
	to->aside += found.batches > 0;
	if (found.batches) {
		to->covered_aside += covers;
		to->batches += (double)found.batches / b.count;
		to->ratio += e.mean / whole;
	}
}

static void print(char half, const char *name, const char *of, uint64_t n, const struct tally *t)
{
	printf("%c %-30s %-22s %6" PRIu64 "  %6.2f", half, name, of, n, 100.0 * t->aside / t->runs);
	if (t->aside)
		printf(" %6.1f %6.3f", 100 * t->batches / t->aside, t->ratio / t->aside);
	else
		printf("      -      -");
	printf("  %5.1f", 100.0 * t->covered / t->runs);
	if (t->aside)
		printf(" %5.1f", 100.0 * t->covered_aside / t->aside);
	putchar('\n');
	fflush(stdout);
}

/* Mean of a law, by a long simulation unless it is known. */
static double truth_of(const struct law *l, uint64_t n, uint64_t *x)
{
	double sum = 0;
	unsigned runs = l->duration == heavy ? 0 : (unsigned)(4000000 / n);

	if (!runs)
		return UNITS;
	if (l->duration == spread)
		return UNITS * exp(l->a * l->a / 2);
	if (l->duration == correlated)
		return UNITS * exp(l->b * l->b / 2);
	for (unsigned i = 0; i < runs; i++)
		sum += run(l, NULL, n, x);
	return sum / runs;
}

static void look(const struct law *l, const struct warm *w, uint64_t n, unsigned runs, double truth,
		 uint64_t *x)
{
	struct tally t = {0};

	random_seed(&dice, 1000 + n);
	for (unsigned i = 0; i < runs; i++) {
		double whole = run(l, w, n, x);

		judge(x, n, whole, truth, &t);
	}
	print(l->half, w ? w->name : l->name, w ? l->name : "", n, &t);
}

static void look_at_all(uint64_t n, unsigned runs, uint64_t *x)
{
	random_seed(&dice, n);
	for (unsigned i = 0; i < sizeof(steady) / sizeof(*steady); i++)
		look(&steady[i], NULL, n, runs, truth_of(&steady[i], n, x), x);
	for (unsigned i = 0; i < sizeof(noise) / sizeof(*noise); i++) {
		double truth = truth_of(&noise[i], n, x);

		for (unsigned j = 0; j < sizeof(warming) / sizeof(*warming); j++)
			look(&noise[i], &warming[j], n, runs / 4, truth, x);
	}
}

int main(int argc, char **argv)
{
	static const uint64_t usual[] = {200, 2000, 20000};
	unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000;
	int sizes = argc > 2 ? argc - 2 : 3;

	printf("  %-30s %-22s %6s  %6s %6s %6s  %5s %5s\n", "law or warm-up", "noise", "calls",
	       "aside%", "batch%", "ratio", "cov", "cov/a");
	for (int k = 0; k < sizes; k++) {
		uint64_t n = argc > 2 ? strtoull(argv[2 + k], NULL, 10) : usual[k];
		uint64_t *x = calloc(n + 1, sizeof(*x));

		if (!x)
			return 1;
		look_at_all(n, runs, x);
		free(x);
	}
	return 0;
}
