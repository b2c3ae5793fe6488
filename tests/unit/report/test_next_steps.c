// SPDX-License-Identifier: GPL-3.0-or-later
/* What to do next, in one situation after the other: nothing is recommended that cannot help. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "report/findings/findings.h"

/* Seconds of one thread's time (of two where one waits), and what is known of it. */
struct situation {
	const char *what;
	double in_calls, outside, asleep, not_recorded, runnable;
	uint64_t calls; /* of the one row, which has all of in_calls; 0: no call was recorded */
	double looked;	/* in io, off: a hundred calls or as many as... */
	uint64_t looks; /* ...this */
	uint64_t samples;
	const char *first, *second; /* of what is said; NULL: that is all */
	double half;		    /* of the row's interval, over its mean */
	double error;		    /* of `looked` */
	bool killed;		    /* after ten times as long */
	bool no_row, unnamed, forbidden, overloaded, attached, two_threads, two_processes, selected,
		until, by_calls;
	double unrecorded; /* CPU time of threads without a recorded call */
	double cost;	   /* of recording, of the time outside */
};

static const struct situation situations[] = {
	{"a few calls of a program that computes", 0, 9.99, 0, 0, 0, 0, 0.01, 84, 2000,
	 .first = "99.9 % of the time is computing, 60.0 % of that in f; as a flame graph: scprof "
		  "report "
		  "-o report.html app.scp"},
	{"a library without symbols has most", 0, 10, 0, 0, 0, 0, 0, 0, 2000,
	 .first =
		 "100.0 % of the time is computing, 60.0 % of that in libx.so (no symbols: a debug "
		 "file or DEBUGINFOD_URLS would name them); as a flame graph: scprof report "
		 "-o report.html app.scp",
	 .unnamed = true},
	{"few samples of it", 0, 0.2, 0, 0, 0, 0, 0, 0, 40,
	 .first = "100.0 % of the time is computing, of which little is told by 40 samples: scprof "
		  "run "
		  "--sample 500us -- ./app"},
	{"two samples", 0, 0.0002, 0, 0, 0, 0, 0, 0, 2,
	 .first = "100.0 % of the time is computing, of which little is told by 2 samples: scprof "
		  "run "
		  "--sample 500us -- ./app"},
	{"one sample", 0, 0.0002, 0, 0, 0, 0, 0, 0, 1,
	 .first = "100.0 % of the time is computing, of which little is told by 1 sample: scprof "
		  "run "
		  "--sample 500us -- ./app"},
	{"one sample, in scprof", 0, 0.0002, 0, 0, 0, 0, 0, 0, 1,
	 .first = "100.0 % of the time is computing, of which nothing is told by 1 sample: scprof "
		  "run --sample 500us -- ./app",
	 .no_row = true},
	{"samples were not asked for", 0, 10, 0, 0, 0, 0, 0, 0, 0,
	 .first = "100.0 % of the time is computing, with 0 samples: scprof run --sample 5ms -- "
		  "./app"},
	{"samples are forbidden, and calls are few", 0, 10, 0, 0, 0, 0, 0.01, 84, 0,
	 .forbidden = true},
	{"a wide row of 2 % beside computing", 0.2, 9.8, 0, 0, 0, 100, 0, 0, 2000,
	 .first = "98.0 % of the time is computing", .half = 0.15},
	{"a wide row of 6 % beside computing", 0.6, 9.4, 0, 0, 0, 100, 0, 0, 2000,
	 .first = "94.0 % of the time is computing",
	 .second = "The interval of recv is wide, 9 times as many calls would do: scprof run "
		   "--runs 9 -- "
		   "./app",
	 .half = 0.15},
	{"a wide row of 2 % of a server that waits", 0.2, 0, 9.8, 0, 0, 100, 0, 0, 0,
	 .first = "The interval of recv is wide, 9 times as many calls would do: scprof run "
		  "--until 5% -- "
		  "./app",
	 .half = 0.15},
	{"it ended before it was known so well; filters stay", 0.2, 0, 9.8, 0, 0, 100, 0, 0, 0,
	 .first = "The interval of recv is wide, 9 times as many calls would do: scprof run "
		  "--below 'handle it' --depth 3 --runs 9 -- ./app",
	 .half = 0.15, .until = true},
	{"a hundred runs would be needed", 8, 2, 0, 0, 0, 100, 0, 0, 2000,
	 .first = "20.0 % of the time is computing, 60.0 %", .half = 0.49},
	{"a group that is off has 40 %, computing the rest", 0, 10, 0, 0, 0, 0, 4, 100, 2000,
	 .first = "60.0 % of the time is computing",
	 .second = "`-g io` would record 40 % of the time: scprof run -g io -- ./app"},
	{"no call was recorded of a program that waits", 0, 1, 0, 9, 0, 0, 0.01, 84, 200,
	 .first = "`-g io` would record 84 calls",
	 .second = "89.9 % of the time is waiting that was not recorded: scprof run -s "
		   "'pthread_cond_*wait,*sleep,sig*wait*,sigsuspend,wait*' -- ./app"},
	{"no call was recorded, and of no time is anything known", 0, 0, 0, 0, 0, 0, 0, 0, 0,
	 .first = "`-g all` may record some calls: scprof attach -g all 7", .attached = true},
	{"what waits by its own system calls", 0, 0.5, 0, 9, 0, 0, 0, 0, 0, .selected = true},
	{"what waits may be what is off", 0, 1, 0, 9, 0, 0, 8, 100, 200,
	 .first = "`-g io` would record 80 % of the time"},
	{"one of two threads waits, the other computes", 0, 4.9, 5.1, 0, 0, 10, 0, 0, 1000,
	 .first = "51.0 % of the time is waiting; by thread: scprof report --by thread app.scp",
	 .second = "49.0 % of the time is computing", .two_threads = true},
	{"beside others", 0, 2, 0, 0, 8, 0, 0, 0, 400,
	 .first = "Without the waits for a CPU, 100.0 % of the time is computing",
	 .overloaded = true},
	{"one call that was timed waited for a CPU", 0, 0.3, 0, 0, 0.7, 0, 0.5, 188, 200,
	 .first = "Without the waits for a CPU, 100.0 % of the time is computing",
	 .overloaded = true, .error = 0.35},
	{"beside others, and how long it waited for a CPU is not known", 0, 0, 9, 0, 0, 0, 0, 0, 0,
	 .first = "100.0 % of the time is waiting; by thread", .overloaded = true,
	 .two_threads = true, .by_calls = true},
	{"a group's time is hardly known", 0, 10, 0, 0, 0, 0, 4, 100, 2000,
	 .first = "100.0 % of the time is computing", .error = 3.9},
	{"beside a few others the share is of all time, as in the bar", 0, 9, 0, 0, 1, 0, 0, 0,
	 2000, .first = "90.0 % of the time is computing"},
	{"a process that runs", 0, 10, 0, 0, 0, 0, 0, 0, 20,
	 .first = "100.0 % of the time is computing, of which little is told by 20 samples: scprof "
		  "attach "
		  "--sample 500us 7",
	 .attached = true},
	{"two workers that run", 0, 10, 0, 0, 0, 0, 0, 0, 20,
	 .first = "100.0 % of the time is computing, of which little is told by 20 samples: scprof "
		  "attach --sample 500us 7 8",
	 .attached = true, .two_processes = true},
	{"two runs", 5, 0.5, 0.5, 0, 0, 1000, 0, 0, 100,
	 .first =
		 "The same as a page for a browser: scprof report -o report.html app.scp 'b c.scp'",
	 .two_processes = true},
	{"other threads compute, this one waits", 0, 0.1, 0, 9.9, 0, 0, 0, 0, 2000,
	 .first =
		 "It computes in threads or children without a recorded call, 60.0 % of that in f; "
		 "as a flame graph: scprof report -o report.html app.scp",
	 .second = "99.0 % of the time is waiting that was not recorded", .unrecorded = 4},
	{"what looks like computing is recording", 5, 4, 1, 0, 0, 1000, 0, 0, 2000,
	 .first = "10.0 % of the time is computing", .cost = 3},
	{"it hung, and was killed", 0, 2, 0, 0, 8, 0, 0, 0, 400, .killed = true,
	 .overloaded = true},
	{"nothing was found", 5, 0.5, 0.5, 0, 0, 1000, 0, 0, 100,
	 .first = "The same as a page for a browser: scprof report -o report.html app.scp"},
};

