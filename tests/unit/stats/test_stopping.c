// SPDX-License-Identifier: GPL-3.0-or-later
/* Stopping when an interval is narrow enough: the rule's parts, and by simulation, how often
 * the interval at the stop covers the truth, and how wide it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/support/recording.h"
#include "stats/mean/mean_interval.h"
#include "stats/mean/stopping.h"

#define CONFIDENCE 0.95
#define MOST_CALLS 200000

static struct stopping_look good(uint64_t calls)
{
	return (struct stopping_look){.calls = calls,
				      .used = calls,
				      .mean = 100,
				      .low = 96,
				      .high = 103,
				      .freedom = 30,
				      .design_effect = 2};
}

static void as_many_calls_as_a_number_holds(void **state)
{
	struct stopping s;
	struct stopping_look look = good(UINT64_MAX);

	(void)state;
	stopping_begin(&s, 0.05);
	stopping_look(&s, &look);
	assert_false(stopping_is_due(&s, UINT64_MAX - 1));
}

static void two_looks_in_turn(void **state)
{
	struct stopping s;
	struct stopping_look look = good(1000);

	(void)state;
	stopping_begin(&s, 0.05);
	assert_false(stopping_look(&s, &look));
	assert_false(stopping_is_due(&s, 1499));
	assert_true(stopping_is_due(&s, 1500));
	look = good(1500);
	assert_true(stopping_look(&s, &look));
	assert_true(fabs(s.seen - 0.04) < 1e-12); /* the wider side */
	/* and a look that says otherwise takes it back */
	look = good(2250);
	look.low = 94;
	assert_false(stopping_look(&s, &look));
	look = good(4000);
	assert_false(stopping_look(&s, &look));
	assert_int_equal(s.looks, 4);
}

/* Whatever the width says. */
static void needs_data(void **state)
{
	struct stopping_look bad[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		bad[i] = good(100000);
	bad[0].used = STOPPING_CALLS - 1; /* the others are warm-up */
	bad[1].freedom = STOPPING_BATCHES - 1;
	bad[2].design_effect = NAN; /* too few batches */
	bad[3].design_effect = 100000.0 / (STOPPING_EFFECTIVE - 1);
	bad[4].unreliable = STATS_HEAVY_TAIL;
	bad[5].high = INFINITY;
	for (int i = 0; i < 6; i++) {
		struct stopping s;

		stopping_begin(&s, 0.05);
		stopping_look(&s, &bad[i]);
		assert_false(stopping_look(&s, &bad[i]));
		assert_int_equal(s.in_turn, 0);
	}
}

/* A first look at every call would stop nearly at once somewhere. */
static void looks_are_few(void **state)
{
	struct stopping s;
	unsigned looks = 0;

	(void)state;
	stopping_begin(&s, 1e-9);
	for (uint64_t n = 1; n <= 1000000; n++)
		if (stopping_is_due(&s, n)) {
			struct stopping_look look = good(n);

			stopping_look(&s, &look);
			looks++;
		}
	assert_in_range(looks, 20, 21); /* log(1e6 / 256) / log(1.5) = 20.4 */
}

struct outcome {
	unsigned stopped, covered, too_wide;
	double calls;
};

static bool one_run(struct recording_source *source, double relative, double tick,
		    struct outcome *o)
{
	struct recording r;
	struct stopping s;

	recording_begin(&r);
	stopping_begin(&s, relative);
	while (r.sums.n < MOST_CALLS) {
		recording_add(&r, simulate_ticks(&source->dice, recording_draw(source), tick));
		if (!stopping_is_due(&s, r.sums.n))
			continue;
		struct stats_sample sample = recording_sample(&r);
		struct mean_interval e = mean_interval_estimate(&sample, CONFIDENCE);
		struct stopping_look look = {r.sums.n, r.sums.n,  e.mean,	   e.low,
					     e.high,   e.freedom, e.design_effect, e.unreliable};

		if (!stopping_look(&s, &look))
			continue;
		o->stopped++;
		o->covered += e.low * tick <= 1000 && 1000 <= e.high * tick;
		o->too_wide += s.seen > relative;
		o->calls += (double)r.sums.n;
		return true;
	}
	return false;
}

static void check_law(enum recording_law law, double relative, double tick, unsigned runs)
{
	struct recording_source source = {.law = law, .dice = {law * 1000 + 17}};
	struct outcome o = {0};
	char what[96];

	for (unsigned i = 0; i < runs; i++)
		one_run(&source, relative, tick, &o);
	snprintf(what, sizeof(what), "%s, %g %%, tick %g: %.0f calls", recording_law_names[law],
		 100 * relative, tick, o.calls / o.stopped);
	assert_int_equal(o.too_wide, 0);
	assert_true(o.stopped > runs * 0.95);
	simulate_assert_rate(what, o.covered, o.stopped, 0.93, 1);
}

static void covers_the_truth(void **state)
{
	(void)state;
	for (int law = 0; law < RECORDING_LAWS; law++) {
		check_law(law, 0.20, 1, 600);
		check_law(law, 0.05, 1, 300);
	}
}

/* Of a tick that is longer than most calls. */
static void covers_with_a_slow_clock(void **state)
{
	(void)state;
	check_law(RECORDING_EXPONENTIAL, 0.10, 4000, 300);
	check_law(RECORDING_LOGNORMAL, 0.10, 4000, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_calls_as_a_number_holds),
		cmocka_unit_test(two_looks_in_turn),
		cmocka_unit_test(needs_data),
		cmocka_unit_test(looks_are_few),
		cmocka_unit_test(covers_the_truth),
		cmocka_unit_test(covers_with_a_slow_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
