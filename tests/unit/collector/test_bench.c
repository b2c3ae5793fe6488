// SPDX-License-Identifier: GPL-3.0-or-later
/* bench: arguments as they are written, and what is made of loops that were timed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/bench/bench_subject.h"
#include "collector/bench/bench_summary.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- Arguments ---- */

static int parse(struct bench_arguments *a, const char *word)
{
	char copy[64], *words[] = {copy}, why[256] = "";
	int result;

	strcpy(copy, word);
	result = bench_arguments_parse(a, words, 1, why, sizeof(why));
	/* a refusal says why, in one line, and names the word */
	assert_int_equal(result != 0, why[0] != '\0');
	assert_null(strchr(why, '\n'));
	if (result)
		assert_non_null(strstr(why, word));
	return result;
}

static void integers_are_read_exactly(void **state)
{
	static const struct {
		const char *word;
		long value;
	} good[] = {
		{"int:0", 0},
		{"int:-1", -1},
		{"int:007", 7},
		{"int:0xff", 255},
		{"int:-0x10", -16},
		{"int:9223372036854775807", INT64_MAX},
		{"int:-9223372036854775808", INT64_MIN},
		{"int:18446744073709551615", -1},
		{"null", 0},
	};
	struct bench_arguments a;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(parse(&a, good[i].word), 0);
		assert_int_equal(a.integers, 1);
		assert_int_equal(a.integer[0], good[i].value);
		bench_arguments_free(&a);
	}
}

static void what_is_half_understood_is_refused(void **state)
{
	static const char *const bad[] = {
		"",	     "5",	 "int",
		"int:",	     "int:x",	 "int:5 ",
		"int: 5",    "int:+5",	 "int:--5",
		"int:0x",    "int:5.0",	 "int:18446744073709551616",
		"buf:",	     "buf:0",	 "buf:-1",
		"buf:4kk",   "buf:1.5k", "int:-9223372036854775809",
		"buf:2G",    "buf:4K",	 "f64:",
		"f64:x",     "f64: 1",	 "buf:99999999999999999999",
		"f64:1.5x",  "f32:1,5",	 "str",
		"null:",     "NULL",	 "int:1:2",
		"integer:5", "double:5", "buf:1048577k",
	};
	struct bench_arguments a;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!parse(&a, bad[i]))
			fail_msg("'%s' was taken", bad[i]);
}

static void buffers_are_filled_the_same_every_time(void **state)
{
	struct bench_arguments a, b;
	const unsigned char *x, *y;
	unsigned int seen[256] = {0};
	void *used = malloc(8256); /* which the buffer may get, as it is */

	(void)state;
	assert_non_null(used);
	memset(used, 7, 8256);
	__asm__ volatile("" : : "r"(used) : "memory");
	free(used);
	assert_int_equal(parse(&a, "buf:8k"), 0);
	assert_int_equal(parse(&b, "buf:8192"), 0);
	x = (const unsigned char *)a.integer[0];
	y = (const unsigned char *)b.integer[0];
	assert_memory_equal(x, y, 8193);
	assert_int_equal((uintptr_t)x % 64, 0);
	assert_int_equal(x[8192], 0);
	for (size_t i = 0; i < 8192; i++)
		seen[x[i]]++;
	assert_int_equal(seen[0], 0);
	for (size_t i = 1; i < 256; i++)
		assert_in_range(seen[i], 10, 60); /* 32 on average */
	bench_arguments_free(&a);
	bench_arguments_free(&b);
}

static void reals_and_floats_travel_as_the_processor_wants_them(void **state)
{
	struct bench_arguments a;
	float low;

	(void)state;
	assert_int_equal(parse(&a, "f64:-2.5e-3"), 0);
	assert_int_equal(a.reals, 1);
	assert_true(a.real[0] == -2.5e-3);
	assert_int_equal(parse(&a, "f32:1.5"), 0);
	memcpy(&low, &a.real[0], sizeof(low));
	assert_true(low == 1.5f);
}

/* ---- Calls ---- */

static unsigned long calls;
static long got[BENCH_INTEGERS];
static double got_real[BENCH_REALS];

static void note(long a, long b, long c, long d, long e, long f, double p, double q, double r,
		 double s, double t, double u, double v, double w)
{
	const long integers[] = {a, b, c, d, e, f};
	const double reals[] = {p, q, r, s, t, u, v, w};

	calls++;
	memcpy(got, integers, sizeof(got));
	memcpy(got_real, reals, sizeof(got_real));
}

static void every_number_of_arguments_arrives(void **state)
{
	struct bench_arguments a = {0};

	(void)state;
	for (unsigned int i = 0; i < BENCH_INTEGERS; i++)
		a.integer[i] = i + 1;
	for (unsigned int i = 0; i < BENCH_REALS; i++)
		a.real[i] = i + 0.5;
	for (a.integers = 0; a.integers <= BENCH_INTEGERS; a.integers++)
		for (a.reals = 0; a.reals <= BENCH_REALS; a.reals++) {
			calls = 0;
			memset(got, 0, sizeof(got));
			memset(got_real, 0, sizeof(got_real));
			bench_function_loop (&a)((bench_function *)note, &a, 7);
			assert_int_equal(calls, 7);
			/* what is beyond those given may be anything */
			assert_memory_equal(got, a.integer, a.integers * sizeof(long));
			assert_memory_equal(got_real, a.real, a.reals * sizeof(double));
		}
}

