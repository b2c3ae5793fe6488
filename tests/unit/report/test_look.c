// SPDX-License-Identifier: GPL-3.0-or-later
/* What a report says of calls that passed through, of libraries, and of a profile without calls:
 * numbers that can be checked on paper. */
#include <math.h>
#include <stdlib.h>

#include "report/findings/findings.h"
#include "tests/unit/support/report_fixture.h"

static struct prof_look look[4];
static struct prof_function function[5];
static struct prof_module module[2];
static struct prof_table table;
static struct prof_process process;
static struct profile profile;
static char texts[8][32];

static char *text(uint32_t i, const char *is)
{
	snprintf(texts[i], sizeof(texts[i]), "%s", is);
	return texts[i];
}

/* One thread of 1 ms; read passed through 1,000 times, ten of them timed with 40 us in all (4 us
 * for each, and 100 times that together), epoll_wait twice with 300 us. */
static struct profile *set_up(void)
{
	static const uint32_t of[] = {SCP_GROUP_SOCKET | SCP_GROUP_IO,
				      SCP_GROUP_SOCKET | SCP_GROUP_IO, SCP_GROUP_WAIT,
				      SCP_GROUP_SELECTED};
	static const char *const name[] = {"read", "recvmsg", "epoll_wait", "SSL_read"};
	static char *none[] = {NULL};

	for (uint32_t i = 0; i < 4; i++)
		function[i] = (struct prof_function){
			.name = text(i, name[i]), .library = text(4, "libc.so.6"), .group = of[i]};
	function[3].library = text(5, "libssl.so.3");
	module[0] = (struct prof_module){.path = text(6, "/usr/lib/libz.so.1.3")};
	module[1] = (struct prof_module){.path = text(7, "/usr/lib/libzstd.so.1")};
	table = (struct prof_table){.threads = 1, .time_units = 1000000, .gap_units = 1000000};
	look[0] = (struct prof_look){0, 0, 1000, 10, 1000, 400000, 0};
	look[1] = (struct prof_look){0, 2, 2, 2, 2, 300000, 0};
	process = (struct prof_process){.pid = 7, .count = 1, .argv = none};
	process.exe = process.program = process.file = text(4, "libc.so.6");
	profile = (struct profile){.clock = {.kind = SCP_CLOCK_TSC, .ns_per_unit = 1, .tick_ns = 1},
				   .function = function,
				   .functions = 3,
				   .module = module,
				   .modules = 2,
				   .table = &table,
				   .tables = 1,
				   .process = &process,
				   .processes = 1,
				   .look = look,
				   .looks = 2};
	return &profile;
}

static struct report *build(void)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r = report_build(&profile, &o);

	assert_non_null(r);
	next_steps_fill(r, false);
	return r;
}

static void expect_said(char *said, const char *expected)
{
	if (expected)
		assert_string_equal(said, expected);
	else
		assert_null(said);
	free(said);
}

static void test_each_group_has_its_calls_time_and_share(void **state)
{
	struct report *r;

	(void)state;
	set_up();
	r = build();
	assert_int_equal(r->elsewheres, 2);
	assert_string_equal(r->elsewhere[0].group, "io");
	assert_int_equal(r->elsewhere[0].calls, 1000);
	assert_float_equal(r->elsewhere[0].time_s, 400e-6, 1e-12);
	assert_float_equal(r->elsewhere[0].share, 0.4, 1e-9);
	assert_float_equal(r->elsewhere[0].waiting_s, 0, 0);
	assert_string_equal(r->elsewhere[1].group, "wait");
	assert_float_equal(r->elsewhere[1].waiting_s, 300e-6, 1e-12);
	expect_said(elsewhere_describe(r),
		    "`-g io` would record 40 % of the time, 1,000 calls (read); `-g wait` would "
		    "record 30 % of the time, 2 calls (epoll_wait), mostly waiting");
	report_free(r);
}

/* 990 of 1,000 calls are known by the sample: the ratio estimate is for all. */
static void test_an_estimate_is_about_and_what_recording_adds_is_taken_off(void **state)
{
	struct report *r;

	(void)state;
	set_up();
	look[0].weight = 800;
	look[0].units_sq = (prof_u128)80000 * 80000;
	profile.clock.overhead.way[SCP_WAY_SYSTEM].inside_ns = 50;
	r = build();
	assert_float_equal(r->elsewhere[0].time_s, 450e-6, 1e-12);
	assert_float_equal(r->elsewhere[0].error_s, 100e-6, 1e-12);
	report_free(r);
	profile.looks = 1;
	r = build();
	expect_said(elsewhere_describe(r),
		    "`-g io` would record about 45 % of the time, 1,000 calls (read)");
	report_free(r);
}

