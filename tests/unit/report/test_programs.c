// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows are of one program each; which program comes first; and how long unrelated runs took. */
#include "tests/unit/support/report_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/findings/findings.h"

#define MANY 100000

static struct prof_process process[4];
static struct prof_table table[4];
static char *no_argv[] = {NULL};

/* Began at `start_s`, and ended `length_s` later. */
static struct prof_process started(char *name, uint32_t pid, uint32_t ppid, uint64_t start_s,
				   uint64_t length_s)
{
	return (struct prof_process){.pid = pid,
				     .ppid = ppid,
				     .count = 1,
				     .exe = name,
				     .program = name,
				     .argv = no_argv,
				     .end_state = SCP_END_EXIT,
				     .start_real_ns = start_s * 1000000000,
				     .start_mono_ns = start_s * 1000000000,
				     .end_mono_ns = (start_s + length_s) * 1000000000,
				     .file = name};
}

/* The threads of the fixture are of two processes: app's makes 1000 and other's 3000 of the
 * calls of recv on one path. */
static struct profile *two_programs(void)
{
	struct profile *p = fixture_profile();

	process[0] = started("app", 100, 50, 10, 4);
	process[1] = started("other", 200, 50, 100, 6);
	memcpy(table, p->table, 2 * sizeof(*table));
	table[1].process = 1;
	p->process = process, p->processes = 2;
	p->table = table;
	return p;
}

static struct report *build(const struct profile *p, enum report_by by, bool together,
			    uint32_t keep)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	o.by = by;
	o.together = together;
	r = report_build_some(p, &o, keep);
	assert_non_null(r);
	return r;
}

/* How many rows of completed recv have so many calls. */
static uint32_t rows_with(const struct report *r, uint64_t calls)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->kept; i++)
		n += r->site[i].function == 0 && r->site[i].calls == calls;
	return n;
}

static void no_row_is_of_two_programs(void **state)
{
	static const enum report_by all[] = {REPORT_BY_PATH, REPORT_BY_SITE, REPORT_BY_FUNCTION,
					     REPORT_BY_GAP};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct report *r = build(two_programs(), all[i], false, UINT32_MAX);

		assert_true(r->apart);
		assert_int_equal(rows_with(r, 1000), 1);
		assert_int_equal(rows_with(r, 3000), 1);
		assert_int_equal(rows_with(r, 4000), 0);
		report_free(r);
		r = build(two_programs(), all[i], true, UINT32_MAX);
		assert_false(r->apart);
		assert_int_equal(rows_with(r, 4000), 1);
		report_free(r);
	}
}

static void one_program_is_not_apart(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	process[1].program = process[1].exe = process[0].exe;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->programs, 1);
	assert_false(r->apart);
	assert_int_equal(r->program[0].processes, 2);
	assert_int_equal(rows_with(r, 4000), 1);
	assert_int_equal(r->site[0].program, REPORT_NO_PROGRAM);
	report_free(r);
}

static void the_executable_tells_programs_of_one_name_apart(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	process[1].program = process[0].program;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->programs, 2);
	report_free(r);
	process[1].exe = "app (deleted)";
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->programs, 1);
	report_free(r);
}

static void shares_of_a_program_are_of_its_own_calls(void **state)
{
	struct report *r = build(two_programs(), REPORT_BY_PATH, false, UINT32_MAX);
	double sum[2] = {0}, all = 0;

	(void)state;
	for (uint32_t i = 0; i < r->sites; i++) {
		assert_in_range(r->site[i].program, 0, 1);
		sum[r->site[i].program] += r->site[i].program_share;
		all += r->site[i].share;
	}
	assert_float_equal(sum[0], 1, 1e-9);
	assert_float_equal(sum[1], 1, 1e-9);
	assert_float_equal(all, 1, 1e-9);
	assert_int_equal(r->program[0].sites + r->program[1].sites, r->sites);
	report_free(r);
}

