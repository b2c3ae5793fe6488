// SPDX-License-Identifier: GPL-3.0-or-later
/* What windows say: sums by hand, and how often intervals cover the known truth of
 * simulated interrupt loads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "tests/unit/support/simulate.h"
#include "stats/displacement/displacement.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define CPUS	     2
#define WINDOWS	     400
#define REST	     100

/* splitmix64, and deviates: the same on every machine. */
static uint64_t seed;

static double uniform(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

static double poisson(double mean)
{
	double limit = exp(-mean), product = uniform(), n = 0;

	if (mean > 50)
		return fmax(0, floor(mean + sqrt(mean) * normal() + 0.5));
	while (product > limit) {
		product *= uniform();
		n++;
	}
	return n;
}

/* So many interrupts of 2 us in the mean, lognormal. */
static double interrupts(double count)
{
	double sum = 0;

	for (double i = 0; i < count; i++)
		sum += 2e-6 * exp(0.8 * normal() - 0.32);
	return sum;
}

/* ---- by hand ---- */

static struct displacement_window plain(double at, double work, double weight)
{
	return (struct displacement_window){
		.at = at, .charged = 0.01, .work = work, .weight = weight};
}

static void test_excess_is_work_less_rest_and_switching(void **state)
{
	struct displacement_window w[12];
	struct displacement_series s = {w, COUNT(w)};
	struct displacement_value rest = {0.01, 0, 10}, switching = {1e-6, 0, 10};
	struct displacement_uncharged e;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++) {
		w[i] = plain((double)i, 5e-4, 0.005);
		w[i].switches = 20;
	}
	e = displacement_uncharged(&s, &rest, 1, &switching, NULL);
	/* 500 us, of which 20 of switching and 100 of rest */
	assert_near(e.total.value, 12 * 380e-6, 1e-12);
	assert_near(e.resting, 12 * 100e-6, 1e-12);
	assert_near(e.switched, 12 * 20e-6, 1e-12);
	assert_int_equal(e.kept, 12);
	assert_near(e.share_kept, 1, 1e-12);
}

/* Half the windows hold nonsense and are excluded: the others stand for them, in proportion to what
 * the program did. */
static void test_windows_aside_are_filled_in_by_weight(void **state)
{
	struct displacement_window w[24];
	struct displacement_series s = {w, COUNT(w)};
	struct displacement_value rest = {0, 0, 10}, none = {0, 0, 10};
	struct displacement_uncharged e;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++) {
		bool aside = i % 2;

		w[i] = plain((double)i, aside ? 1 : 1e-4, aside ? 0.003 : 0.001);
		w[i].aside = aside;
	}
	e = displacement_uncharged(&s, &rest, 1, &none, NULL);
	assert_near(e.total.value, 12 * 1e-4 + 12 * 3e-4, 1e-12);
	assert_near(e.share_kept, 0.5, 1e-12);
	/* most of the program's time is aside: that may hold all that the fluid was charged */
	assert_near(e.total.error, 0.12 / 2, 1e-9);
}

/* One window of 10 ms is kept, and one in which the program did a thousand times as much is
 * not: the latter's 10 ms cannot have held more than 10 ms of work. */
static void test_what_is_filled_in_is_no_more_than_was_charged(void **state)
{
	struct displacement_window w[2] = {plain(0, 1e-3, 0.001), plain(1, 1, 1)};
	struct displacement_series s = {w, COUNT(w)};
	struct displacement_value rest = {0, 0, 10}, none = {0, 0, 10};

	(void)state;
	w[1].aside = true;
	assert_near(displacement_uncharged(&s, &rest, 1, &none, NULL).total.value, 1e-3 + 0.01,
		    1e-12);
	/* nothing is kept: nothing is known */
	w[0].aside = true;
	assert_near(displacement_uncharged(&s, &rest, 1, &none, NULL).total.value, 0, 1e-12);
	assert_near(displacement_uncharged(&s, &rest, 1, &none, NULL).share_kept, 0, 1e-12);
}

/* A program that used no CPU time: what is missing is filled in by time. */
static void test_without_weight_time_counts(void **state)
{
	struct displacement_window w[24];
	struct displacement_series s = {w, COUNT(w)};
	struct displacement_value rest = {0, 0, 10}, none = {0, 0, 10};

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++) {
		w[i] = plain((double)i, 1e-4, 0);
		w[i].aside = i < 8;
	}
	assert_near(displacement_uncharged(&s, &rest, 1, &none, NULL).total.value, 24e-4, 1e-12);
}

