// SPDX-License-Identifier: GPL-3.0-or-later
/* What a file says about switched calls, also by not saying it; and what is left of it where
 * files are joined, written and read again, and processes are folded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

/* The sample with a header that says so; without STATES records where `bare`. */
static struct profile *sample(const char *name, uint32_t detector, uint32_t flags, bool bare)
{
	const char *path = scp_build_name(name);
	struct scp_build b;
	struct scp_sample s;

	scp_build_sample(&b, &s);
	scp_build_header(&b)->switches.detector = detector;
	scp_build_header(&b)->switches.flags = flags;
	for (uint64_t at = s.states_chunk; bare && at < s.slowest_chunk; at += SCP_GRANULE)
		((struct scp_chunk *)(void *)(b.bytes + at))->magic = 0;
	scp_build_save(&b, path);
	scp_build_free(&b);
	return model_open(&path, 1);
}

static void test_an_entry_without_states_was_never_switched_where_a_detector_watches(void **state)
{
	static const struct {
		uint32_t detector, flags, expected;
	} file[] = {{SCP_SWITCH_NONE, SCP_SWITCH_OFF, SCP_SWITCH_NONE},
		    {SCP_SWITCH_SAMPLED, 0, SCP_SWITCH_NONE},
		    {SCP_SWITCH_RSEQ, 0, SCP_SWITCH_RSEQ},
		    {SCP_SWITCH_PERF, SCP_SWITCH_EXACT, SCP_SWITCH_PERF},
		    {SCP_SWITCH_RSEQ, SCP_SWITCH_MIXED, SCP_SWITCH_NONE},
		    {SCP_SWITCH_PERF + 1, 0, SCP_SWITCH_NONE}};

	(void)state;
	for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
		struct profile *p = sample("bare.scp", file[i].detector, file[i].flags, true);

		for (uint32_t k = 0; k < p->entries; k++) {
			assert_int_equal(p->entry[k].sums.detector, file[i].expected);
			assert_null(p->entry[k].sums.states);
		}
		profile_free(p);
	}
}

/* The sample with the 64 bits at `offset` changed: the states of its first entry. */
static void expect_states(uint64_t offset, uint64_t value, const struct scp_build *good, bool kept)
{
	const char *path = scp_build_name("odd.scp");
	uint64_t *word = (uint64_t *)(void *)(good->bytes + offset), old = *word;
	struct profile *p;

	*word = value;
	scp_build_save(good, path);
	*word = old;
	p = model_open(&path, 1);
	if (!p->entry[0].sums.states != !kept)
		fail_msg("%llu at %llu: states are %s", (unsigned long long)value,
			 (unsigned long long)offset, kept ? "lost" : "kept");
	assert_int_equal(p->entry[0].sums.detector, kept ? SCP_SWITCH_RSEQ : SCP_SWITCH_NONE);
	assert_int_equal(p->entry[0].sums.batches.count, 5);
	assert_int_equal(p->entry[1].sums.detector, SCP_SWITCH_RSEQ);
	profile_free(p);
}

#define STATES(field)  (s.states + offsetof(struct scp_states, field))
#define BATCHES(field) (s.state_batches + offsetof(struct scp_state_batches, field))

static void test_states_that_contradict_their_entry_are_not_known(void **state)
{
	struct scp_build b;
	struct scp_sample s;

	(void)state;
	scp_build_sample(&b, &s);
	expect_states(STATES(calls), 10, &b, true);
	expect_states(STATES(calls), 11, &b, false);
	expect_states(STATES(calls), 2, &b, false); /* fewer than readings */
	expect_states(STATES(units), 1000, &b, true);
	expect_states(STATES(units), 1001, &b, false);
	expect_states(STATES(units_sq_hi), 2, &b, false);
	expect_states(STATES(from_calls), 6, &b, true);
	expect_states(STATES(from_calls), 7, &b, false);
	expect_states(STATES(from_calls), UINT64_MAX, &b, false);
	expect_states(STATES(from_units), 601, &b, false);
	expect_states(STATES(readings), 5, &b, false);
	expect_states(BATCHES(calls), 1, &b, false); /* 5 in all */
	expect_states(BATCHES(calls), UINT64_MAX - 3, &b, false);
	expect_states(BATCHES(units), 1, &b, false);
	expect_states(BATCHES(known), 1, &b, false);
	expect_states(BATCHES(weighted), 10, &b, true);
	expect_states(BATCHES(weighted), 11, &b, false);
	expect_states(BATCHES(runnable_ns), 3, &b, false);
	expect_states(BATCHES(asleep_ns), 1, &b, false);
	expect_states(BATCHES(calls) + 5 * 8, 1, &b, true); /* behind the last batch */
	scp_build_free(&b);
}