/* A wrapper's threads are in no share of another program, and each has a bar and a verdict. */
static void shares_of_time_are_of_a_programs_own_threads(void **state)
{
	struct report *r = build(two_programs(), REPORT_BY_PATH, false, UINT32_MAX);
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text = fixture_print(two_programs(), &o);
	unsigned bars = 0, verdicts = 0;

	(void)state;
	for (uint32_t i = 0; i < r->sites; i++) {
		const struct report_site *s = &r->site[i];

		assert_true(r->program[s->program].time_ns < r->time_ns);
		assert_float_equal(s->time_share, s->total_ns / r->program[s->program].time_ns,
				   1e-12);
	}
	report_free(r);
	for (const char *at = text; (at = strstr(at, "\n  time  ")); at++)
		bars++;
	for (const char *at = text; (at = strstr(at, "of the threads' time is")); at++)
		verdicts++;
	assert_int_equal(bars, 2);
	assert_int_equal(verdicts, 2);
	free(text);
}

/* A view has those of its program's rows that are filled, and counts the others. */
static void a_view_counts_the_rows_that_are_not_filled(void **state)
{
	struct report *r = build(two_programs(), REPORT_BY_PATH, false, 1);
	struct report view;
	uint32_t filled = 0, beyond = 0;

	(void)state;
	assert_int_equal(r->kept, 1);
	assert_int_equal(r->site[0].calls, 3000);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(programs_view(&view, r, i), 0);
		assert_int_equal(view.sites + view.beyond, r->program[i].sites);
		assert_int_equal(view.kept, view.sites);
		for (uint32_t k = 0; k < view.sites; k++)
			assert_int_equal(view.site[k].program, i);
		filled += view.sites;
		beyond += view.beyond;
		programs_view_end(r, &view);
	}
	assert_true(filled >= 1 && beyond >= 1);
	assert_int_equal(filled + beyond, r->sites);
	report_free(r);
}

static void time_between_unrelated_runs_is_nobodys(void **state)
{
	struct report *r = build(two_programs(), REPORT_BY_PATH, false, UINT32_MAX);

	(void)state;
	assert_int_equal(r->runs, 2);
	assert_int_equal(r->profiles, 2);
	assert_float_equal(r->wall_s, 10, 1e-9);
	assert_float_equal(r->program[0].wall_s + r->program[1].wall_s, 10, 1e-9);
	report_free(r);
}

static void a_child_is_of_its_parents_run(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	process[1] = started("other", 200, 100, 12, 6);
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 1);
	assert_float_equal(r->wall_s, 8, 1e-9);
	report_free(r);
	/* the number was another's by then */
	process[1] = started("other", 200, 100, 90, 6);
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 2);
	report_free(r);
}

static void siblings_of_one_file_are_one_run(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	process[1].file = process[0].file;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 1);
	assert_float_equal(r->wall_s, 96, 1e-9);
	report_free(r);
	process[1].ppid = 51;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 2);
	report_free(r);
}

/* Where nothing is known of the processes that started them. */
static void what_was_recorded_together_is_one_run(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	process[1].ppid = 51;
	process[0].run = process[1].run = 4;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 1);
	assert_float_equal(r->wall_s, 96, 1e-9);
	report_free(r);
	/* a child, by its parent's number; but of another recording */
	process[1] = started("other", 200, 100, 12, 6);
	process[1].run = 5;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 2);
	report_free(r);
}

/* A shell (pid 100) that runs a helper (101), and becomes the program. */
static void what_replaced_a_script_was_asked_for(void **state)
{
	struct profile *p = two_programs();
	struct report *r;
	char *command;

	(void)state;
	process[0] = started("shell", 100, 50, 10, 2);
	process[0].end_state = SCP_END_EXEC;
	process[1] = started("helper", 101, 100, 11, 1);
	process[2] = started("asked", 100, 50, 12, 4);
	table[2] = (struct prof_table){.process = 2, .threads = 1, .time_units = 10};
	p->processes = p->tables = 3;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 1);
	assert_ptr_equal(r->first, &process[0]);
	assert_ptr_equal(r->asked, &process[2]);
	assert_string_equal(r->program[0].name, "asked");
	assert_int_equal(programs_shown(r), 1);
	command = report_head_command(r);
	assert_string_equal(command, "asked");
	free(command);
	report_free(r);
}

