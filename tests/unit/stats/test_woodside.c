// SPDX-License-Identifier: GPL-3.0-or-later
/* The paper's own tables (Woodside, Courtois and Schramm 1997), recomputed from what it
 * prints; and where its print does not agree with itself, by how much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>

#include "tests/unit/support/near.h"
#include "stats/displacement/woodside.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct pair {
	double ioctl, displacement, percent;
};

/* Table 1: microseconds of plain computation. */
static const struct pair computation[] = {
	{454, 456, 0.41},   {902, 936, 3.77},	{1353, 1367, 1.03}, {1805, 1821, 0.89},
	{2256, 2278, 0.98}, {2705, 2736, 1.15}, {3157, 3193, 1.14}, {3607, 3644, 1.03},
};

/* Table 2: TCP send of 1000 to 8000 bytes. */
static const struct pair sending[] = {
	{378, 551, 45.77},   {624, 915, 46.63},	  {777, 1280, 64.74},  {869, 1448, 66.63},
	{1118, 1839, 64.49}, {1377, 2279, 65.50}, {1433, 2561, 78.72}, {1815, 2856, 57.36},
};

static double percent(const struct pair *p)
{
	return 100 * (p->displacement / p->ioctl - 1);
}

/* Both columns were rounded to a microsecond before printing: half of one each. */
static double rounding(const struct pair *p)
{
	return 100 * (0.5 / p->ioctl + 0.5 * p->displacement / p->ioctl / p->ioctl) + 0.005;
}

static void test_table_1_differences(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(computation); i++)
		assert_near(percent(&computation[i]), computation[i].percent,
			    rounding(&computation[i]));
}

static void test_table_2_differences(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(sending); i++)
		assert_near(percent(&sending[i]), sending[i].percent, rounding(&sending[i]));
}

/* Table 3: messages a second. */
static const struct {
	double real, by_displacement, off, by_ioctl, ioctl_off;
} throughput[] = {
	{346.62, 355.35, 2.52, 378.63, 9.23},	{318.52, 314.65, -1.21, 346.37, 8.74},
	{213.87, 213.92, 0.02, 239.71, 12.08},	{169.51, 167.39, -1.25, 185.35, 9.34},
	{133.70, 133.39, -0.23, 147.59, 10.39}, {111.47, 110.27, -1.07, 122.45, 9.86},
	{98.67, 95.40, -3.32, 106.91, 8.34},	{85.16, 83.97, -1.39, 92.02, 8.06},
};

/* The paper does not print the computation beside each send, but both predictions were
 * made with the same one: what the displacement column implies gives the other. */
static void test_table_3_predictions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(throughput); i++) {
		double compute = 1 / throughput[i].by_displacement - sending[i].displacement / 1e6;

		assert_near(1 / (sending[i].displacement / 1e6 + compute),
			    throughput[i].by_displacement, 1e-9);
		/* a microsecond of rounding in either time, and a hundredth in the rates */
		assert_near(1 / (sending[i].ioctl / 1e6 + compute), throughput[i].by_ioctl,
			    0.02 + throughput[i].by_ioctl * throughput[i].by_ioctl * 1.1e-6);
	}
}

static void test_table_3_differences(void **state)
{
	double displacement = 0, ioctl = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(throughput); i++) {
		double off = 100 * (throughput[i].by_displacement / throughput[i].real - 1);
		double ioctl_off = 100 * (throughput[i].by_ioctl / throughput[i].real - 1);

		assert_near(off, throughput[i].off, 0.02);
		assert_near(ioctl_off, throughput[i].ioctl_off, 0.02);
		displacement += fabs(off) / COUNT(throughput);
		ioctl += fabs(ioctl_off) / COUNT(throughput);
	}
	/* mean absolute errors: the yardstick for any repetition of the experiment */
	assert_near(displacement, 1.38, 0.01);
	assert_near(ioctl, 9.5, 0.05);
}

