// SPDX-License-Identifier: GPL-3.0-or-later
/* What the wrapper adds, combined over measurements, files and merges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

#define SAMPLE_CALLS 15 /* of the sample profile's entries together */

static const struct scp_overhead none;

static struct scp_cost cost(uint64_t inside, uint64_t error)
{
	return (struct scp_cost){inside, error, inside + 5000, 2 * error};
}

/* The same for short paths as for long ones. */
static struct scp_overhead measured(uint64_t inside, uint64_t error)
{
	return (struct scp_overhead){.rounds = 32,
				     .cost = {cost(inside, error), cost(inside, error)}};
}

/* The sample profile with these measurements and `times` as many calls at its first site. */
static void save(const char *path, const struct scp_overhead *first,
		 const struct scp_overhead *last, uint64_t extra_calls)
{
	struct scp_build b;
	struct scp_sample s;
	struct scp_header *h;

	scp_build_sample(&b, &s);
	h = scp_build_header(&b);
	h->overhead_first = *first;
	h->overhead_last = *last;
	((struct scp_entry *)(void *)(b.bytes + s.entry))->calls += extra_calls;
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static struct prof_overhead overhead_of(const char *const *paths, size_t count)
{
	struct profile *p = model_open(paths, count);
	struct prof_overhead o = p->clock.overhead;

	profile_free(p);
	return o;
}

static struct prof_overhead overhead_of_one(const struct scp_overhead *first,
					    const struct scp_overhead *last)
{
	const char *path = scp_build_name("one.scp");

	save(path, first, last, 0);
	return overhead_of(&path, 1);
}

static void test_unmeasured_is_not_a_number(void **state)
{
	struct prof_overhead o = overhead_of_one(&none, &none);

	(void)state;
	assert_int_equal(o.measurements, 0);
	assert_true(isnan(o.inside_ns) && isnan(o.inside_error_ns));
	assert_true(isnan(o.outside_ns) && isnan(o.outside_error_ns));
	assert_true(isnan(overhead_at(&o, 20).inside_ns));
}

static void test_one_measurement_is_taken_as_it_is(void **state)
{
	struct scp_overhead m = measured(18123, 45);
	struct prof_overhead o = overhead_of_one(&m, &none);

	(void)state;
	assert_int_equal(o.measurements, 1);
	assert_float_equal(o.inside_ns, 18.123, 1e-12);
	assert_float_equal(o.inside_error_ns, 0.045, 1e-12);
	assert_float_equal(o.outside_ns, 23.123, 1e-12);
	assert_float_equal(o.cost[SCP_COST_LONG].outside_error_ns, 0.090, 1e-12);
	assert_int_equal(overhead_of_one(&none, &m).measurements, 1);
}

static void test_half_the_difference_of_two_is_in_the_error(void **state)
{
	struct scp_overhead a = measured(17000, 30), b = measured(19000, 40);
	struct prof_overhead o = overhead_of_one(&a, &b);

	(void)state;
	assert_int_equal(o.measurements, 2);
	assert_float_equal(o.inside_ns, 18, 1e-12);
	/* sqrt of: mean of 0.03^2 and 0.04^2, plus 1^2; to the picosecond */
	assert_float_equal(o.inside_error_ns, sqrt((0.0009 + 0.0016) / 2 + 1), 0.0005);
	assert_float_equal(o.outside_ns, 23, 1e-12);
}

static void test_processes_weigh_as_many_calls_as_they_made(void **state)
{
	const char *path[] = {scp_build_name("a.scp"), scp_build_name("b.scp")};
	struct scp_overhead a = measured(10000, 0), b = measured(20000, 0);
	struct prof_overhead o;

	(void)state;
	save(path[0], &a, &none, 0);
	save(path[1], &b, &b, 2 * SAMPLE_CALLS); /* three times as many */
	o = overhead_of(path, 2);
	assert_int_equal(o.measurements, 3);
	assert_float_equal(o.inside_ns, 17.5, 1e-12);
	/* between 10 (1/4) and 20 (3/4): sqrt(1/4 x 3/4) x 10 */
	assert_float_equal(o.inside_error_ns, sqrt(3.0 / 16) * 10, 0.0005);
	/* a file that was not measured says nothing */
	save(path[1], &none, &none, 2 * SAMPLE_CALLS);
	o = overhead_of(path, 2);
	assert_int_equal(o.measurements, 1);
	assert_float_equal(o.inside_ns, 10, 1e-12);
}

static void merge(const char *const *paths, size_t count, const char *to)
{
	struct profile_error err;
	struct profile *p = model_open(paths, count);

	if (write_profile(p, to, &err))
		fail_msg("%s", err.text);
	profile_free(p);
}

static void test_merging_in_steps_comes_to_the_same(void **state)
{
	const char *path[] = {scp_build_name("a.scp"), scp_build_name("b.scp"),
			      scp_build_name("c.scp")};
	const char *step[] = {scp_build_name("ab.scp"), path[2]};
	struct scp_overhead a = measured(15000, 900), b = measured(21000, 30),
			    c = measured(18000, 400);
	struct prof_overhead at_once, in_steps;

	(void)state;
	save(path[0], &a, &b, 7);
	save(path[1], &b, &none, 0);
	save(path[2], &c, &a, 100);
	at_once = overhead_of(path, 3);
	merge(path, 2, step[0]);
	in_steps = overhead_of(step, 2);
	assert_int_equal(at_once.measurements, 5);
	assert_int_equal(in_steps.measurements, 5);
	/* but for picoseconds, which the merged file rounds to */
	assert_float_equal(in_steps.inside_ns, at_once.inside_ns, 0.002);
	assert_float_equal(in_steps.inside_error_ns, at_once.inside_error_ns, 0.002);
	assert_float_equal(in_steps.outside_ns, at_once.outside_ns, 0.002);
	assert_float_equal(in_steps.outside_error_ns, at_once.outside_error_ns, 0.002);
	assert_true(at_once.inside_error_ns > 1); /* the test is about something */
}

static void test_both_clocks_round_trip(void **state)
{
	const char *path = scp_build_name("dual.scp"), *merged = scp_build_name("merged.scp");
	struct profile *p, *q;
	struct scp_build b;
	struct scp_sample s;
	struct scp_header *h;

	(void)state;
	scp_build_sample(&b, &s);
	h = scp_build_header(&b);
	h->overhead_first = measured(17001, 31);
	h->overhead_last = measured(19002, 57);
	h->slow_overhead_first = measured(32003, 77);
	for (int i = 0; i < 2; i++) {
		struct scp_cost *c = &h->slow_overhead_first.cost[i];

		c->outside_ps = c->outside_error_ps = 0;
	}
	h->overhead_last.cost[SCP_COST_LONG] = cost(14005, 500);
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = model_open(&path, 1);
	assert_float_equal(p->clock.overhead.inside_ns, 18.002, 0.001);
	assert_float_equal(p->slow.overhead.inside_ns, 32.003, 1e-12);
	assert_int_equal(p->slow.overhead.measurements, 1);
	assert_float_equal(p->slow.overhead.outside_ns, 0, 0);
	merge(&path, 1, merged);
	q = model_open(&merged, 1);
	if (model_difference(p, q))
		fail_msg("%s", model_difference(p, q));
	profile_free(p);
	profile_free(q);
}

static void refuse(size_t offset, uint64_t value)
{
	const char *path = scp_build_name("damaged.scp");
	struct profile *p = profile_new();
	struct profile_error err;
	struct scp_build b;
	struct scp_sample s;

	scp_build_sample(&b, &s);
	memcpy(b.bytes + offset, &value, sizeof value);
	scp_build_save(&b, path);
	scp_build_free(&b);
	if (profile_add(p, path, &err) == 0)
		fail_msg("loaded with %llu at byte %zu", (unsigned long long)value, offset);
	assert_non_null(strstr(err.text, "damaged.scp"));
	assert_non_null(strstr(err.text, "overhead is out of range"));
	assert_true(isnan(p->clock.overhead.inside_ns));
	profile_free(p);
}

static void test_hostile_values_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		size_t at = offsetof(struct scp_header, overhead_first) +
			    i * sizeof(struct scp_overhead);

		for (size_t k = 0; k < 8; k++) { /* the fields of both costs */
			size_t field = offsetof(struct scp_overhead, cost) + k * sizeof(uint64_t);

			refuse(at + field, SCP_COST_MAX_PS + 1);
			refuse(at + field, UINT64_MAX);
		}
		refuse(at + offsetof(struct scp_overhead, measurements), UINT64_C(1) << 32);
		refuse(at + offsetof(struct scp_overhead, rounds), UINT64_MAX);
	}
}

