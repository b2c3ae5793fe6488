// SPDX-License-Identifier: GPL-3.0-or-later
/* What a sample of switches says, and what the kernel knows of its thread: together they are the
 * kernel's account. A made-up thread of 1 s: 200 ms on a CPU, 100 ms runnable, 700 ms asleep. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model/calibrate.h"

#define MS    UINT64_C(1000000)
#define SLOTS 8

enum { WAITS, COMPUTES, UNREAD, ROWS };

static struct prof_entry entry[ROWS];
static struct prof_states states[ROWS];
static struct prof_state_batches batches[ROWS];
static struct prof_table table;
static struct profile profile;

/* Calls of which each tenth was read, or all were: a length a call, and what of it was what. */
static void add_row(unsigned row, uint64_t calls, uint64_t readings, uint64_t length,
		    uint64_t runnable, uint64_t asleep)
{
	uint64_t weight = calls / readings;
	struct prof_states *s = &states[row];

	*s = (struct prof_states){
		.detector = SCP_SWITCH_RSEQ, .calls = calls, .readings = readings};
	s->off_cpu = (struct scp_off_cpu){.known = calls * length,
					  .weighted = readings * weight * length,
					  .runnable_ns = readings * weight * runnable,
					  .asleep_ns = readings * weight * asleep};
	s->batches = &batches[row];
	for (unsigned i = 0; i < SLOTS; i++) { /* every second slot has what another lacks */
		uint64_t more = i % 2 ? runnable / 4 : 0, less = i % 2 ? 0 : runnable / 4;

		batches[row].weighted[i] = s->off_cpu.weighted / SLOTS;
		batches[row].runnable_ns[i] = s->off_cpu.runnable_ns / SLOTS + more - less;
		batches[row].asleep_ns[i] = s->off_cpu.asleep_ns / SLOTS;
	}
	entry[row] = (struct prof_entry){.sums = {.calls = calls, .states = s}};
}

static int begin(void **state)
{
	(void)state;
	memset(batches, 0, sizeof(batches));
	table = (struct prof_table){.time_units = 1000 * MS};
	table.states.detector = SCP_SWITCH_RSEQ;
	table.states.covered_ns = table.states.delay_covered_ns = 1000 * MS;
	table.states.cpu_ns = 200 * MS;
	table.states.delay_ns = 100 * MS;
	/* what was read slept less than the rest: 600 ms, and was runnable for 90 */
	add_row(WAITS, 1000, 100, MS / 100 * 80, 50000, 550000);
	add_row(COMPUTES, 100, 100, MS, 400000, 0);
	table.states.call_off_cpu.known = 900 * MS;
	table.states.call_off_cpu.weighted = 900 * MS;
	table.states.call_off_cpu.runnable_ns = 90 * MS;
	table.states.call_off_cpu.asleep_ns = 550 * MS;
	profile = (struct profile){.table = &table, .tables = 1, .entry = entry, .entries = UNREAD};
	return 0;
}

static double estimate(const struct scp_off_cpu *o, uint64_t ns)
{
	return (double)o->known / (double)o->weighted * (double)ns / (double)MS;
}

static double sum_of(size_t at)
{
	double sum = 0;

	for (unsigned i = 0; i < UNREAD; i++)
		sum += estimate(
			&states[i].off_cpu,
			*(const uint64_t *)(const void *)((const char *)&states[i].off_cpu + at));
	return sum;
}

static void test_rows_add_up_to_the_kernels_account(void **state)
{
	const struct scp_off_cpu *o = &table.states.call_off_cpu;

	(void)state;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_true(fabs(sum_of(offsetof(struct scp_off_cpu, runnable_ns)) - 100) < 0.01);
	assert_true(fabs(sum_of(offsetof(struct scp_off_cpu, asleep_ns)) - 700) < 0.01);
	assert_true(fabs(estimate(o, o->runnable_ns) - 100) < 0.01);
	assert_true(fabs(estimate(o, o->asleep_ns) - 700) < 0.01);
	assert_float_equal(states[WAITS].moved_runnable + states[COMPUTES].moved_runnable, 10 * MS,
			   MS / 100);
	assert_float_equal(states[WAITS].moved_asleep, 150 * MS, MS / 100);
}