/* Blocks of the histogram of all calls may have found no room. */
static void test_no_bucket_has_more_switched_calls_than_calls(void **state)
{
	const char *path = scp_build_name("buckets.scp");
	const struct prof_states *t;
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	((struct scp_hist *)(void *)(b.bytes + s.hist))->count[36] = 3;
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = model_open(&path, 1);
	t = p->entry[0].sums.states;
	assert_int_equal(t->calls, 4);
	assert_int_equal(hist_count(t->hist[SCP_STATE_SWITCHED], 36), 3);
	profile_free(p);
}

/* Then its batches may be of another one. */
static void test_a_detector_that_was_given_up_costs_the_batches_alone(void **state)
{
	const char *path = scp_build_name("given-up.scp");
	struct scp_states *t;
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	t = (struct scp_states *)(void *)(b.bytes + s.states);
	t->detector = SCP_SWITCH_SAMPLED;
	t->from_calls = 5;
	t->calls = 1;
	t->readings = 5;
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = model_open(&path, 1);
	assert_int_equal(p->entry[0].sums.detector, SCP_SWITCH_SAMPLED);
	assert_int_equal(p->entry[0].sums.states->readings, 5);
	assert_null(p->entry[0].sums.states->batches);
	profile_free(p);
}

static void test_a_table_that_contradicts_itself_is_not_known(void **state)
{
	const char *path = scp_build_name("table.scp");
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	((struct scp_table_states *)(void *)(b.bytes + s.table_states))->stolen_ns = 801;
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = model_open(&path, 1);
	assert_int_equal(p->table[0].states.detector, SCP_SWITCH_NONE);
	assert_int_equal(p->table[0].states.cpu_ns, 0);
	profile_free(p);
}

/* Written, read, and again. */
static void expect_round_trip(const struct profile *p)
{
	const char *path = scp_build_name("merged.scp");
	struct profile_error err;
	struct profile *q;

	if (write_profile(p, path, &err))
		fail_msg("%s", err.text);
	q = model_open(&path, 1);
	if (model_difference(p, q))
		fail_msg("%s", model_difference(p, q));
	profile_free(q);
}

static void add_sample(struct profile *p, const char *name, uint32_t detector)
{
	const char *path = scp_build_name(name);
	struct profile_error err;

	profile_free(sample(name, detector, 0, detector != SCP_SWITCH_RSEQ));
	if (profile_add(p, path, &err))
		fail_msg("%s", err.text);
}

static void test_files_with_one_detector_round_trip(void **state)
{
	struct profile *p = sample("one.scp", SCP_SWITCH_RSEQ, SCP_SWITCH_NO_PERF, false);

	(void)state;
	add_sample(p, "two.scp", SCP_SWITCH_RSEQ);
	assert_int_equal(p->switches.detector, SCP_SWITCH_RSEQ);
	assert_int_equal(p->switches.flags, SCP_SWITCH_NO_PERF);
	assert_int_equal(p->switches.verified, 14);
	assert_int_equal(p->switches.unfounded, 2);
	assert_int_equal(p->switches.readings, 12);
	assert_int_equal(p->switches.reading_ns, 11000);
	expect_round_trip(p);
	p->entry[1].sums.detector = SCP_SWITCH_NONE; /* one that contradicted itself */
	expect_round_trip(p);
	profile_free(p);
}

/* A recording is calibrated where it is read first, and saved as one file. */
static void test_what_a_calibration_moved_round_trips(void **state)
{
	const char *path = scp_build_name("merged.scp");
	struct profile *p = sample("one.scp", SCP_SWITCH_RSEQ, 0, false), *q;
	struct prof_states *s = p->entry[0].sums.states;
	struct profile_error err;

	(void)state;
	s->moved_runnable = 1234;
	s->moved_asleep = -1e30;
	assert_int_equal(write_profile(p, path, &err), 0);
	q = model_open(&path, 1);
	assert_float_equal(q->entry[0].sums.states->moved_runnable, 1234, 1e-9);
	assert_true(q->entry[0].sums.states->moved_asleep == -0x1p62);
	profile_free(q);
	profile_free(p);
}