static void empty_functions_lie_at_several_places_of_a_line(void **state)
{
	unsigned int places = 0;

	(void)state;
	for (unsigned int turn = 0; turn < 8; turn++)
		places |= 1u << ((uintptr_t)bench_function_empty(turn) % 64 / 16);
	assert_int_equal(places, 15);
}

/* ---- Summary ---- */

#define REPLICATIONS 20

/* Loops of 100 calls; a unit is half a nanosecond. */
static struct bench_record *record_of(const double *subject_ns, const double *empty_ns)
{
	struct bench_record *r = calloc(1, sizeof(*r) + REPLICATIONS * sizeof(r->replications[0]));

	assert_non_null(r);
	r->calls = 100;
	r->first = 4000;
	r->took_ns = 2000000;
	r->steal_to = (struct cpu_times_steal){.stolen = 3, .all = 100};
	for (int i = 0; i < REPLICATIONS; i++)
		r->replications[i] = (struct bench_replication){
			.began_ns = (uint64_t)i * 100000,
			.subject = (uint64_t)lround(subject_ns[i] * 200),
			.empty = (uint64_t)lround(empty_ns[i] * 200),
			.switches = i == 7 ? 2 : 0,
		};
	return r;
}

static const struct bench_plan plan = {
	.library = "x", .function = "f", .ns_per_unit = 0.5, .replications = REPLICATIONS};
static const struct bench_summary_options wishes = {.confidence = 0.95, .epsilon = 0.01, .k = 3};

static void fill(double *subject, double *empty, double subject_ns, double empty_ns)
{
	/* an order without trend or neighbours alike: -2 .. 2 % */
	static const int wave[] = {0, 2, -1, 1, -2};

	for (int i = 0; i < REPLICATIONS; i++) {
		subject[i] = subject_ns * (1 + 0.01 * wave[i % 5]);
		empty[i] = empty_ns * (1 + 0.01 * wave[(i + 2) % 5]);
	}
}

static struct bench_summary summarise(const double *subject, const double *empty,
				      const struct bench_summary_options *w)
{
	struct bench_record *r = record_of(subject, empty);
	struct bench_summary s;

	assert_int_equal(bench_summary_make(&s, &plan, r, w), 0);
	free(r);
	return s;
}

static bool warned(const struct bench_summary *s, const char *code)
{
	for (uint32_t i = 0; i < s->warnings; i++)
		if (!strcmp(s->warning[i].code, code))
			return true;
	return false;
}

static void the_empty_loop_is_subtracted_with_its_error(void **state)
{
	double subject[REPLICATIONS], empty[REPLICATIONS];
	struct bench_summary s;

	(void)state;
	fill(subject, empty, 50, 10);
	s = summarise(subject, empty, &wishes);
	assert_float_equal(s.mean.mean, 40, 1e-4);
	assert_float_equal(s.raw.mean, 50, 1e-4);
	assert_float_equal(s.empty.mean, 10, 1e-4);
	/* five values four times: 40 + 0.5 w_i - 0.1 w_{i+2}. Sum of w_i^2 is 10, of
	 * w_i w_{i+2} 0: squares about the mean 4 x 0.26 x 10 = 10.4, over 19 and 20;
	 * t_{19,0.975} = 2.093024 */
	assert_float_equal(s.mean.error, sqrt(10.4 / 19 / 20), 1e-5);
	assert_float_equal(s.mean.high - s.mean.mean, 2.093024 * sqrt(10.4 / 19 / 20), 1e-4);
	assert_float_equal(s.best_ns, 49 - 9.8, 1e-4);
	assert_int_equal(s.best.measurements, 15); /* 49 ns comes once in five */
	assert_float_equal(s.first_ns, 2000, 1e-3);
	assert_float_equal(s.first_factor, 40, 1e-4);
	assert_int_equal(s.outliers, 0);
	bench_summary_free(&s);
}

static void less_than_nothing_is_not_clamped(void **state)
{
	double subject[REPLICATIONS], empty[REPLICATIONS];
	struct bench_summary s;

	(void)state;
	fill(subject, empty, 10, 11);
	s = summarise(subject, empty, &wishes);
	assert_float_equal(s.mean.mean, -1, 1e-4);
	assert_true(s.mean.low < -1 && s.mean.high > -1 && s.mean.high < 0);
	assert_float_equal(s.best_ns, 9.8 - 10.78, 1e-4);
	bench_summary_free(&s);
}