static void test_what_is_of_sockets_alone_is_of_that_group(void **state)
{
	struct report *r;

	(void)state;
	set_up();
	look[1].function = 1;
	r = build();
	assert_int_equal(r->elsewheres, 2);
	assert_string_equal(r->elsewhere[1].group, "socket");
	assert_int_equal(r->elsewhere[1].calls, 2);
	report_free(r);
}

static void test_selected_functions_that_were_never_called_are_named(void **state)
{
	struct report *r;

	(void)state;
	set_up();
	profile.functions = 4;
	r = build();
	expect_said(elsewhere_not_called(r), "SSL_read");
	report_free(r);
	function[4] = function[3]; /* another library has one, too */
	profile.functions = 5;
	r = build();
	expect_said(elsewhere_not_called(r), "SSL_read");
	report_free(r);
	function[3].overflow_calls = 1;
	r = build();
	expect_said(elsewhere_not_called(r), NULL);
	report_free(r);
}

static const char *no_calls(const struct report *r)
{
	for (uint32_t i = 0; i < r->warnings; i++)
		if (!strcmp(r->warning[i].code, "no-calls"))
			return r->warning[i].text;
	return NULL;
}

static void test_without_calls_a_report_says_what_would_show_some(void **state)
{
	struct report *r;

	(void)state;
	set_up();
	profile.functions = 4;
	profile.looks = 1;
	r = build();
	assert_string_equal(
		no_calls(r),
		"No call was recorded. The selected functions were never called: SSL_read. "
		"`-g io` would record 40 % of the time, 1,000 calls (read).");
	report_free(r);
	profile.functions = 3;
	profile.looks = profile.modules = 0;
	r = build();
	assert_non_null(strstr(no_calls(r), "made none of the functions"));
	assert_non_null(strstr(no_calls(r), "what it starts with a cleared environment"));
	report_free(r);
	process.attached.known = true; /* one that hangs in a call */
	process.attached.in_calls = 2;
	r = build();
	assert_string_equal(no_calls(r), "No call was recorded. Calls were in progress in 2 "
					 "threads: see `scprof dump`.");
	report_free(r);
	process.attached.known = false;
}

static void test_computing_is_cpu_time_outside_of_what_was_looked_at(void **state)
{
	struct report *r;

	(void)state;
	set_up();
	profile.usage = (struct scp_usage){.known = SCP_USAGE_CPU, .cpu_ns = 1000000};
	profile.usage_cpu_of = 1;
	r = build();
	assert_float_equal(elsewhere_computing(r), 0.6, 1e-9);
	assert_non_null(strstr(no_calls(r), "60 % of the time is computing"));
	report_free(r);
}

/* A program that another began with, and a group beside those that were on. */
static void test_the_next_step_records_the_group_too(void **state)
{
	static char server[] = "/usr/bin/server", quiet[] = "a b", line[] = "a\nb";
	static char *argv[] = {server, quiet, NULL}, longer[2000];
	struct report *r;

	(void)state;
	set_up();
	profile.groups = SCP_GROUP_SOCKET | SCP_GROUP_WAIT | SCP_GROUP_REGION;
	process.argv = argv;
	process.argc = 2;
	r = build();
	assert_string_equal(r->next_step[0],
			    "`-g io` would record 40 % of the time: scprof run -g socket,wait,io "
			    "-- /usr/bin/server 'a b'");
	assert_memory_equal(r->next_step[0] + r->next_command[0], "scprof run", 10);
	report_free(r);
	argv[1] = line; /* cannot be copied from a terminal */
	profile.groups = SCP_GROUP_WAIT | SCP_GROUP_RESOLVE | SCP_GROUP_SELECTED;
	profile.functions = 4;
	look[0].units = 50000;
	look[1].function = 1;
	r = build();
	assert_string_equal(r->next_step[0],
			    "`-g socket` would record 30 % of the time: scprof run -g "
			    "socket,wait,resolve -s SSL_read -- COMMAND");
	report_free(r);
	memset(longer, 'x', sizeof(longer) - 1);
	argv[1] = longer; /* than what a profile has of a command line */
	r = build();
	assert_non_null(strstr(r->next_step[0], "-- COMMAND"));
	report_free(r);
	longer[900] = '\0';
	r = build();
	assert_string_equal(strstr(r->next_step[0], "server xx") + strlen("server "), longer);
	report_free(r);
	argv[1] = quiet;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_group_has_its_calls_time_and_share),
		cmocka_unit_test(test_an_estimate_is_about_and_what_recording_adds_is_taken_off),
		cmocka_unit_test(test_what_is_of_sockets_alone_is_of_that_group),
		cmocka_unit_test(test_selected_functions_that_were_never_called_are_named),
		cmocka_unit_test(test_without_calls_a_report_says_what_would_show_some),
		cmocka_unit_test(test_computing_is_cpu_time_outside_of_what_was_looked_at),
		cmocka_unit_test(test_the_next_step_records_the_group_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