static void test_errors_of_rest_and_switching_are_in_the_error(void **state)
{
	struct displacement_window w[12];
	struct displacement_series s = {w, COUNT(w)};
	struct displacement_value sure = {0.01, 0, 10}, unsure = {0.01, 0.002, 10},
				  none = {0, 0, 10}, rough = {0, 1e-6, 10};
	double base;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++) {
		w[i] = plain((double)i, 1e-4, 0.005);
		w[i].switches = 10;
	}
	base = displacement_uncharged(&s, &sure, 1, &none, NULL).total.error;
	assert_near(base, 0, 1e-15);
	assert_near(displacement_uncharged(&s, &unsure, 1, &none, NULL).total.error, 0.002 * 0.12,
		    1e-12);
	assert_near(displacement_uncharged(&s, &sure, 1, &rough, NULL).total.error, 120e-6, 1e-12);
}

/* Student's t has 12.706 errors at one degree of freedom, and millions at a tenth. */
static void test_no_error_has_less_than_one_degree_of_freedom(void **state)
{
	struct displacement_window w[12];
	struct displacement_series s = {w, COUNT(w)};
	struct displacement_value rest = {0.01, 0.002, 0.01}, none = {0, 0, 10};
	struct displacement_value total;
	double low, high;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++)
		w[i] = plain((double)i, 1e-4, 0.005);
	total = displacement_uncharged(&s, &rest, 1, &none, NULL).total;
	displacement_limits(total, 0.95, &low, &high);
	assert_true(high - low > 2 * total.error && high - low < 2 * 12.71 * total.error);
}

static void test_few_windows_have_no_interval(void **state)
{
	struct displacement_window w[11];
	struct displacement_series s = {w, 11};
	struct displacement_value rest = {0, 0, 10}, none = {0, 0, 10};
	double low, high;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++)
		w[i] = plain((double)i, 1e-4, 0.005);
	struct displacement_uncharged e = displacement_uncharged(&s, &rest, 1, &none, NULL);
	assert_near(e.total.value, 11e-4, 1e-12);
	displacement_limits(e.total, 0.95, &low, &high);
	assert_true(isinf(low) && low < 0 && isinf(high) && high > 0);
	s.count = 0;
	assert_true(isinf(displacement_uncharged(&s, &rest, 1, &none, NULL).total.error));
	assert_true(isinf(displacement_uncharged(&s, &rest, 0, &none, NULL).total.error));
}

static void test_rest_is_a_rate_of_charged_time(void **state)
{
	struct displacement_window w[40];
	struct displacement_series s = {w, COUNT(w)};
	struct displacement_value r;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++) {
		w[i] = plain((double)i, i == 7 ? 1 : 2e-4 + (i % 2 ? 1e-5 : -1e-5), 0);
		w[i].aside = i == 7;
		w[i].switches = 5;
	}
	r = displacement_rest(&s, 10e-6);
	/* an odd one is missing */
	assert_near(r.value, (39 * 2e-4 - 1e-5 - 39 * 5 * 10e-6) / 0.39, 1e-9);
	assert_true(r.error > 0 && r.error < 1e-3);
	s.count = 0;
	assert_true(isinf(displacement_rest(&s, 0).error));
}

/* Two idle phases of 1 % and 3 %, each precise: their mean is not. */
static void test_rests_that_differ_are_less_sure(void **state)
{
	struct displacement_window a[40], b[40];
	struct displacement_series both[2] = {{a, 40}, {b, 40}};
	struct displacement_value alike, apart;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		a[i] = plain((double)i, 1e-4 + (i % 2 ? 1e-6 : -1e-6), 0);
		b[i] = a[i];
	}
	alike = displacement_rests(both, 0);
	assert_near(alike.value, 0.01, 1e-9);
	assert_true(alike.error < 1e-4);
	for (size_t i = 0; i < 40; i++)
		b[i].work += 2e-4;
	apart = displacement_rests(both, 0);
	assert_near(apart.value, 0.02, 1e-9);
	assert_near(apart.error, 0.01, 1e-4);
	/* one alone, or one that says nothing */
	both[1].count = 0;
	assert_near(displacement_rests(both, 0).value, 0.01, 1e-9);
	both[0].count = 0;
	assert_true(isinf(displacement_rests(both, 0).error));
}