/* A server (pid 100) that its interpreter's own name replaced, as puma's is by USR2. */
static void what_restarted_itself_was_asked_for_before_too(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	process[0] = started("ruby", 100, 50, 10, 2);
	process[0].program = "server";
	process[0].end_state = SCP_END_EXEC;
	process[1] = started("ruby", 100, 50, 12, 4);
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_string_equal(r->program[0].name, "ruby");
	assert_int_equal(programs_shown(r), 2);
	process[0].exe = "shell";
	report_free(r);
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(programs_shown(r), 1);
	report_free(r);
}

/* The same where nothing was kept of the shell. */
static void what_a_parent_became_was_asked_for(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	process[0] = started("helper", 101, 100, 10, 1);
	process[1] = started("asked", 100, 50, 12, 4);
	process[0].file = process[1].file = "one.scp";
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_int_equal(r->runs, 1);
	assert_string_equal(r->program[0].name, "asked");
	assert_int_equal(programs_shown(r), 1);
	report_free(r);
	/* each the other's parent: it ends */
	process[1].ppid = 101;
	report_free(build(p, REPORT_BY_PATH, false, UINT32_MAX));
}

static void the_order_is_that_of_cpu_time(void **state)
{
	struct profile *p = two_programs();
	struct report *r;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		table[0].states.covered_ns = table[1].states.covered_ns = 1000000;
		table[i].states.cpu_ns = 900000;
		table[!i].states.cpu_ns = 10000;
		process[1] = started("other", 200, 100, 11, 6);
		r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
		assert_ptr_equal(r->program[0].first, &process[i]);
		assert_true(r->program[0].shown);
		assert_false(r->program[1].shown);
		report_free(r);
	}
}

/* Two programs that were sampled, 10 and 90 times; of the second one's CPU time its recorded thread
 * has a little. */
static struct profile *two_sampled_programs(void)
{
	static struct prof_sample samples[] = {{.process = 0, .path = PROF_NONE, .count = {10}},
					       {.process = 1, .path = PROF_NONE, .count = {0, 90}}};
	struct profile *p = two_programs();

	process[1] = started("other", 200, 100, 11, 6);
	table[0].states.covered_ns = table[1].states.covered_ns = 1000000;
	table[0].states.cpu_ns = 200000000;
	table[1].states.cpu_ns = 10000000;
	p->sample = samples;
	p->samples = 2;
	return p;
}

/* Threads without a recorded call are of the program whose samples are more than its recorded
 * threads' CPU time. */