static void add_unread(uint64_t known)
{
	states[UNREAD] = (struct prof_states){
		.detector = SCP_SWITCH_RSEQ, .calls = 1, .units = known, .off_cpu.known = known};
	entry[UNREAD] = (struct prof_entry){.sums = {.calls = 1, .states = &states[UNREAD]}};
	profile.entries = ROWS;
}

/* A wait of 90 ms of which nothing was read: those that were are sure to lack 160 ms. */
static void test_a_row_that_was_not_read_has_a_part_of_the_account(void **state)
{
	const struct scp_off_cpu *o = &table.states.call_off_cpu, *unread = &states[UNREAD].off_cpu;

	(void)state;
	add_unread(90 * MS);
	table.states.call_off_cpu.known = 990 * MS;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_true(fabs(estimate(o, o->runnable_ns) - 100) < 0.01);
	assert_true(fabs(estimate(o, o->asleep_ns) - 700) < 0.01);
	assert_true(fabs(estimate(unread, unread->runnable_ns + unread->asleep_ns) - 90) < 0.01);
	assert_true(fabs(sum_of(offsetof(struct scp_off_cpu, asleep_ns)) +
			 estimate(unread, unread->asleep_ns) - 700) < 0.01);
}

/* The calls that were read nearly never sleep: those of a row that was not are not like them. */
static void test_a_row_that_was_not_read_has_what_the_others_have_not(void **state)
{
	const struct scp_off_cpu *o = &states[UNREAD].off_cpu;

	(void)state;
	add_row(WAITS, 1000, 100, MS / 10 * 3, 0, 30000);
	add_unread(500 * MS);
	table.states.cpu_ns = 430 * MS;
	table.states.delay_ns = 40 * MS;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_true(fabs(estimate(o, o->asleep_ns) - 500) < 0.1);
	assert_int_equal(o->runnable_ns, 0);
	assert_true(fabs(sum_of(offsetof(struct scp_off_cpu, asleep_ns)) - 30) < 0.1);
	assert_int_equal(states[UNREAD].readings, 0);
}

/* Nor are gaps: a thread that computed for 500 ms, and lost its CPU for none of them. */
static void test_gaps_that_were_not_read_have_what_calls_have_not(void **state)
{
	const struct scp_off_cpu *o = &table.states.gap_off_cpu;

	(void)state;
	table.states.gaps = 1;
	table.states.gap_off_cpu.known = 500 * MS;
	table.states.cpu_ns = 310 * MS;
	table.states.delay_ns = 90 * MS;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_true(estimate(o, o->asleep_ns + o->runnable_ns) < 55);
	assert_true(estimate(o, o->asleep_ns + o->runnable_ns) > 45);
}

/* Of a thousand gaps the short ones were read, and not the one of 450 ms: that was asleep. */
static void test_gaps_have_what_those_that_were_read_lack(void **state)
{
	const struct scp_off_cpu *o = &table.states.gap_off_cpu;

	(void)state;
	add_row(WAITS, 1000, 100, MS / 10 * 3, 0, 30000);
	states[COMPUTES].batches = NULL;
	states[COMPUTES].readings = 8;
	table.states.gaps = 1000;
	table.states.gap_off_cpu =
		(struct scp_off_cpu){.known = 500 * MS, .weighted = 50 * MS, .runnable_ns = 5 * MS};
	table.states.cpu_ns = 430 * MS;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_true(estimate(o, o->asleep_ns + o->runnable_ns) > 480);
	assert_true(estimate(o, o->asleep_ns) > 400);
	assert_true(estimate(o, o->runnable_ns) < 80);
}

static void test_a_row_of_which_all_was_read_stays(void **state)
{
	(void)state;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_int_equal(states[COMPUTES].off_cpu.runnable_ns, 40 * MS);
	assert_int_equal(states[COMPUTES].off_cpu.asleep_ns, 0);
}

