// SPDX-License-Identifier: GPL-3.0-or-later
/* What the report says about single slow calls: when they began, what a reading in ticks can mean,
 * and nothing that a thread's name could do to a terminal. */
#include "tests/unit/support/report_fixture.h"
#include "report/wording/utf8.h"
#include "report/render/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define START_REAL UINT64_C(1700000000000000000)
#define START_MONO UINT64_C(5000000000)

static struct prof_slowest calls[2];

/* The fixture with a call of 3 and one of 2 units, which ended 4 s and 1 s after the start. */
static struct profile *with_calls(uint32_t kind, double ns_per_unit, uint64_t resolution)
{
	struct profile *p = fixture_profile();

	p->process[0].start_real_ns = START_REAL;
	p->process[0].start_mono_ns = START_MONO;
	p->process[0].count = 1;
	p->clock.kind = kind;
	p->clock.flags = 0;
	p->clock.ns_per_unit = ns_per_unit;
	p->clock.resolution_units = resolution;
	p->clock.tick_ns = ns_per_unit * (double)resolution;
	p->slow.kind = SCP_CLOCK_NONE;
	calls[0] = (struct prof_slowest){.entry = 1,
					 .pid = 7,
					 .tid = 8,
					 .name = "\033[31mred",
					 .units = 3 * resolution,
					 .ended_mono_ns = START_MONO + 4000000000u,
					 .ended_real_ns = START_REAL + 9000000000u};
	calls[1] = calls[0];
	calls[1].units = 2 * resolution;
	calls[1].ended_mono_ns = START_MONO + 1000000000u;
	p->slowest = calls;
	p->slowests = 2;
	p->slowest_asked = (struct scp_slowest_asked){.count = 5, .least_ns = 1000};
	return p;
}

static struct report *build(const struct profile *p)
{
	static const struct report_options options = REPORT_OPTIONS_DEFAULT;
	struct report *r = report_build(p, &options);

	assert_non_null(r);
	assert_int_equal(r->slowests, 2);
	return r;
}

#define NEAR(a, b) assert_true(fabs((a) - (double)(b)) < 1e-6 * fabs((double)(b)) + 1e-9)

static void test_times_are_of_the_clock_that_nobody_sets(void **state)
{
	struct report *r = build(with_calls(SCP_CLOCK_COARSE, 1, 4000000));

	(void)state;
	NEAR(r->slowest[0].ended_s, 4);
	NEAR(r->slowest[0].began_s, 4 - 0.012);
	NEAR(r->slowest[1].ended_s, 1);
	assert_int_equal(r->slowest[0].began_real_ns, START_REAL + 9000000000u - 12000000u);
	report_free(r);
}

/* 2^64 - 1 as a double is 2^64, which no instant holds. */
static void test_a_call_as_long_as_all_of_time_has_no_beginning(void **state)
{
	struct profile *p = with_calls(SCP_CLOCK_COARSE, 1, 4000000);
	struct report *r;

	(void)state;
	calls[0].units = calls[0].ended_real_ns = UINT64_MAX;
	r = build(p);
	assert_true(isnan(r->slowest[0].began_s));
	assert_int_equal(r->slowest[0].began_real_ns, 0);
	report_free(r);
}

/* Their processes had several starts: only the time of day is left. */
static void test_times_of_folded_processes_are_of_the_day(void **state)
{
	struct profile *p = with_calls(SCP_CLOCK_COARSE, 1, 4000000);
	struct report *r;

	(void)state;
	p->process[0].count = 3;
	r = build(p);
	NEAR(r->slowest[0].ended_s, 9);
	NEAR(r->slowest[1].ended_s, 9);
	report_free(r);
}

static void test_cpu_time_does_not_tell_the_beginning(void **state)
{
	struct report *r = build(with_calls(SCP_CLOCK_THREAD_CPU, 1, 1));

	(void)state;
	assert_true(isnan(r->slowest[0].began_s));
	assert_int_equal(r->slowest[0].began_real_ns, 0);
	NEAR(r->slowest[0].ended_s, 4);
	report_free(r);
}

static void test_ticks_are_right_to_one_either_way(void **state)
{
	struct report *r = build(with_calls(SCP_CLOCK_COARSE, 1, 4000000));

	(void)state;
	assert_int_equal(r->slowest[0].ticks, 3);
	NEAR(r->slowest[0].duration_ns, 12e6);
	NEAR(r->slowest[0].low_ns, 8e6);
	NEAR(r->slowest[0].high_ns, 16e6);
	NEAR(r->slowest[1].low_ns, 4e6);
	report_free(r);
}