static char name[] = "./app", file[] = "app.scp", other[] = "b c.scp",
	    forbids[] = "unsampled=2 is too much", until[] = "until=±5 %\0below=handle it\0depth=3";
static char *argv[] = {name, NULL};

/* `half` of the mean of 1 ms each way. */
static struct report_site row_of(const struct situation *s)
{
	struct mean_interval e = {
		.mean = 1e6, .low = 1e6 * (1 - s->half), .high = 1e6 * (1 + s->half)};

	return (struct report_site){
		.calls = s->calls, .total_ns = 1e9 * s->in_calls, .estimate = e};
}

static void expect(const struct situation *s, const struct report *r, uint32_t step,
		   const char *begins)
{
	const char *said = step < r->next_steps ? r->next_step[step] : "";

	if (begins ? strncmp(said, begins, strlen(begins)) : *said)
		fail_msg("%s: \"%s\" instead of \"%s\"", s->what, said, begins ? begins : "");
}

static struct report_threads_time time_of(const struct situation *s)
{
	return (struct report_threads_time){.known = !s->by_calls,
					    .cpu_in_calls_s = s->in_calls,
					    .cpu_outside_s = s->outside,
					    .asleep_in_calls_s = s->asleep,
					    .not_recorded_s = s->not_recorded,
					    .runnable_s = s->runnable,
					    .unrecorded_s = s->unrecorded};
}

