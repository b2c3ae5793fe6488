// SPDX-License-Identifier: GPL-3.0-or-later
/* Stolen time of a file's threads: of both signs, and no more than the kernel counted of the
 * machine.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model/calibrate.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

static struct prof_table table[3];
static struct profile profile;
static struct scp_header header;

static void add_table(uint64_t stolen_ms, uint64_t overcharged_ms)
{
	table[profile.tables].states =
		(struct prof_table_states){.detector = SCP_SWITCH_RSEQ,
					   .ran_ns = SECOND,
					   .stolen_ns = stolen_ms * MS,
					   .overcharged_ns = overcharged_ms * MS};
	profile.tables++;
}

/* A recording of 2 s; the kernel counted so much of it stolen, and asked from 0 to `asked`. */
static int setup(void **state)
{
	(void)state;
	profile = (struct profile){.table = table};
	header = (struct scp_header){
		.start_mono_ns = SECOND,
		.end_mono_ns = 3 * SECOND,
		.steal_first = {SCP_STEAL_KNOWN, SECOND, 100 * MS, SECOND},
		.steal_last = {SCP_STEAL_KNOWN, 3 * SECOND, 100 * MS, 2 * SECOND}};
	return 0;
}

static double share(uint32_t first)
{
	double ran;

	return steal_share(&profile, first, &ran);
}

static void test_errors_of_both_signs_cancel(void **state)
{
	(void)state;
	add_table(30, 0);
	add_table(0, 20);
	assert_float_equal(share(0), 0.005, 1e-9);
	assert_float_equal(share(1), 0, 1e-9); /* the printed value is limited */
	assert_true(isnan(share(2)));
}

static void test_nothing_is_stolen_that_the_machine_does_not_report(void **state)
{
	(void)state;
	add_table(900, 0);
	steal_limit(&profile, 0, &header);
	assert_float_equal(share(0), 0, 1e-9);
}

static void test_the_machines_stolen_time_is_the_limit_of_all_threads(void **state)
{
	(void)state;
	add_table(400, 0);
	add_table(200, 0);
	header.steal_last.stolen_ns += 50 * MS; /* in steps: less than 60 ms */
	steal_limit(&profile, 0, &header);
	assert_float_equal(share(0), 0.03, 1e-6);
	assert_float_equal((double)table[0].states.stolen_ns, 40e6, 1);
}

/* 990 ms and 10 ms for the step were not idle, of which at most 40 ms were stolen. */
static void test_a_share_is_at_most_twice_the_machines(void **state)
{
	(void)state;
	add_table(30, 0);
	table[0].states.ran_ns = SECOND / 10;
	header.steal_last.stolen_ns += 30 * MS;
	header.steal_last.busy_ns = header.steal_first.busy_ns + 990 * MS;
	steal_limit(&profile, 0, &header);
	assert_float_equal(share(0), 0.08, 1e-6);
}

static void test_less_than_the_limit_stays(void **state)
{
	(void)state;
	add_table(40, 0);
	header.steal_last.stolen_ns += 50 * MS;
	steal_limit(&profile, 0, &header);
	assert_true(table[0].states.stolen_ns == 40 * MS);
}

static void test_tables_of_other_files_stay(void **state)
{
	(void)state;
	add_table(900, 0);
	add_table(900, 0);
	steal_limit(&profile, 1, &header);
	assert_true(table[0].states.stolen_ns == 900 * MS);
	assert_true(table[1].states.stolen_ns == 0);
}

static void test_a_part_of_the_time_stands_for_the_rest(void **state)
{
	(void)state;
	add_table(900, 0);
	header.steal_last = (struct scp_steal){SCP_STEAL_KNOWN, 2 * SECOND, 140 * MS,
					       3 * SECOND / 2}; /* half of the time */
	steal_limit(&profile, 0, &header);
	assert_float_equal(share(0), 0.1, 1e-6);
}

static void test_where_the_kernel_was_not_asked_nothing_changes(void **state)
{
	const struct scp_steal unknown[] = {
		{0, 3 * SECOND, 100 * MS, 2 * SECOND},
		{SCP_STEAL_KNOWN, 2 * SECOND - MS, 100 * MS, 2 * SECOND},
		{SCP_STEAL_KNOWN, SECOND, 100 * MS, 2 * SECOND},
		{SCP_STEAL_KNOWN, 3 * SECOND, 90 * MS, 2 * SECOND},
		{SCP_STEAL_KNOWN, 3 * SECOND, 100 * MS, SECOND - MS},
	};

	(void)state;
	add_table(900, 0);
	for (unsigned i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		header.steal_last = unknown[i];
		steal_limit(&profile, 0, &header);
		assert_true(table[0].states.stolen_ns == 900 * MS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_errors_of_both_signs_cancel, setup),
		cmocka_unit_test_setup(test_nothing_is_stolen_that_the_machine_does_not_report,
				       setup),
		cmocka_unit_test_setup(test_the_machines_stolen_time_is_the_limit_of_all_threads,
				       setup),
		cmocka_unit_test_setup(test_a_share_is_at_most_twice_the_machines, setup),
		cmocka_unit_test_setup(test_less_than_the_limit_stays, setup),
		cmocka_unit_test_setup(test_tables_of_other_files_stay, setup),
		cmocka_unit_test_setup(test_a_part_of_the_time_stands_for_the_rest, setup),
		cmocka_unit_test_setup(test_where_the_kernel_was_not_asked_nothing_changes, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