static void cpu_time_of_threads_without_calls_is_of_their_program(void **state)
{
	struct profile *p = two_sampled_programs();
	struct report *r;

	(void)state;
	p->usage = (struct scp_usage){.known = SCP_USAGE_CPU, .cpu_ns = 2000000000};
	p->usage_cpu_of = 2;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_ptr_equal(r->program[0].first, &process[1]); /* it computed more */
	assert_float_equal(r->program[0].cpu_s, 1.8, 1e-9);
	assert_float_equal(r->program[0].threads_time.unrecorded_s, 1.79, 1e-9);
	assert_float_equal(r->program[1].cpu_s, 0.2, 1e-9);
	assert_float_equal(r->threads_time.unrecorded_s, 1.79, 1e-9);
	report_free(r);
	p->usage.cpu_ns = 1200000000; /* of wall times of 6 and 7 s: it waits for most */
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_float_equal(r->program[0].unrecorded_s + r->program[1].unrecorded_s, 0.99, 1e-9);
	assert_float_equal(r->program[0].threads_time.unrecorded_s, 0, 1e-9);
	assert_float_equal(r->threads_time.unrecorded_s, 0, 1e-9);
	report_free(r);
	p->usage.cpu_ns = 2000000000; /* a few ms of each of many short ones */
	process[0].count = process[1].count = 200;
	p->usage_cpu_of = 400;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_float_equal(r->program[0].cpu_s, 1.8, 1e-9);
	assert_float_equal(r->program[0].threads_time.unrecorded_s, 0, 1e-9);
	assert_float_equal(r->threads_time.unrecorded_s, 0, 1e-9);
	report_free(r);
	process[0].count = process[1].count = 1;
	p->usage_cpu_of = 1; /* not of all of them */
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_float_equal(r->program[0].cpu_s + r->program[1].cpu_s, 0.21, 1e-9);
	report_free(r);
	p->sampling.cpu_ns = 3000000000; /* of children, which have no profile */
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_float_equal(r->threads_time.unrecorded_s, 2.79, 1e-9);
	assert_float_equal(r->program[0].threads_time.unrecorded_s, 0, 1e-9); /* whose? */
	report_free(r);
	p->flags |= SCP_FILE_WINDOWS; /* computed meanwhile, or between them */
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_float_equal(r->threads_time.unrecorded_s, 0, 1e-9);
	report_free(r);
	p->flags &= ~SCP_FILE_WINDOWS;
	p->sampling.cpu_ns = 0;
	p->samples = 0;
	p->sample = NULL;
	p->usage = (struct scp_usage){0};
}

/* Its last account of itself is from long before; samples tell what it used. */
static void a_killed_program_has_what_was_sampled_of_it(void **state)
{
	struct profile *p = two_sampled_programs();
	struct report *r;

	(void)state;
	process[1].end_state = SCP_END_RUNNING;
	p->sampling.period_ns = 5000000;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_ptr_equal(r->program[0].first, &process[1]);
	assert_float_equal(r->program[0].cpu_s, 0.01 + 0.5 - 0.21, 1e-9);
	assert_float_equal(r->program[0].wall_s, 6, 1e-9);
	report_free(r);
	table[1].states.cpu_ns = 210000000; /* 0.5 s, and 0.1 s that it may be off, of 0.41 s */
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_float_equal(r->program[0].cpu_s + r->program[1].cpu_s, 0.41, 1e-9);
	report_free(r);
	table[1].states.cpu_ns = 10000000;
	process[1].end_mono_ns = process[1].start_mono_ns + 1000000;
	r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
	assert_true(isnan(r->program[0].wall_s));
	report_free(r);
	p->sampling.period_ns = 0;
	p->samples = 0;
	p->sample = NULL;
}

/* What a wrapper would have of a group is no reason to record the group. */
static void a_wrappers_calls_are_not_recommended(void **state)
{
	static struct prof_look look[] = {{0, 0, 1000, 1000, 1000, 0, 0}};
	struct profile *p = two_programs();
	uint32_t group = p->function[0].group;
	struct report *r;

	(void)state;
	look->units = p->table[0].time_units;
	process[1] = started("other", 200, 100, 11, 6);
	table[0].states.covered_ns = table[1].states.covered_ns = 1000000;
	table[0].states.cpu_ns = 10000;
	table[1].states.cpu_ns = 900000;
	p->function[0].group = SCP_GROUP_IO;
	p->look = look, p->looks = 1;
	for (uint32_t i = 0; i < 2; i++) {
		look->table = i ^ 1;
		r = build(p, REPORT_BY_PATH, false, UINT32_MAX);
		assert_int_equal(r->elsewheres, 1);
		assert_int_equal(r->elsewhere[0].calls, 1000);
		assert_float_equal(r->elsewhere[0].own_calls, i ? 0 : 1000, 0);
		next_steps_fill(r, false);
		assert_int_equal(!!strstr(r->next_step[0], "`-g io` would record"), !i);
		report_free(r);
	}
	p->function[0].group = group;
	p->look = NULL, p->looks = 0;
}