/* Table 4: 20 replications. */
static const struct {
	double loops, mean, deviation, percent, half;
} sweep[] = {
	{200, 957.20, 55.30, 5.77, 34.17}, {1000, 930.75, 11.84, 1.27, 7.32},
	{5000, 918.65, 7.41, 0.81, 4.58},  {10000, 919.15, 7.08, 0.77, 4.37},
	{15000, 918.00, 6.03, 0.66, 3.73},
};

/* The printed half widths are not those of Student's t at 95 % with 19 degrees of freedom,
 * 2.093 s / sqrt 20: all five are 2.764 s / sqrt 20, a third wider. */
static void test_table_4_intervals(void **state)
{
	double t19 = gsl_cdf_tdist_Pinv(0.975, 19);

	(void)state;
	assert_near(t19, 2.093, 0.0005);
	for (size_t i = 0; i < COUNT(sweep); i++) {
		double factor = sweep[i].half / (sweep[i].deviation / sqrt(20));

		assert_near(100 * sweep[i].deviation / sweep[i].mean, sweep[i].percent, 0.01);
		assert_near(factor, 2.764, 0.008);
		assert_near(factor / t19, 1.32, 0.005);
	}
}

/* e_start = S / L_PUT: the means of Table 4 fall with it. Of the two smallest L_PUT follows an S of
 * (957.20 - 930.75) us / (1/200 - 1/1000) = 6.6 ms, which predicts the fall from there to
 * 15000 loops as 6.2 us where the table has 12.75 +- 7.3. */
static void test_start_error_of_table_4(void **state)
{
	double start = (sweep[0].mean - sweep[1].mean) / (1 / sweep[0].loops - 1 / sweep[1].loops);
	struct woodside_step step = {.time = 1, .loops = 1};
	struct woodside_known few = {.loops = sweep[1].loops, .start = start / 1e6},
			      many = {.loops = sweep[4].loops, .start = start / 1e6};
	double fall = woodside_errors(&step, &step, &few).start -
		      woodside_errors(&step, &step, &many).start;

	(void)state;
	assert_near(start, 6612.5, 0.1);
	assert_near(1e6 * fall, 6.17, 0.01);
	assert_true(fabs(1e6 * fall - (sweep[1].mean - sweep[4].mean)) < sweep[1].half);
}

/* Section 2 by hand: F alone takes 2 s for 1000 loops; beside PUT 5 s for 2000. */
static void test_the_two_steps(void **state)
{
	struct woodside_step alone = {.time = 2, .loops = 1000, .daemons = 0.1},
			     together = {.time = 5, .loops = 2000, .daemons = 0.3};
	struct woodside_known known = {
		.loops = 100, .clock = 0.01, .start = 0.02, .intervals = 50, .first_loop = 1e-4};
	struct woodside_errors e = woodside_errors(&alone, &together, &known);
	double tau = woodside_tau_fluid(&alone);

	(void)state;
	assert_near(tau, 0.002, 1e-15);
	assert_near(woodside_displaced(&together, tau), 1, 1e-12);
	assert_near(e.daemons, (0.3 - 0.1 * 2) / 100, 1e-15);
	assert_near(e.cache, 50 * 1e-4 / 100, 1e-15);
	assert_near(e.resolution, 0.01 * 3 / 200, 1e-15);
	assert_near(e.start, 2e-4, 1e-15);
}

/* Daemons that take a fixed share of all time make no error (section 3). */
static void test_steady_daemons_cancel(void **state)
{
	struct woodside_step alone = {.time = 2, .loops = 1000, .daemons = 0.05 * 1000},
			     together = {.time = 5, .loops = 3000, .daemons = 0.05 * 3000};
	struct woodside_known known = {.loops = 7};

	(void)state;
	assert_near(woodside_errors(&alone, &together, &known).daemons, 0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_1_differences),
		cmocka_unit_test(test_table_2_differences),
		cmocka_unit_test(test_table_3_predictions),
		cmocka_unit_test(test_table_3_differences),
		cmocka_unit_test(test_table_4_intervals),
		cmocka_unit_test(test_start_error_of_table_4),
		cmocka_unit_test(test_the_two_steps),
		cmocka_unit_test(test_steady_daemons_cancel),
	};

	return cmocka_run_group_tests_name("woodside", tests, NULL, NULL);
}