/* 17 ns inside calls with short paths, 14 ns with long ones; 20 and 36 ns outside. */
static struct scp_overhead by_depth(void)
{
	return (struct scp_overhead){.rounds = 32,
				     .cost = {[SCP_COST_SHORT] = {17000, 100, 20000, 300},
					      [SCP_COST_LONG] = {14000, 200, 36000, 400}}};
}

/* A file with so many calls at the end of a path of 2 frames, and of `frames`. */
static void save_depths(const char *path, uint64_t few, uint32_t frames, uint64_t many)
{
	uint64_t frame[SCP_MAX_FRAMES] = {0x1000};
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_header(&b)->overhead_first = by_depth();
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "recv", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "main");
	scp_build_path(&b, 1, frame, 2);
	scp_build_path(&b, 2, frame, frames);
	scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED)->calls = few;
	scp_build_entry(&b, 2, 2, 1, SCP_COMPLETED)->calls = many;
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void test_cost_depends_on_the_path(void **state)
{
	const char *path = scp_build_name("depth.scp");
	struct prof_overhead o;
	struct prof_cost at;

	(void)state;
	save_depths(path, 1, SCP_COST_LONG_FRAMES, 0);
	o = overhead_of(&path, 1);
	at = overhead_at(&o, SCP_COST_SHORT_FRAMES);
	assert_float_equal(at.inside_ns, 17, 1e-12);
	assert_float_equal(at.outside_ns, 20, 1e-12);
	assert_float_equal(at.outside_error_ns, 0.3, 1e-12);
	at = overhead_at(&o, SCP_COST_SHORT_FRAMES + 1);
	assert_float_equal(at.inside_ns, 14, 1e-12);
	assert_float_equal(at.inside_error_ns, 0.2, 1e-12);
	assert_float_equal(at.outside_ns, 20.5, 1e-12); /* (36 - 20) / (49 - 17) a frame */
	at = overhead_at(&o, SCP_COST_LONG_FRAMES);
	assert_float_equal(at.outside_ns, 36, 1e-12);
	assert_float_equal(at.outside_error_ns, 0.4, 1e-12);
	assert_float_equal(overhead_at(&o, 1).outside_ns, 12, 1e-12);
	o.cost[SCP_COST_SHORT].outside_ns = 1;
	assert_float_equal(overhead_at(&o, 1).outside_ns, 0, 0); /* nothing costs less */
}