/* Of all threads. */
static double all_of(const struct situation *s)
{
	return s->in_calls + s->outside + s->asleep + s->not_recorded + s->runnable;
}

static void describe(struct profile *p, const struct situation *s)
{
	p->sampling.period_ns = s->samples ? 5000000 : 0;
	p->groups = SCP_GROUP_REGION;
	if (s->selected) {
		*p->function = (struct prof_function){
			.name = "sigsuspend", .library = "libc.so.6", .group = SCP_GROUP_SELECTED};
		p->groups |= SCP_GROUP_ALL;
	}
	memcpy(p->filters, forbids, sizeof(forbids));
	p->filters_bytes = s->forbidden ? sizeof(forbids) : 0;
	if (s->until) {
		memcpy(p->filters, until, sizeof(until));
		p->filters_bytes = sizeof(until);
	}
}

static void judge(struct report *r, const struct situation *s, bool page)
{
	next_steps_fill(r, page);
	if (!page) {
		expect(s, r, 0, s->first);
		expect(s, r, 1, s->second);
	}
	for (uint32_t i = 0; i < r->next_steps; i++) {
		assert_false(page && strstr(r->next_step[i], "report.html"));
		free(r->next_step[i]);
	}
}

static struct report_elsewhere elsewhere_of(const struct situation *s)
{
	return (struct report_elsewhere){.group = "io",
					 .mask = SCP_GROUP_IO,
					 .calls = s->looks,
					 .time_s = s->looked,
					 .own_calls = (double)s->looks,
					 .own_s = s->looked,
					 .own_share = s->looked / all_of(s),
					 .error_s = s->error,
					 .share = s->looked / all_of(s)};
}

