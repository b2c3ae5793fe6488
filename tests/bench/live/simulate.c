// SPDX-License-Identifier: GPL-3.0-or-later
/* How often the limits of stats/sequential exclude the truth at any of 200 looks, for differences
 * that are not normal or not independent; and how often e-BH over thirty sites and the run raises
 * an alarm at any look where nothing changed.
 *
 * Usage: simulate [EXPERIMENTS]. Fixed seeds; prints a table. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/numerics/distributions.h"
#include "stats/numerics/random.h"
#include "stats/sequential/sequential.h"

#define LOOKS 200
#define TUNED 10
#define ALPHA 0.05
#define SITES 30

static struct random state;

static double uniform(void)
{
	return ((double)(random_next(&state) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller. */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double sign(void)
{
	return uniform() < 0.5 ? -1 : 1;
}

static double laplace(void)
{
	return -sign() * log(uniform());
}

static double student3(void)
{
	double a = normal(), b = normal(), c = normal();

	return normal() / sqrt((a * a + b * b + c * c) / 3);
}

static double cauchy(void)
{
	return tan(M_PI * (uniform() - 0.5));
}

static double outliers(void)
{
	return normal() * (uniform() < 0.05 ? 20 : 1);
}

static double exponential(void)
{
	return -log(uniform()) - 1;
}

/* Skewness 2: the difference of two programs, of which one has slow runs now and then. */
static double one_sided(void)
{
	return normal() + (uniform() < 0.1 ? 5 : 0) - 0.5;
}

/* Logarithms of runs that have slow runs now and then, both programs alike. */
static double alike(void)
{
	double new = exponential(), base = exponential();

	return new - base;
}

static double before;

static double dependent(double by)
{
	before = by * before + sqrt(1 - by * by) * normal();
	return before;
}

static double dependent_2(void)
{
	return dependent(0.2);
}

static double dependent_5(void)
{
	return dependent(0.5);
}

/* The machine's speed is a slow process; which run is first is drawn. */
static double drift(void)
{
	double first = dependent(0.98), second = dependent(0.98);

	return sign() * (second - first) + 0.1 * normal();
}

static double three_values(void)
{
	return floor(3 * uniform()) - 1;
}

/* Alike: what two equal programs give, of which the first is drawn. */
static const struct law {
	const char *name;
	double (*draw)(void);
	bool alike;
} laws[] = {
	{"normal", normal, true},
	{"Laplace", laplace, true},
	{"Student, 3 degrees of freedom", student3, true},
	{"Cauchy", cauchy, true},
	{"normal, one in 20 is 20 times as wide", outliers, true},
	{"three values (-1, 0, 1)", three_values, true},
	{"difference of two exponentials", alike, true},
	{"drifting machine, order drawn", drift, true},
	{"skewed: one program has slow runs", one_sided, false},
	{"skewed: exponential", exponential, false},
	{"dependent, correlation 0.2", dependent_2, false},
	{"dependent, correlation 0.5", dependent_5, false},
};

struct misses {
	bool sequence, strict, ordinary;
};

static bool ordinary_excludes(const struct sequential *s)
{
	double t = s->mean / sqrt(s->squares / (s->n - 1) / s->n);

	return s->n >= 5 && fabs(t) > distributions_t_quantile(1 - ALPHA / 2, s->n - 1);
}

static struct misses watch(double (*draw)(void))
{
	struct sequential s = {0};
	struct misses m = {0};

	before = normal();
	for (int i = 0; i < LOOKS; i++) {
		double e;

		sequential_add(&s, draw());
		e = sequential_e(&s, 0, TUNED);
		m.sequence = m.sequence || e >= 1 / ALPHA;
		m.strict = m.strict || e >= (SITES + 1) / ALPHA;
		m.ordinary = m.ordinary || ordinary_excludes(&s);
	}
	return m;
}

/* All sites share what befalls a run, and have noise of their own; tests as they are and against
 * the median of all. Where two programs are not alike, their runs are not, and the sites are. */
static bool thirty_alarms(const struct law *of)
{
	struct sequential total[SITES] = {0}, own[SITES] = {0};
	unsigned char found[SITES];
	double y[SITES], sorted[SITES] = {0}, e[SITES];

	before = normal();
	for (int n = 0; n < LOOKS; n++) {
		double shared = 3 * of->draw();

		for (int i = 0; i < SITES; i++) {
			int k = i;

			y[i] = shared + (of->alike ? of->draw() : normal());
			for (; k > 0 && sorted[k - 1] > y[i]; k--)
				sorted[k] = sorted[k - 1];
			sorted[k] = y[i];
		}
		for (int i = 0; i < SITES; i++) {
			double median =
				sorted[y[i] <= sorted[SITES / 2 - 1] ? SITES / 2 : SITES / 2 - 1];

			sequential_add(&total[i], y[i]);
			sequential_add(&own[i], y[i] - median);
			e[i] = 0.3 * sequential_e(&total[i], 0, TUNED) +
			       0.7 * sequential_e(&own[i], 0, TUNED);
		}
		if (sequential_discover(e, SITES, ALPHA, found))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	int experiments = argc > 1 ? atoi(argv[1]) : 10000;

	printf("%-40s %14s %14s %14s %14s\n", "differences", "95 % sequence", "e of 1/620",
	       "95 % interval", "thirty, e-BH");
	for (size_t i = 0; i < sizeof(laws) / sizeof(*laws); i++) {
		int missed = 0, strict = 0, ordinary = 0, alarms = 0;

		random_seed(&state, 1);
		for (int k = 0; k < experiments; k++) {
			struct misses m = watch(laws[i].draw);

			missed += m.sequence;
			strict += m.strict;
			ordinary += m.ordinary;
		}
		for (int k = 0; k < experiments / 10; k++)
			alarms += thirty_alarms(&laws[i]);
		printf("%-40s %12.2f %% %12.3f %% %12.1f %% %12.2f %%\n", laws[i].name,
		       100.0 * missed / experiments, 100.0 * strict / experiments,
		       100.0 * ordinary / experiments, 1000.0 * alarms / experiments);
		fflush(stdout);
	}
	return 0;
}