/* One pair of rests cannot show by how much the rate wanders. */
static void test_beside_the_program_a_rest_is_less_sure(void **state)
{
	struct displacement_value rest = {0.02, 0.0005, 40},
				  beside = displacement_rest_beside(rest);
	struct displacement_value none = {NAN, INFINITY, 1};

	(void)state;
	assert_near(beside.value, 0.02, 1e-15);
	assert_near(beside.error, hypot(0.0005, DISPLACEMENT_WANDER * 0.02), 1e-12);
	assert_true(beside.freedom < 10);
	assert_true(isinf(displacement_rest_beside(none).error));
}

static void test_switching_is_a_median_that_interruptions_do_not_move(void **state)
{
	double with[21], without[21], scratch[21];
	struct displacement_value v;

	(void)state;
	for (size_t i = 0; i < 21; i++) {
		without[i] = 1e-6 + (double)i * 1e-9;
		with[i] = without[i] + 0.7e-6 + (i % 3 ? 1e-9 : -1e-9);
	}
	with[4] += 1e-3;
	without[9] += 2e-3;
	v = displacement_switching(with, without, 21, scratch);
	assert_near(v.value, 0.7e-6, 2e-9);
	assert_true(v.error < 5e-9);
	assert_true(isinf(displacement_switching(with, without, 4, scratch).error));
}

static void test_of_two_kinds_of_switches_the_middle_is_taken_and_doubted(void **state)
{
	struct displacement_value here = {1e-6, 3e-8, 20}, away = {-1e-6, 4e-8, 30},
				  none = {NAN, INFINITY, 1}, v;

	(void)state;
	v = displacement_switching_of(here, away, 0, 1);
	assert_near(v.value, 0, 1e-15);
	assert_near(v.error, hypot(3.5e-8, 1e-6 / sqrt(3)), 1e-12);
	assert_near(v.freedom, 20, 1e-12);
	assert_near(displacement_switching_of(here, none, 0, 1).value, 1e-6, 1e-15);
	assert_near(displacement_switching_of(none, away, 0, 1).value, -1e-6, 1e-15);
	assert_true(isinf(displacement_switching_of(none, none, 0, 1).error));
}

/* 7 us apart: what the interrupts tell is worth more than the error of either. */
static void test_rescheduling_interrupts_tell_the_kind_of_switches(void **state)
{
	const struct displacement_value here = {1e-6, 0, 20}, away = {-6e-6, 0, 30};
	struct displacement_value v;

	(void)state;
	/* none: all wake-ups came from the same CPU */
	v = displacement_switching_on(here, away, 1000, 0, 0);
	assert_near(v.value, 1e-6, 1e-15);
	assert_near(v.error, 0, 1e-15);
	/* one each or more, and other tasks had hardly any of them */
	v = displacement_switching_on(here, away, 1000, 1500, 10);
	assert_near(v.value, -6e-6, 1e-15);
	assert_near(v.error, 0, 1e-15);
	/* other tasks had up to half: from half of them to all */
	v = displacement_switching_on(here, away, 1000, 1000, 500);
	assert_near(v.value, 1e-6 - 0.75 * 7e-6, 1e-15);
	assert_near(v.error, 0.5 * 7e-6 / sqrt(12), 1e-12);
	/* or all */
	v = displacement_switching_on(here, away, 1000, 500, 800);
	assert_near(v.value, 1e-6 - 0.25 * 7e-6, 1e-15);
	/* not known: between the two */
	v = displacement_switching_on(here, away, 1000, NAN, 0);
	assert_near(v.value, -2.5e-6, 1e-15);
	assert_near(v.error, 7e-6 / sqrt(12), 1e-12);
}

/* One measurement of a switch serves all CPUs: where it is off, it is off on all of them. */
static void test_errors_of_a_switch_add_up_over_the_cpus(void **state)
{
	struct displacement_window w[12];
	const struct displacement_series s[2] = {{w, COUNT(w)}, {w, COUNT(w)}};
	const struct displacement_value rest[2] = {{0, 0, 10}, {0, 0, 10}},
					rough[2] = {{0, 1e-6, 10}, {0, 2e-6, 20}};
	struct displacement_uncharged e;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++) {
		w[i] = plain((double)i, 1e-4, 0.005);
		w[i].switches = 10;
	}
	e = displacement_uncharged(s, rest, 2, rough, NULL);
	assert_near(e.total.error, 120 * 3e-6, 1e-12);
}