/* A row is of one program; samples, and what recording cost, are of all, and say so. */
static void what_is_of_all_programs_says_so(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = two_sampled_programs();
	char *text;

	(void)state;
	p->sampling = (struct prof_sampling){.period_ns = 5000000, .cpu_ns = 500000000};
	p->sample[0].kind = p->sample[1].kind = SCP_SAMPLE_RECORDING;
	p->clock.overhead = (struct prof_overhead){.measurements = 2, .inside_ns = 100};
	o.width = 200;
	text = fixture_print(p, &o);
	assert_non_null(strstr(text, "of all programs' time, with"));
	assert_non_null(strstr(text, "computing outside of calls, of all programs: "));
	free(text);
	o.together = true;
	text = fixture_print(p, &o);
	assert_null(strstr(text, "of all programs"));
	free(text);
	p->sampling = (struct prof_sampling){0};
	p->samples = 0;
	p->sample = NULL;
}

/* A hundred thousand programs: some are shown, six are named. */
static void many_programs_fit_into_a_few_lines(void **state)
{
	struct prof_process *many = calloc(MANY, sizeof(*many));
	char(*name)[16] = calloc(MANY, sizeof(*name));
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = two_programs();
	char *text;

	(void)state;
	assert_true(many && name);
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof(name[i]), "p%" PRIu32, i);
		many[i] = started(name[i], 10 + i, 1, i, 1);
	}
	p->process = many;
	p->processes = MANY;
	text = fixture_print(p, &o);
	assert_non_null(strstr(text, "99994 processes of 99994 other programs (p"));
	assert_in_range(strlen(text), 1000, 10000);
	free(text);
	free(many);
	free(name);
}

static void other_formats_say_which_program(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;

	(void)state;
	o.format = REPORT_FOLDED;
	text = fixture_print(two_programs(), &o);
	assert_non_null(strstr(text, "other;"));
	assert_non_null(strstr(text, "\napp;"));
	free(text);
	o.together = true;
	text = fixture_print(two_programs(), &o);
	assert_null(strstr(text, "other;"));
	free(text);
	o.together = false;
	o.format = REPORT_CSV;
	text = fixture_print(two_programs(), &o);
	assert_non_null(
		strstr(text, ",program,program_share,share_of_time,mean_code,mean_below_ns\r\n"));
	assert_non_null(strstr(text, ",other,"));
	free(text);
	o.format = REPORT_CALLGRIND;
	text = fixture_print(two_programs(), &o);
	assert_non_null(strstr(text, " other\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_row_is_of_two_programs),
		cmocka_unit_test(one_program_is_not_apart),
		cmocka_unit_test(the_executable_tells_programs_of_one_name_apart),
		cmocka_unit_test(shares_of_a_program_are_of_its_own_calls),
		cmocka_unit_test(shares_of_time_are_of_a_programs_own_threads),
		cmocka_unit_test(a_view_counts_the_rows_that_are_not_filled),
		cmocka_unit_test(time_between_unrelated_runs_is_nobodys),
		cmocka_unit_test(a_child_is_of_its_parents_run),
		cmocka_unit_test(siblings_of_one_file_are_one_run),
		cmocka_unit_test(what_was_recorded_together_is_one_run),
		cmocka_unit_test(what_replaced_a_script_was_asked_for),
		cmocka_unit_test(what_restarted_itself_was_asked_for_before_too),
		cmocka_unit_test(what_a_parent_became_was_asked_for),
		cmocka_unit_test(the_order_is_that_of_cpu_time),
		cmocka_unit_test(cpu_time_of_threads_without_calls_is_of_their_program),
		cmocka_unit_test(a_killed_program_has_what_was_sampled_of_it),
		cmocka_unit_test(a_wrappers_calls_are_not_recommended),
		cmocka_unit_test(what_is_of_all_programs_says_so),
		cmocka_unit_test(many_programs_fit_into_a_few_lines),
		cmocka_unit_test(other_formats_say_which_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