/* A tick of 4 ms may be a nanosecond shorter where instants were cut to nanoseconds. */
static void test_ticks_are_whole_ones_to_the_nearest(void **state)
{
	struct profile *p = with_calls(SCP_CLOCK_COARSE, 1, 4000000);
	struct report *r;

	(void)state;
	p->slowest[0].units--;
	r = build(p);
	assert_int_equal(r->slowest[0].ticks, 3);
	report_free(r);
}

/* Uniform ticks of 0.5 to 1.5 ms: 2 or 4 of them, two deviations of 1 / sqrt(12) each; one
 * is never under 0.5 ms. */
static void test_ticks_that_vary_widen_the_limits(void **state)
{
	struct profile *p = with_calls(SCP_CLOCK_PAGE, 1e6, 1);
	struct report *r;

	(void)state;
	p->clock.flags = SCP_CLOCK_RANDOMIZED;
	r = build(p);
	NEAR(r->slowest[0].low_ns, 2e6 - 2e6 * sqrt(2 / 12.0));
	NEAR(r->slowest[0].high_ns, 4e6 + 2e6 * sqrt(4 / 12.0));
	NEAR(r->slowest[1].low_ns, 0.5e6);
	report_free(r);
}

static void test_text_keeps_to_the_width_and_is_clean(void **state)
{
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	struct profile *p = with_calls(SCP_CLOCK_COARSE, 1, 4000000);

	(void)state;
	for (options.width = 40; options.width <= 200; options.width += 20) {
		char *text = fixture_print(p, &options), *at = strstr(text, "slowest calls: ");

		assert_non_null(at);
		assert_non_null(strstr(at, "3.988000 s"));
		assert_non_null(strstr(at, "as #1"));
		assert_null(strchr(text, '\033'));
		for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n"))
			/* a command to be copied is not broken */
			if (utf8_width(line) > options.width &&
			    strncmp(line, "      scprof ", 13) != 0)
				fail_msg("wider than %u: %s", options.width, line);
		free(text);
	}
}

static void test_what_the_list_lacks_is_warned_of(void **state)
{
	struct profile *p = with_calls(SCP_CLOCK_COARSE, 1, 4000000);
	static const char *const codes[] = {"setting-ignored", "profiles-differ", "overflow"};
	struct report *r;
	uint32_t found = 0;

	(void)state;
	p->slowest_asked.flags = SCP_SLOWEST_UNREAD | SCP_SLOWEST_MIXED;
	p->slowest_asked.lost = 3;
	r = build(p);
	for (uint32_t i = 0; i < r->warnings; i++)
		for (unsigned k = 0; k < 3; k++)
			found += !strcmp(r->warning[i].code, codes[k]);
	assert_int_equal(found, 3);
	report_free(r);
}

/* A call may take no time, less than its cost. */
static void states_are_shares_of_some_time(void **state)
{
	struct report_slowest s = {
		.state = SCP_SLOWEST_READ, .duration_ns = 10, .runnable_ns = 1, .asleep_ns = 6};

	(void)state;
	assert_string_equal(text_notes_states_call(&s).text, "asleep 60 %");
	s.duration_ns = 0;
	assert_string_equal(text_notes_states_call(&s).text, "");
	s.duration_ns = -3;
	assert_string_equal(text_notes_states_call(&s).text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_are_of_the_clock_that_nobody_sets),
		cmocka_unit_test(test_a_call_as_long_as_all_of_time_has_no_beginning),
		cmocka_unit_test(test_times_of_folded_processes_are_of_the_day),
		cmocka_unit_test(test_cpu_time_does_not_tell_the_beginning),
		cmocka_unit_test(test_ticks_are_right_to_one_either_way),
		cmocka_unit_test(test_ticks_are_whole_ones_to_the_nearest),
		cmocka_unit_test(test_ticks_that_vary_widen_the_limits),
		cmocka_unit_test(test_text_keeps_to_the_width_and_is_clean),
		cmocka_unit_test(test_what_the_list_lacks_is_warned_of),
		cmocka_unit_test(states_are_shares_of_some_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