/* What a switch costs is not known: where there are as many of them at rest, it need not be. */
static void test_switches_that_are_there_at_rest_are_no_error(void **state)
{
	struct displacement_window w[12];
	const struct displacement_series s = {w, COUNT(w)};
	const struct displacement_value rest = {0, 0, 10}, rough = {0, 1e-6, 10};
	const double as_many = 1000, fewer = 400;

	(void)state;
	for (size_t i = 0; i < COUNT(w); i++) {
		w[i] = plain((double)i, 1e-4, 0.005);
		w[i].switches = 10;
	}
	assert_near(displacement_uncharged(&s, &rest, 1, &rough, &as_many).total.error, 0, 1e-12);
	assert_near(displacement_uncharged(&s, &rest, 1, &rough, &fewer).total.error, 72e-6, 1e-12);
}

static void test_what_struck_others_is_hidden(void **state)
{
	(void)state;
	/* nobody knows how often they were struck: all their time may have been interrupts' */
	assert_near(displacement_hidden(0.05, 1, 0.8, true), 0.8, 1e-15);
	assert_near(displacement_hidden(-0.05, 1, 0.8, true), 0.8, 1e-15);
	/* little: twice as often as the fluid, at most all of it */
	assert_near(displacement_hidden(0.05, 1, 0.1, false), 0.01, 1e-15);
	assert_near(displacement_hidden(0.9, 1, 0.1, false), 0.1, 1e-15);
	assert_near(displacement_hidden(-0.05, 1, 0.1, false), 0, 1e-15);
	/* the fluid saw nothing */
	assert_near(displacement_hidden(0, 0, 0.1, false), 0.1, 1e-15);
	assert_near(displacement_hidden(0, 1, -0.1, true), 0, 1e-15);
}

static void test_mean_of_runs(void **state)
{
	struct displacement_value run[6];
	struct displacement_value m;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		run[i] = (struct displacement_value){(double)i, 0.1, 20};
	assert_near(displacement_mean(run, 1).error, 0.1, 1e-15);
	/* two runs that differ by more than their own errors */
	m = displacement_mean(run, 2);
	assert_near(m.value, 0.5, 1e-12);
	assert_near(m.error, 0.5, 1e-12);
	assert_near(m.freedom, 1, 1e-12);
	/* from five on, what they differ by */
	m = displacement_mean(run, 6);
	assert_near(m.error, sqrt(17.5 / 5 / 6), 1e-12);
	assert_near(m.freedom, 5, 1e-12);
	/* even where they hardly do */
	for (size_t i = 0; i < 6; i++)
		run[i].value = (double)i / 1000;
	assert_near(displacement_mean(run, 6).error, sqrt(17.5 / 5 / 6) / 1000, 1e-12);
	/* of few that hardly differ: their own errors */
	run[1].value = 0.001;
	assert_near(displacement_mean(run, 2).error, sqrt(0.02) / 2, 1e-12);
	assert_true(isinf(displacement_mean(run, 0).error));
}

/* ---- coverage ---- */

/* A load of interrupts: so many a second of the program's time, the rate wandering as a
 * first-order autoregression from window to window. */
struct load {
	double rate, rest_rate, wander, correlation, aside;
	bool on_one; /* of two CPUs, all on the second */
	double busy; /* the program's share of the first CPU: the fluid gets the rest */
};

struct simulated {
	struct displacement_window run[CPUS][WINDOWS], rest[CPUS][REST];
	struct displacement_series series[CPUS], rests[CPUS];
	struct displacement_value rate[CPUS];
	double truth;
};

static struct displacement_window window(const struct load *l, size_t i, size_t cpu, double more)
{
	double share = cpu ? 1 : 1 - l->busy, charged = 0.01 * share;
	struct displacement_window w = {.at = 0.01 * (double)i, .charged = charged};

	w.work = interrupts(poisson(l->rest_rate * charged)) + interrupts(poisson(more * charged));
	/* the clocks' own noise */
	w.work += 0.5e-6 * normal();
	return w;
}

