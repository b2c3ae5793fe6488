// SPDX-License-Identifier: GPL-3.0-or-later
/* The sentence under the bar of time names its largest part, and an overloaded machine before all.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "report/findings/findings.h"
#include "report/model/model.h"
#include "tests/unit/support/near.h"

static void expect(const struct report *r, const char *code, const char *words)
{
	struct verdict v = verdict_of(r);

	assert_string_equal(v.code, code);
	if (!strstr(v.text, words))
		fail_msg("'%s' is not in: %s", words, v.text);
}

/* Seconds on a CPU in calls, outside, recording; asleep in calls, elsewhere; runnable. */
static struct report of(double in_calls, double outside, double recording, double asleep,
			double elsewhere, double runnable)
{
	double all = in_calls + outside + recording + asleep + elsewhere + runnable;

	return (struct report){.time_ns = all * 1e9,
			       .wall_s = 2,
			       .perturbation_ns = NAN,
			       .threads_time = {.known = true,
						.cpu_in_calls_s = in_calls,
						.cpu_outside_s = outside,
						.recording_s = recording,
						.asleep_in_calls_s = asleep,
						.not_recorded_s = elsewhere,
						.runnable_s = runnable}};
}

static void the_largest_part_is_named(void **state)
{
	const struct {
		struct report r;
		const char *code, *words;
	} cases[] = {
		{of(6, 2, 1, 1, 0, 0), "calls", "it works in calls: 60.0 %"},
		{of(2, 6, 1, 1, 0, 0), "computes", "it computes: 60.0 %"},
		{of(1, 2, 5, 2, 0, 0), "recording", "it is recorded: 50.0 %"},
		{of(1, 2, 0, 6, 1, 0), "waits", "asleep in recorded calls"},
		{of(1, 2, 0, 1, 6, 0), "waits-elsewhere", "asleep outside of recorded calls"},
		/* less asleep than on a CPU, however large one part of it */
		{of(3, 3, 0, 4, 0, 0), "calls", "it works in calls"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect(&cases[i].r, cases[i].code, cases[i].words);
}

/* What is short of 100.0 % goes to where most was cut. */
static void shares_are_those_of_the_bar(void **state)
{
	struct report r = of(394.56, 302.54, 1.445, 0, 0, 301.455);
	double all = 0;

	(void)state;
	for (enum time_part i = 0; i < TIME_PARTS; i++)
		all += threads_time_share(&r, &r.threads_time, i);
	assert_near(all, 1, 1e-9);
	expect(&r, "calls", "it works in calls: 39.5 %");
	assert_near(threads_time_share(&r, &r.threads_time, TIME_RECORDING), 0.001, 1e-9);
	r = of(636.37, 361.07, 1.445, 0, 0, 1.115);
	expect(&r, "calls", "it works in calls: 63.6 %");
	assert_near(threads_time_share(&r, &r.threads_time, TIME_RECORDING), 0.002, 1e-9);
}

/* After a thread's last call there is no time of it. */
static void a_process_that_hung_is_no_busy_one(void **state)
{
	struct prof_process killed = {.count = 1, .end = {.seen = SCP_END_SIGNAL, .value = 15}};
	struct report_program program = {
		.first = &killed, .processes = 1, .shown = true, .time_ns = 0.2e9, .wall_s = 100};
	struct profile p = {.process = &killed, .processes = 1};
	struct report r = of(0.01, 0.04, 0, 0, 0, 0.15);
	uint32_t program_of = 0;

	(void)state;
	r.overloaded = true;
	r.profile = &p;
	r.first = &killed;
	r.program_of = &program_of;
	r.program = &program;
	r.programs = 1;
	expect(&r, "killed", "it was killed after 100.0 s");
	expect(&r, "killed", "`scprof dump PID`");
	program.time_ns = 51e9; /* of all its threads */
	expect(&r, "overloaded", "");
	program.time_ns = 0.2e9;
	program.processes = 2;
	expect(&r, "overloaded", "");
	program.processes = 1;
	p.flags = SCP_FILE_WINDOWS;
	expect(&r, "overloaded", "");
	p.flags = 0;
	killed.end_state = SCP_END_EXIT;
	expect(&r, "overloaded", "");
	killed.end_state = SCP_END_RUNNING;
	killed.end.seen = SCP_END_GONE;
	expect(&r, "overloaded", "");
}

/* Its script was another program. */
static void a_program_that_hung_is_no_busy_one(void **state)
{
	struct prof_process killed = {.count = 1, .end = {.seen = SCP_END_SIGNAL, .value = 15}};
	struct report_program programs[2] = {
		{.first = &killed, .processes = 1, .shown = true, .time_ns = 0.2e9, .wall_s = 99},
		{.processes = 15, .time_ns = 9e9, .wall_s = 9}};
	struct profile p = {.process = &killed, .processes = 1};
	struct report r = of(0.01, 0.04, 0, 0, 0, 0.15);

	(void)state;
	programs[0].threads_time = r.threads_time;
	r.profile = &p;
	r.program = programs;
	r.programs = 2;
	expect(&r, "computes", "");
	r.apart = true;
	expect(&r, "killed", "it was killed after 99.00 s");
	programs[1].shown = true;
	expect(&r, "computes", "");
}

static void an_overloaded_machine_comes_first(void **state)
{
	struct prof_process two[2] = {{.count = 1}, {.count = 1}};
	struct profile p = {
		.process = two, .processes = 2, .windows = 1, .recorded_ns = 2000000000};
	struct report r = of(1, 3, 0, 0, 0, 4);

	(void)state;
	r.profile = &p;
	r.all_processes = 2;
	r.all_threads = 4;
	r.overloaded = true;
	expect(&r, "overloaded",
	       "or a CPU quota used up: 4.00 threads wanted a CPU and 2.00 had one");
	r.all_threads = 3; /* what they took ends after the process noted its end */
	expect(&r, "overloaded", "3.00 threads wanted a CPU and 1.50 had one");
	expect(&r, "overloaded", "look at CPU time (--sort cpu)");
	r.sort = REPORT_SORT_CPU;
	expect(&r, "overloaded", "rows are by CPU time");
	/* one after another, for a second each */
	r.all_threads = 8;
	expect(&r, "overloaded", "4.00 threads wanted a CPU and 2.00 had one");
	two[0].attached.known = two[1].attached.known = true;
	expect(&r, "overloaded", "8.00 threads wanted a CPU and 4.00 had one");
	r.all_processes = 3; /* one has another profile */
	expect(&r, "overloaded", "4.00 threads wanted a CPU and 2.00 had one");
}

static void without_states_the_calls_tell(void **state)
{
	struct report r = {.time_ns = 10e9, .calls_ns = 8e9, .waiting_ns = 6e9};

	(void)state;
	expect(&r, "waits", "60.0 % of the threads' time is in calls that wait");
	r.waiting_ns = 1e9;
	expect(&r, "calls", "70.0 % of the threads' time is in calls that work");
	r.calls_ns = 2e9;
	expect(&r, "elsewhere", "80.0 % of the threads' time is outside");
	r.calls = 1000000; /* of which scprof took half, and as much beside them: as in the bar */
	r.overhead.inside_ns = 500;
	r.perturbation_ns = 1e9;
	r.gaps_ns = 8e9;
	expect(&r, "elsewhere", "75.0 % of the threads' time is outside");
	r.perturbation_ns = 6e9;
	expect(&r, "recording", "it is recorded: 60.0 % of the threads' time");
	r.time_ns = 0;
	expect(&r, "unknown", "no time of a thread was recorded");
}

/* The time is of threads with recorded calls: of others the CPU time alone is known. */
static void computing_in_other_threads_is_no_waiting(void **state)
{
	struct report r = of(0.1, 0.2, 0, 0, 9, 0.7);

	(void)state;
	r.threads_time.unrecorded_s = 4;
	expect(&r, "computes",
	       "it computes: 4.000 s of its 4.300 s of CPU time are in threads and children "
	       "without a recorded call, or in starts, which this time omits");
	r.overloaded = true;
	r.threads_time.runnable_s = 20;
	expect(&r, "computes", "without a recorded call");
	r = of(0, 0, 0, 0, 0, 0);
	r.threads_time.known = false;
	r.threads_time.unrecorded_s = 0.11;
	expect(&r, "computes", "it computes: 110.0 ms of its 110.0 ms");
	assert_string_equal(threads_time_mostly(&r.threads_time),
			    "computes"); /* the page's title */
	r.threads_time.unrecorded_s = 0;
	expect(&r, "unknown", "no time");
	r = of(1, 2, 0, 0, 7, 0);
	r.threads_time.unrecorded_s = 2.9; /* the smaller part */
	expect(&r, "waits-elsewhere", "70.0 %");
}

/* Two threads that are idle, and one that computes for nine tenths of its time. */
static void idle_threads_hide_no_busy_one(void **state)
{
	struct prof_process one = {.count = 1,
				   .start_mono_ns = 1,
				   .end_mono_ns = 10000000001,
				   .end_state = SCP_END_EXIT};
	struct prof_table tables[3] = {{.threads = 1, .time_units = 10000000000},
				       {.threads = 1, .time_units = 10000000000},
				       {.threads = 1, .time_units = 9000000000}};
	struct profile p = {.process = &one,
			    .processes = 1,
			    .table = tables,
			    .tables = 3,
			    .clock.ns_per_unit = 1};
	struct report r = of(0, 9, 0, 20, 0, 0);

	(void)state;
	tables[0].gap_units = 10000000000;
	tables[0].states = (struct prof_table_states){
		.covered_ns = 10000000000,
		.cpu_ns = 9000000000,
		.gap_off_cpu = {.known = 10, .weighted = 10, .asleep_ns = 1000000000}};
	tables[1].call_units = tables[1].states.covered_ns = 10000000000;
	tables[2].call_units = tables[2].states.covered_ns = 9000000000;
	r.profile = &p;
	r.all_threads = 3;
	expect(&r, "computes",
	       "its busiest thread computes: 90.0 % of that thread's time is on a CPU "
	       "outside of calls; all together mostly wait");
	tables[0].states.cpu_ns = 4000000000; /* it sleeps for longer */
	expect(&r, "waits", "it waits: 69.0 %");
	tables[0].states.cpu_ns = 9000000000;
	tables[0].threads = 2; /* one after the other */
	expect(&r, "waits", "it waits: 69.0 %");
	tables[0].threads = 1;
	one.end_mono_ns *= 3; /* it lived for a third of the time */
	expect(&r, "waits", "it waits: 69.0 %");
}

/* A moment of work is all that has an end, and the rest is one wait. */
static void what_waits_in_one_call_is_no_busy_program(void **state)
{
	struct prof_process two[2] = {{.count = 1,
				       .end_state = SCP_END_DETACHED,
				       .attached = {.known = true, .threads = 1}},
				      {.count = 1,
				       .end_state = SCP_END_DETACHED,
				       .attached = {.known = true, .threads = 1}}};
	struct prof_table tables[2] = {{.threads = 1}, {.threads = 1}};
	struct report_program program = {.first = two, .processes = 2, .shown = true, .wall_s = 3};
	struct profile p = {.process = two,
			    .processes = 2,
			    .table = tables,
			    .tables = 2,
			    .windows = 1,
			    .recorded_ns = 6000000000};
	struct report r = of(0.01, 0.02, 0, 0, 0, 0.07);
	uint32_t program_of[2] = {0};

	(void)state;
	r.overloaded = true;
	r.profile = &p;
	r.first = two;
	r.program_of = program_of;
	r.program = &program;
	r.programs = r.runs = 1;
	r.all_threads = 2;
	r.ledger.cpu_s = 0.04;
	r.threads_time.charged_s = 0.03;
	expect(&r, "waits-elsewhere",
	       "5.900 s of the 6.000 s that its threads lived are before the first recorded call");
	r.ledger.cpu_s = 3.1; /* which may be what a thread does between */
	expect(&r, "overloaded", "");
	r.ledger.cpu_s = NAN;
	expect(&r, "overloaded", "");
	r.ledger.cpu_s = 0.04;
	p.usage =
		(struct scp_usage){.known = SCP_USAGE_CPU, .cpu_ns = 3100000000}; /* as in starts */
	expect(&r, "overloaded", "");
	p.usage = (struct scp_usage){0};
	tables[1].threads = 2; /* one came later */
	expect(&r, "overloaded", "");
	/* a handler ended it in the midst of a call */
	two[0].attached.known = two[1].attached.known = false;
	two[0].end_state = SCP_END_QUICK;
	program.processes = p.tables = 1;
	expect(&r, "waits-elsewhere", "2.900 s of the 3.000 s");
	tables[0].tid = 7; /* which may have lived for a moment */
	expect(&r, "overloaded", "");
	tables[0].tid = 0;
	two[0].end_state = SCP_END_RUNNING;
	expect(&r, "overloaded", "");
	two[0].end_state = SCP_END_QUICK;
	program.wall_s = 0.15;
	expect(&r, "overloaded", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_part_is_named),
		cmocka_unit_test(shares_are_those_of_the_bar),
		cmocka_unit_test(a_process_that_hung_is_no_busy_one),
		cmocka_unit_test(a_program_that_hung_is_no_busy_one),
		cmocka_unit_test(what_waits_in_one_call_is_no_busy_program),
		cmocka_unit_test(an_overloaded_machine_comes_first),
		cmocka_unit_test(without_states_the_calls_tell),
		cmocka_unit_test(computing_in_other_threads_is_no_waiting),
		cmocka_unit_test(idle_threads_hide_no_busy_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