static void try(const struct situation *s, bool page)
{
	const struct prof_attached is = {
		.known = s->attached,
		.flags = s->attached ? SCP_ATTACHED_DETACHED : 0,
		.threads = s->attached ? 1 : 0,
	};
	struct prof_process process[] = {
		{.argv = argv,
		 .argc = 1,
		 .file = file,
		 .pid = 7,
		 .count = 1,
		 .end.seen = s->killed ? SCP_END_SIGNAL : SCP_END_STATUS,
		 .attached = is},
		{.argv = argv, .argc = 1, .file = other, .pid = 8, .attached = is},
		{.argv = argv, .argc = 1, .file = other, .pid = 8, .attached = is},
	};
	struct report_program program = {.first = process,
					 .processes = s->two_processes ? 3 : 1,
					 .time_ns = 1e9 * all_of(s),
					 .wall_s = (s->killed ? 10 : 1) * all_of(s)};
	uint32_t program_of[3] = {0};
	struct prof_function function = {.name = "recv", .library = "libc.so.6"};
	struct profile p = {.process = process,
			    .processes = s->two_processes ? 3 : 1,
			    .function = &function,
			    .functions = 1,
			    .looks = s->looks ? 1 : 0};
	struct report_site site = row_of(s);
	struct report_computing_row rows[] = {
		{.brief = s->unnamed ? NULL : "f", .module_name = "libx.so", .share = 0.6}};
	struct report_computing computing = {.row = rows,
					     .rows = s->samples && !s->no_row ? 1 : 0,
					     .samples = s->samples,
					     .effective = (double)s->samples};
	struct report r = {.profile = &p,
			   .asked = process,
			   .first = process,
			   .program = &program,
			   .program_of = program_of,
			   .processes = p.processes,
			   .site = &site,
			   .sites = s->calls ? 1 : 0,
			   .kept = 1,
			   .working = 1,
			   .calls = s->calls,
			   .time_ns = 1e9 * all_of(s),
			   .waiting_ns = 1e9 * s->asleep,
			   .overloaded = s->overloaded,
			   .perturbation_ns = 1e9 * s->cost,
			   .all_threads = s->two_threads ? 2 : 1,
			   .programs = 1,
			   .computing = s->samples ? &computing : NULL,
			   .threads_time = time_of(s)};

	describe(&p, s);
	r.elsewhere[0] = elsewhere_of(s);
	r.elsewheres = s->looks ? 1 : 0;
	judge(&r, s, page);
}

static void nothing_is_recommended_that_cannot_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(*situations); i++)
		try(&situations[i], false);
}

static void a_page_does_not_ask_for_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(*situations); i++)
		try(&situations[i], true);
}

/* The command that `next` names records what this run recorded. */
static void groups_of_libraries_stay(void **state)
{
	static const char *const names[] = {"malloc", "calloc", "realloc", "free", "memalign"};
	struct prof_function function[5] = {0};
	struct prof_process process = {.argv = argv, .argc = 1};
	struct profile p = {.function = function, .functions = 5, .groups = SCP_GROUP_SELECTED};
	struct report r = {.profile = &p, .asked = &process};
	char said[200] = "";
	FILE *to = fmemopen(said, sizeof(said), "w");

	(void)state;
	assert_non_null(to);
	for (int i = 0; i < 5; i++)
		function[i] = (struct prof_function){.name = (char *)names[i],
						     .library = "libc.so.6",
						     .group = SCP_GROUP_SELECTED};
	next_command_run(to, &r, 0, "");
	fputs("; ", to);
	next_command_run(to, &r, SCP_GROUP_IO, "");
	function[4].name = (char *)"gzread";
	fputs("; ", to);
	next_command_run(to, &r, 0, " --runs 9");
	fclose(to);
	assert_string_equal(said, "scprof run -g alloc -- ./app; scprof run -g io,alloc -- ./app; "
				  "scprof run -g alloc,zlib --runs 9 -- ./app");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_recommended_that_cannot_help),
		cmocka_unit_test(a_page_does_not_ask_for_itself),
		cmocka_unit_test(groups_of_libraries_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
