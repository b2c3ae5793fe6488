// SPDX-License-Identifier: GPL-3.0-or-later
/* Held-out laws have the mean that they claim, from the first call on. Seeds are fixed: a law
 * passes always or never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/bench/coverage/heldout/traces.h"
#include "tests/bench/coverage/methods.h"

#define RUNS   400
#define CALLS  5000
#define STARTS 400000
#define ERRORS 4.5

struct mean {
	double n, sum, square;
};

/* Of laws without a variance, durations are cut. */
static double cut(const struct stream_law *law, double t)
{
	return law->limited > 0 ? fmin(t, STREAM_LIMIT) : t;
}

static double true_mean(const struct stream *s)
{
	return s->law->limited > 0 ? s->law->limited : s->mean;
}

static void add(struct mean *m, double x)
{
	m->n++;
	m->sum += x;
	m->square += x * x;
}

static void check(const struct mean *m, const char *name, const char *what, double truth)
{
	double mean = m->sum / m->n;
	double error = sqrt(fmax(0, m->square / m->n - mean * mean) / (m->n - 1));

	if (!(fabs(mean - truth) <= ERRORS * error + 1e-9 * truth))
		fail_msg("%s: %s is %g, the true mean %g (error %g)", name, what, mean, truth,
			 error);
	if (!(error < 0.2 * truth))
		fail_msg("%s: %s is known to %g only", name, what, error);
}

static void test_mean_of_runs_is_the_true_mean(void **state)
{
	const struct stream_law *law[STREAM_LAWS];
	unsigned laws = stream_list(law);
	struct stream s;
	struct dice d;

	(void)state;
	assert_true(laws > 15);
	for (unsigned i = 0; i < laws; i++) {
		struct mean m = {0};

		dice_seed(&d, 1);
		for (int r = 0; r < RUNS; r++) {
			double sum = 0;

			stream_begin(&s, law[i], CALLS, &d);
			for (int k = 0; k < CALLS; k++)
				sum += cut(law[i], stream_next(&s, &d));
			add(&m, sum / CALLS);
		}
		check(&m, law[i]->name, "the mean of runs", true_mean(&s));
	}
}

static void test_first_calls_have_the_true_mean(void **state)
{
	const struct stream_law *law[STREAM_LAWS];
	unsigned laws = stream_list(law);
	struct stream s;
	struct dice d;

	(void)state;
	for (unsigned i = 0; i < laws; i++) {
		struct mean m = {0};

		dice_seed(&d, 2);
		for (int r = 0; r < STARTS; r++) {
			stream_begin(&s, law[i], 100, &d);
			add(&m, cut(law[i], stream_next(&s, &d)));
		}
		check(&m, law[i]->name, "the first call's mean", true_mean(&s));
	}
}

/* What is recorded on every clock is the same calls. */
static void test_clocks_record_the_same_calls(void **state)
{
	const struct stream_law *law[STREAM_LAWS];
	static struct stream_run r;
	struct stream s;
	struct dice d;

	(void)state;
	stream_list(law);
	dice_seed(&d, 3);
	stream_record(&s, law[2], 20000, &d, &r);
	for (int c = 0; c < STREAM_CLOCKS; c++) {
		const struct stats_sums *sums = &r.recorder[c].sample.sums;
		double mean = (double)sums->sum / (double)sums->n / stream_clock_means[c];
		double fast = (double)r.recorder[STREAM_TSC].sample.sums.sum / (double)sums->n /
			      stream_clock_means[STREAM_TSC];

		assert_int_equal(sums->n, 20000);
		assert_true(fabs(mean - fast) < 0.1);
	}
	assert_int_equal(r.tail.tail.count, r.recorder[STREAM_TSC].sample.batches.count);
}

/* A trace that rises: any bias of where runs begin shows. */
static void test_traces_have_their_own_mean(void **state)
{
	enum { TICKS = 1000 };
	uint64_t ticks[TICKS];
	struct trace t = {.ticks = ticks, .count = TICKS, .mean = (TICKS + 1) / 2.0};
	struct stream_law law[2] = {traces_law(&t, "stretch", 0), traces_law(&t, "blocks", 20)};
	struct stream s;
	struct dice d;

	(void)state;
	for (uint64_t i = 0; i < TICKS; i++)
		ticks[i] = i + 1;
	dice_seed(&d, 5);
	for (int i = 0; i < 2; i++) {
		struct mean m = {0};
		unsigned jumps = 0;

		for (int r = 0; r < 4000; r++) {
			double sum = 0, last = 0;

			stream_begin(&s, &law[i], 300, &d);
			for (int k = 0; k < 300; k++) {
				double next = stream_next(&s, &d);

				jumps += k && next != last + 1 && !(next == 1 && last == TICKS);
				sum += last = next;
			}
			add(&m, sum / 300);
		}
		check(&m, law[i].name, "the mean of runs", t.mean);
		/* One call in 20 begins a block, but one in 1000 of them goes on by chance. */
		assert_in_range(jumps, i ? 58000 : 0, i ? 62000 : 0);
	}
	assert_true(traces_reach(&law[0], 500) && !traces_reach(&law[0], 501));
	assert_true(traces_reach(&law[1], 1000000));
}

/* Independent normal batches: every method covers about as often as it should. */
static void test_methods_cover_where_batches_are_independent(void **state)
{
	uint64_t batch[60];
	struct stats_sample s = {.sums = {.n = 6000}, .batches = {100, 60, batch}};
	unsigned covered[METHODS] = {0};
	struct dice d;

	(void)state;
	dice_seed(&d, 4);
	for (int r = 0; r < 2000; r++) {
		s.sums.sum = 0;
		for (int i = 0; i < 60; i++)
			s.sums.sum += batch[i] = (uint64_t)(100000 + 1000 * dice_normal(&d));
		for (int m = 0; m < METHODS; m++) {
			struct method_limits l = methods_limits((enum method)m, &s, 0.95);

			covered[m] += l.low <= 999.995 && 999.995 <= l.high;
		}
	}
	for (int m = 0; m < METHODS; m++)
		if (covered[m] < 0.92 * 2000 || covered[m] > 0.985 * 2000)
			fail_msg("%s covers %u of 2000", method_names[m], covered[m]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean_of_runs_is_the_true_mean),
		cmocka_unit_test(test_first_calls_have_the_true_mean),
		cmocka_unit_test(test_clocks_record_the_same_calls),
		cmocka_unit_test(test_traces_have_their_own_mean),
		cmocka_unit_test(test_methods_cover_where_batches_are_independent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