static void nothing_is_subtracted_from_a_command(void **state)
{
	double subject[REPLICATIONS], empty[REPLICATIONS];
	struct bench_plan command = plan;
	struct bench_record *r;
	struct bench_summary s;

	(void)state;
	command.library = NULL;
	fill(subject, empty, 50, 10);
	r = record_of(subject, empty);
	assert_int_equal(bench_summary_make(&s, &command, r, &wishes), 0);
	free(r);
	assert_false(s.subtracted);
	assert_float_equal(s.mean.mean, 50, 1e-4);
	assert_float_equal(s.best_ns, 49, 1e-4);
	assert_float_equal(s.empty.mean, 10, 1e-4);
	bench_summary_free(&s);
}

static void outliers_are_listed_counted_and_set_apart(void **state)
{
	double subject[REPLICATIONS], empty[REPLICATIONS];
	struct bench_summary s;

	(void)state;
	fill(subject, empty, 50, 10);
	subject[7] = 500;
	empty[12] = 20;
	s = summarise(subject, empty, &wishes);
	assert_int_equal(s.outliers, 2);
	assert_int_equal(s.outlier[0].replication, 7);
	assert_false(s.outlier[0].empty);
	assert_float_equal(s.outlier[0].ns, 500, 1e-4);
	assert_float_equal(s.outlier[0].at_s, 0.0007, 1e-9);
	assert_float_equal(s.outlier[0].factor, 10, 0.3);
	assert_int_equal(s.outlier[0].switches, 2);
	assert_true(s.outlier[1].empty);
	assert_int_equal(s.outlier[1].replication, 12);
	/* 50.5 and 10.1 were in their places: all 20 count */
	assert_int_equal(s.mean.n, 20);
	assert_float_equal(s.raw.mean, 50 + (500 - 49.5) / 20, 0.06);
	assert_int_equal(s.undisturbed.n, 18);
	assert_float_equal(s.undisturbed.mean, 40, 0.2);
	assert_true(warned(&s, "outliers"));
	bench_summary_free(&s);
}

static void warnings_name_what_is_wrong(void **state)
{
	double subject[REPLICATIONS], empty[REPLICATIONS];
	struct bench_summary_options strict = wishes;
	struct bench_summary s;

	(void)state;
	fill(subject, empty, 50, 10);
	s = summarise(subject, empty, &wishes);
	assert_false(warned(&s, "drift") || warned(&s, "dependent-replications") ||
		     warned(&s, "not-converged") || warned(&s, "outliers"));
	assert_true(warned(&s, "stolen-time")); /* 3 of 100 ticks */
	bench_summary_free(&s);

	strict.k = 5;
	s = summarise(subject, empty, &strict);
	assert_true(warned(&s, "not-converged"));
	bench_summary_free(&s);

	for (int i = 0; i < REPLICATIONS; i++)
		subject[i] *= 1 + 0.02 * i;
	s = summarise(subject, empty, &wishes);
	assert_true(warned(&s, "drift"));
	assert_true(s.drift.change > 0.2);
	bench_summary_free(&s);

	/* slow and fast by fours, with no trend */
	fill(subject, empty, 50, 10);
	for (int i = 0; i < REPLICATIONS; i++)
		subject[i] *= i / 4 % 2 ? 1.3 : 1;
	s = summarise(subject, empty, &wishes);
	assert_true(warned(&s, "dependent-replications"));
	bench_summary_free(&s);
}

/* Where other work takes the processor again and again, most loops are disturbed and no
 * fence tells them apart. One in twenty is an outlier's affair. */
static void a_busy_machine_is_named(void **state)
{
	double subject[REPLICATIONS], empty[REPLICATIONS];
	struct bench_plan command = plan;
	struct bench_record *r;
	struct bench_summary s;

	(void)state;
	fill(subject, empty, 50, 10);
	r = record_of(subject, empty);
	assert_int_equal(bench_summary_make(&s, &plan, r, &wishes), 0);
	assert_int_equal(s.preempted, 1);
	assert_false(warned(&s, "busy-machine"));
	bench_summary_free(&s);
	r->replications[3].switches = r->replications[12].switches = 1;
	assert_int_equal(bench_summary_make(&s, &plan, r, &wishes), 0);
	assert_int_equal(s.preempted, 3);
	assert_true(warned(&s, "busy-machine"));
	bench_summary_free(&s);
	command.library = NULL;
	assert_int_equal(bench_summary_make(&s, &command, r, &wishes), 0);
	assert_false(warned(&s, "busy-machine"));
	bench_summary_free(&s);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_read_exactly),
		cmocka_unit_test(what_is_half_understood_is_refused),
		cmocka_unit_test(buffers_are_filled_the_same_every_time),
		cmocka_unit_test(reals_and_floats_travel_as_the_processor_wants_them),
		cmocka_unit_test(every_number_of_arguments_arrives),
		cmocka_unit_test(empty_functions_lie_at_several_places_of_a_line),
		cmocka_unit_test(the_empty_loop_is_subtracted_with_its_error),
		cmocka_unit_test(less_than_nothing_is_not_clamped),
		cmocka_unit_test(nothing_is_subtracted_from_a_command),
		cmocka_unit_test(outliers_are_listed_counted_and_set_apart),
		cmocka_unit_test(warnings_name_what_is_wrong),
		cmocka_unit_test(a_busy_machine_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