static void test_files_with_different_detectors_round_trip(void **state)
{
	static const uint32_t other[] = {SCP_SWITCH_NONE, SCP_SWITCH_SAMPLED, SCP_SWITCH_PERF};

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct profile *p = profile_new();
		uint32_t of[2] = {SCP_SWITCH_RSEQ, other[i / 2]};

		add_sample(p, "one.scp", of[i % 2]);
		add_sample(p, "two.scp", of[!(i % 2)]);
		assert_int_equal(p->switches.detector, i / 2 == 2 ? SCP_SWITCH_RSEQ : other[i / 2]);
		assert_int_equal(p->switches.flags, SCP_SWITCH_MIXED);
		assert_int_equal(p->entry[1 + 3 * (i % 2)].sums.detector, SCP_SWITCH_RSEQ);
		expect_round_trip(p);
		profile_free(p);
	}
}

static void test_folded_processes_keep_their_states(void **state)
{
	struct profile *p = sample("one.scp", SCP_SWITCH_RSEQ, 0, false);
	const struct prof_states *t;

	(void)state;
	add_sample(p, "two.scp", SCP_SWITCH_RSEQ);
	fold_model(p, 1);
	t = p->entry[0].sums.states;
	assert_int_equal(p->entries, 3);
	assert_int_equal(t->calls, 8);
	assert_int_equal(hist_count(t->hist[SCP_STATE_SWITCHED], 36), 8);
	assert_true(t->batches->calls[1] == 1 && t->batches->calls[9] == 3);
	assert_int_equal(p->table[0].states.gaps, 4);
	assert_int_equal(p->table[0].states.gap_off_cpu.runnable_ns, 40); /* of twice the sample */
	assert_int_equal(p->table[0].states.stolen_ns, 80);
	assert_int_equal(p->table[1].states.detector, SCP_SWITCH_NONE);
	expect_round_trip(p);
	profile_free(p);
}

static void test_tables_by_function_keep_states_without_histograms(void **state)
{
	struct profile *p = sample("one.scp", SCP_SWITCH_RSEQ, 0, false), *to = profile_new();
	struct profile_error err;

	(void)state;
	p->table[1].states = p->table[0].states;
	for (int i = 0; i < 2; i++)
		assert_int_equal(functions_add(to, p, NULL, &err), 0);
	for (uint32_t i = 0; i < to->entries; i++) {
		const struct prof_sums *s = &to->entry[i].sums;

		if (strcmp(to->function[to->entry[i].function].name, "recv") != 0)
			continue;
		assert_int_equal(s->states->calls, 8);
		assert_true(s->states->batches && !s->states->hist[SCP_STATE_SWITCHED]);
	}
	assert_int_equal(to->switches.detector, SCP_SWITCH_RSEQ);
	assert_int_equal(to->switches.flags, 0);
	assert_int_equal(to->switches.readings, 12);
	assert_int_equal(to->table[0].states.gaps, 8);
	assert_non_null(p->entry[0].sums.states->hist[SCP_STATE_SWITCHED]);
	profile_free(p);
	profile_free(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_an_entry_without_states_was_never_switched_where_a_detector_watches),
		cmocka_unit_test(test_states_that_contradict_their_entry_are_not_known),
		cmocka_unit_test(test_no_bucket_has_more_switched_calls_than_calls),
		cmocka_unit_test(test_a_detector_that_was_given_up_costs_the_batches_alone),
		cmocka_unit_test(test_a_table_that_contradicts_itself_is_not_known),
		cmocka_unit_test(test_files_with_one_detector_round_trip),
		cmocka_unit_test(test_what_a_calibration_moved_round_trips),
		cmocka_unit_test(test_files_with_different_detectors_round_trip),
		cmocka_unit_test(test_folded_processes_keep_their_states),
		cmocka_unit_test(test_tables_by_function_keep_states_without_histograms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