static void test_batches_stay_within_their_sums(void **state)
{
	uint64_t runnable = 0, asleep = 0;

	(void)state;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	for (unsigned i = 0; i < SLOTS; i++) {
		runnable += batches[WAITS].runnable_ns[i];
		asleep += batches[WAITS].asleep_ns[i];
	}
	assert_true(runnable <= states[WAITS].off_cpu.runnable_ns);
	assert_true(asleep <= states[WAITS].off_cpu.asleep_ns);
	assert_true((double)asleep > 0.999 * (double)states[WAITS].off_cpu.asleep_ns);
}

static void test_an_account_of_a_part_of_the_time_changes_nothing(void **state)
{
	const struct prof_states before = states[WAITS];

	(void)state;
	table.states.covered_ns = 400 * MS;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_memory_equal(&before, &states[WAITS], sizeof(before));
	table.states.covered_ns = 1000 * MS;
	table.states.detector = SCP_SWITCH_SAMPLED;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_memory_equal(&before, &states[WAITS], sizeof(before));
}

static void test_a_run_delay_of_a_part_of_the_time_changes_no_shares(void **state)
{
	(void)state;
	table.states.delay_covered_ns = 400 * MS;
	assert_true(calibrate_file(&profile, 0, 0, 1));
	assert_true(fabs(sum_of(offsetof(struct scp_off_cpu, runnable_ns)) +
			 sum_of(offsetof(struct scp_off_cpu, asleep_ns)) - 800) < 0.01);
	assert_true(fabs((double)states[WAITS].off_cpu.asleep_ns /
				 (double)states[WAITS].off_cpu.runnable_ns -
			 11) < 0.001);
}

/* A damaged file may say anything. */
static void test_impossible_accounts_are_survived(void **state)
{
	static const uint64_t odd[] = {0, 1, UINT64_MAX / 2, UINT64_MAX};

	(void)state;
	for (unsigned i = 0; i < 4 * 4 * 4; i++) {
		begin(NULL);
		table.states.cpu_ns = odd[i % 4];
		table.states.delay_ns = odd[i / 4 % 4];
		states[WAITS].off_cpu.weighted = odd[i / 16];
		assert_true(calibrate_file(&profile, 0, 0, 1));
		assert_true(states[WAITS].off_cpu.asleep_ns <= UINT64_C(1) << 63);
	}
}

/* Without a detector it is numbers of calls that are weighted. */
static void test_lengths_are_in_ns_then(void **state)
{
	const struct scp_off_cpu *o = &states[WAITS].off_cpu;
	const uint64_t known = o->known, weighted = o->weighted, slot = batches[WAITS].weighted[0];

	(void)state;
	entry[WAITS].sums.detector = SCP_SWITCH_RSEQ;
	entry[COMPUTES].sums.detector = SCP_SWITCH_SAMPLED;
	calibrate_to_ns(&profile, 0, 0, 0.5);
	assert_int_equal(o->known, known / 2);
	assert_int_equal(o->weighted, weighted / 2);
	assert_int_equal(batches[WAITS].weighted[0], slot / 2);
	assert_int_equal(table.states.call_off_cpu.known, 450 * MS);
	assert_int_equal(states[COMPUTES].off_cpu.weighted, 100 * MS);
	assert_int_equal(o->asleep_ns, 550 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_rows_add_up_to_the_kernels_account, begin),
		cmocka_unit_test_setup(test_a_row_that_was_not_read_has_a_part_of_the_account,
				       begin),
		cmocka_unit_test_setup(test_a_row_that_was_not_read_has_what_the_others_have_not,
				       begin),
		cmocka_unit_test_setup(test_gaps_that_were_not_read_have_what_calls_have_not,
				       begin),
		cmocka_unit_test_setup(test_gaps_have_what_those_that_were_read_lack, begin),
		cmocka_unit_test_setup(test_a_row_of_which_all_was_read_stays, begin),
		cmocka_unit_test_setup(test_batches_stay_within_their_sums, begin),
		cmocka_unit_test_setup(test_an_account_of_a_part_of_the_time_changes_nothing,
				       begin),
		cmocka_unit_test_setup(test_a_run_delay_of_a_part_of_the_time_changes_no_shares,
				       begin),
		cmocka_unit_test_setup(test_impossible_accounts_are_survived, begin),
		cmocka_unit_test_setup(test_lengths_are_in_ns_then, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