static void test_the_whole_profile_mixes_paths_as_its_calls_do(void **state)
{
	const char *path = scp_build_name("depth.scp");
	struct prof_overhead o;

	(void)state;
	save_depths(path, 5, 10, 6); /* 10 frames are a short path too */
	o = overhead_of(&path, 1);
	assert_float_equal(o.inside_ns, 17, 1e-12);
	assert_float_equal(o.inside_error_ns, 0.1, 1e-12);
	save_depths(path, 300, 42, 100);
	o = overhead_of(&path, 1);
	assert_float_equal(o.inside_ns, 0.75 * 17 + 0.25 * 14, 1e-12);
	assert_float_equal(o.inside_error_ns, sqrt(0.75 * 0.01 + 0.25 * 0.04 + 3.0 / 16 * 9), 1e-9);
	assert_float_equal(o.outside_ns, 20 + (12 - 17) * 0.5, 1e-9); /* 12 frames on average */
	assert_int_equal(o.measurements, 1);
}

/* Counters at their limits neither overflow nor make a mean that is no number. */
static void test_extreme_values_stay_finite(void **state)
{
	const char *path[] = {scp_build_name("a.scp"), scp_build_name("b.scp")};
	const char *merged = scp_build_name("merged.scp");
	const struct scp_cost dearest = {SCP_COST_MAX_PS, SCP_COST_MAX_PS, SCP_COST_MAX_PS,
					 SCP_COST_MAX_PS};
	struct scp_overhead most = {UINT64_C(1) << 40, UINT32_MAX, {dearest, dearest}};
	struct prof_overhead o;

	(void)state;
	save(path[0], &most, &most, UINT64_MAX / 2);
	save(path[1], &most, &none, 0);
	merge(path, 2, merged);
	o = overhead_of(&merged, 1);
	assert_int_equal(o.measurements, UINT32_MAX);
	assert_float_equal(o.inside_ns, 1e9, 1);
	assert_float_equal(o.inside_error_ns, 1e9, 1);
	assert_float_equal(overhead_at(&o, UINT32_MAX).outside_ns, 1e9, 1);
	/* ... nor does a process that made no calls divide by 0 */
	save_depths(path[0], 0, 30, 0);
	o = overhead_of(path, 1);
	assert_true(isfinite(o.inside_ns) && isfinite(o.outside_error_ns));
	assert_float_equal(o.inside_ns, 17, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unmeasured_is_not_a_number),
		cmocka_unit_test(test_one_measurement_is_taken_as_it_is),
		cmocka_unit_test(test_half_the_difference_of_two_is_in_the_error),
		cmocka_unit_test(test_processes_weigh_as_many_calls_as_they_made),
		cmocka_unit_test(test_merging_in_steps_comes_to_the_same),
		cmocka_unit_test(test_both_clocks_round_trip),
		cmocka_unit_test(test_hostile_values_are_refused),
		cmocka_unit_test(test_cost_depends_on_the_path),
		cmocka_unit_test(test_the_whole_profile_mixes_paths_as_its_calls_do),
		cmocka_unit_test(test_extreme_values_stay_finite),
	};
	int failed = cmocka_run_group_tests_name("overhead", tests, NULL, NULL);

	scp_build_cleanup();
	return failed;
}
