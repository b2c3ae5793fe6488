// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals of a fleet's mean over a window, by simulation: three hosts of unlike load, readings
 * every few seconds, the interval as docs/examples/fleet/scprof.rules.yml makes it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/support/recording.h"
#include "report/serve/sums/counters.h"

#define HOSTS 3

struct host {
	struct recording_source calls;
	struct variance_counter spread;
	double number, time, square; /* of all calls */
};

/* A reading: some calls, more on a busier host, and not always as many. */
static void read_host(struct host *h, unsigned busy, unsigned calls)
{
	unsigned n = busy * (calls / 2 + (unsigned)(simulate_uniform(&h->calls.dice) * calls));
	double time = 0;

	for (unsigned i = 0; i < n; i++) {
		double one = recording_draw(&h->calls);

		time += one;
		h->square += one * one;
	}
	h->number += n;
	h->time += time;
	variance_counter_add(&h->spread, n, time);
}

struct fleet {
	struct host host[HOSTS];
};

/* Student's 97.5 % quantile, as the rules have it (Abramowitz and Stegun 26.7.5). */
static double quantile(double freedom)
{
	return 1.959964 + 2.372271 / freedom + 2.822487 / (freedom * freedom) +
	       2.555780 / (freedom * freedom * freedom);
}

struct verdict {
	bool covered, plainly; /* plainly: by a textbook interval */
};

static struct verdict judge(const struct fleet *before, const struct fleet *now)
{
	double n = 0, time = 0, square = 0, variance = 0, parts = 0, half, plain;

	for (unsigned i = 0; i < HOSTS; i++) {
		const struct host *a = &before->host[i], *b = &now->host[i];
		double v = b->spread.variance - a->spread.variance;

		n += b->number - a->number;
		time += b->time - a->time;
		square += b->square - a->square;
		variance += v;
		parts += v * v / (b->spread.batches - a->spread.batches);
	}
	half = quantile(variance * variance / parts) * sqrt(variance) / n;
	plain = 1.959964 * sqrt((square - time * time / n) / (n - 1) / n);
	return (struct verdict){fabs(time / n - 1000) <= half, fabs(time / n - 1000) <= plain};
}

static void check(enum recording_law law, unsigned calls, unsigned before, unsigned readings,
		  unsigned runs, double least)
{
	unsigned covered = 0, plainly = 0;
	char what[96];

	for (unsigned run = 0; run < runs; run++) {
		struct fleet fleet = {0}, mark;

		for (unsigned i = 0; i < HOSTS; i++)
			fleet.host[i].calls = (struct recording_source){
				.law = law, .dice = {1000 * run + 10 * law + i}};
		for (unsigned k = 0; k < before + readings; k++) {
			if (k == before)
				mark = fleet;
			for (unsigned i = 0; i < HOSTS; i++)
				read_host(&fleet.host[i], i + 1, calls);
		}
		struct verdict v = judge(&mark, &fleet);

		covered += v.covered;
		plainly += v.plainly;
	}
	snprintf(what, sizeof(what), "%s: %u readings of about %u calls", recording_law_names[law],
		 readings, calls);
	simulate_assert_rate(what, covered, runs, least, 1);
	if (law == RECORDING_CHAINED)
		simulate_assert_rate("   and a textbook interval", plainly, runs, 0, 0.6);
}

/* Five minutes, read every 15 s. */
static void covers_a_window(void **state)
{
	(void)state;
	for (int law = 0; law < RECORDING_LAWS; law++)
		check(law, 100, 20, 20, simulate_trials(250), 0.935);
}

/* A minute: few batches, which Student's quantile makes up for. */
static void covers_with_few_readings(void **state)
{
	(void)state;
	for (int law = 0; law < RECORDING_LAWS; law++)
		check(law, 100, 20, 4, simulate_trials(250), 0.935);
}

/* From the first reading on. */
static void covers_from_the_beginning(void **state)
{
	(void)state;
	for (int law = 0; law < RECORDING_LAWS; law++)
		check(law, 100, 0, 20, simulate_trials(200), 0.93);
}

static void only_grows(void **state)
{
	struct variance_counter s = {0};
	double last = 0;

	(void)state;
	variance_counter_add(&s, 0, 5);
	assert_true(s.calls == 0 && s.batches == 0);
	variance_counter_add(&s, 10, 100);
	assert_true(s.variance == 0 && s.batches == 0); /* nothing predicted it */
	/* predicted 200, unit variance 20^2 / 10: (260 - 200)^2 / 3, twice for 10 earlier calls */
	variance_counter_add(&s, 20, 260);
	assert_true(fabs(s.variance - 3600.0 / 3 * 1.5) < 1e-9 && s.batches == 1);
	for (unsigned i = 0; i < 1000; i++) {
		last = s.variance;
		variance_counter_add(&s, 1 + i % 7, (double)(i * i % 1000));
		assert_true(s.variance >= last && isfinite(s.variance));
	}
	assert_true(s.batches == 1001);
}

/* A mean that moves is predicted again after some batches: no window has it for ever. */
static void forgets(void **state)
{
	struct variance_counter s = {0};
	double moved, later;

	(void)state;
	for (unsigned i = 0; i < 2000; i++)
		variance_counter_add(&s, 100, 1000 + (i & 1));
	for (unsigned i = 0; i < 200; i++)
		variance_counter_add(&s, 100, 2000 + (i & 1));
	moved = s.variance;
	for (unsigned i = 0; i < 20; i++)
		variance_counter_add(&s, 100, 2000 + (i & 1));
	later = s.variance - moved;
	assert_true(later < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_grows),
		cmocka_unit_test(forgets),
		cmocka_unit_test(covers_a_window),
		cmocka_unit_test(covers_with_few_readings),
		cmocka_unit_test(covers_from_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