static void simulate(const struct load *l, struct simulated *s)
{
	double state = 0;

	s->truth = 0;
	for (size_t cpu = 0; cpu < CPUS; cpu++) {
		for (size_t i = 0; i < REST; i++)
			s->rest[cpu][i] = window(l, i, cpu, 0);
		s->rests[cpu] = (struct displacement_series){s->rest[cpu], REST};
		s->rate[cpu] = displacement_rest(&s->rests[cpu], 0);
	}
	for (size_t i = 0; i < WINDOWS; i++) {
		state = l->correlation * state +
			sqrt(1 - l->correlation * l->correlation) * normal();
		double factor = exp(l->wander * state - l->wander * l->wander / 2);

		for (size_t cpu = 0; cpu < CPUS; cpu++) {
			double rate = l->on_one && !cpu ? 0 : l->rate * factor;
			struct displacement_window *w = &s->run[cpu][i];

			*w = window(l, i, cpu, rate);
			w->weight = 0.01 * factor * l->busy;
			s->truth += rate * w->charged * 2e-6;
			w->aside = uniform() < l->aside;
			if (w->aside)
				w->work += 0.01 * uniform();
		}
	}
	for (size_t cpu = 0; cpu < CPUS; cpu++)
		s->series[cpu] = (struct displacement_series){s->run[cpu], WINDOWS};
}

static double coverage(const struct load *l, size_t times, double *bias)
{
	static struct simulated s;
	const struct displacement_value none[CPUS] = {{0, 0, 10}, {0, 0, 10}};
	double covered = 0, low, high;

	*bias = 0;
	for (size_t i = 0; i < times; i++) {
		simulate(l, &s);
		struct displacement_uncharged e =
			displacement_uncharged(s.series, s.rate, CPUS, none, NULL);
		displacement_limits(e.total, 0.95, &low, &high);
		covered += low <= s.truth && s.truth <= high;
		*bias += (e.total.value - s.truth) / (double)times;
	}
	return covered / (double)times;
}

static const struct {
	const char *name;
	struct load load;
} loads[] = {
	{"no load", {0, 1500, 0, 0, 0.02, false, 0.5}},
	{"steady load on one CPU", {5000, 1500, 0, 0, 0.02, true, 0.5}},
	{"wandering load", {5000, 1500, 0.5, 0.5, 0.05, true, 0.7}},
	{"slowly wandering load", {5000, 1500, 0.5, 0.9, 0.1, true, 0.7}},
	{"a third of the windows disturbed", {10000, 1500, 0.3, 0.3, 0.33, false, 0.3}},
	{"heavy load", {30000, 1500, 0.2, 0.5, 0.1, true, 0.9}},
};

/* 95 % asked; with 600 trials each the six gave 0.96 to 0.97. */
static void test_intervals_cover_known_loads(void **state)
{
	unsigned trials = simulate_trials(250);
	double all = 0, bias, c;

	(void)state;
	seed = 20261121;
	for (size_t i = 0; i < COUNT(loads); i++) {
		c = coverage(&loads[i].load, trials, &bias);
		print_message("# off by %+.2g s\n", bias);
		simulate_assert_rate(loads[i].name, (unsigned)lround(c * trials), trials, 0.95, 1);
		all += c / COUNT(loads);
	}
	assert_true(all >= 0.94);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_excess_is_work_less_rest_and_switching),
		cmocka_unit_test(test_windows_aside_are_filled_in_by_weight),
		cmocka_unit_test(test_what_is_filled_in_is_no_more_than_was_charged),
		cmocka_unit_test(test_without_weight_time_counts),
		cmocka_unit_test(test_errors_of_rest_and_switching_are_in_the_error),
		cmocka_unit_test(test_no_error_has_less_than_one_degree_of_freedom),
		cmocka_unit_test(test_few_windows_have_no_interval),
		cmocka_unit_test(test_rest_is_a_rate_of_charged_time),
		cmocka_unit_test(test_rests_that_differ_are_less_sure),
		cmocka_unit_test(test_beside_the_program_a_rest_is_less_sure),
		cmocka_unit_test(test_switching_is_a_median_that_interruptions_do_not_move),
		cmocka_unit_test(test_of_two_kinds_of_switches_the_middle_is_taken_and_doubted),
		cmocka_unit_test(test_rescheduling_interrupts_tell_the_kind_of_switches),
		cmocka_unit_test(test_errors_of_a_switch_add_up_over_the_cpus),
		cmocka_unit_test(test_switches_that_are_there_at_rest_are_no_error),
		cmocka_unit_test(test_what_struck_others_is_hidden),
		cmocka_unit_test(test_mean_of_runs),
		cmocka_unit_test(test_intervals_cover_known_loads),
	};

	return cmocka_run_group_tests_name("displacement", tests, NULL, NULL);
}
