// SPDX-License-Identifier: GPL-3.0-or-later
/* Settings of `scprof run`: from options first, then from the environment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/usage/options.h"
#include "cli/usage/report_options.h"
#include "collector/launch/recording_control.h"
#include "include/scprof_format.h"

enum { RUN_OPTION_NO_REPORT = USAGE_OWN, RUN_OPTION_BELOW, RUN_OPTION_THREAD };

#define RUN_YEAR_NS   UINT64_C(31536000000000000)
#define RUN_RUNS_MOST 1000	 /* see --runs */
#define RUN_LEAST_NS  100000000u /* looks are 0.1 s apart at least */

#define RUN_MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, run_options, member, ##__VA_ARGS__)

/* And the variable of the environment that stands for the option. */
#define RUN_TEXT(member, name, ...)                                                                \
	.variable = "SCPROF_" name, RUN_MEMBER(TEXT, member, ##__VA_ARGS__)

#define RUN_OPTION_OUTPUT                                                                          \
	USAGE_ENTRY_OUTPUT(                                                                        \
		"PATH",                                                                            \
		"the profile (default: scprof.NAME.PID.scp in SCPROF_OUT, else "                   \
		"here). A name that ends in .html, .json, .csv, .svg, .pb.gz, "                    \
		".folded, .callgrind or .speedscope: the report, and the profile beside it",       \
		RUN_MEMBER(TEXT, output))

/* For the tables of commands that record: what, and how. */
#define RUN_OPTIONS_RECORDING                                                                      \
	{"clock", 'c', "CLOCK",                                                                    \
	 .text = "tsc, coarse, monotonic, page, thread-cpu or dual (default: SCPROF_CLOCK, else "  \
		 "what `scprof clocks` recommends)",                                               \
	 RUN_TEXT(clock_text, "CLOCK")},                                                           \
		{"tick", 'd', "TICK",                                                              \
		 .text = "mean tick of the page clock, 20us to 100ms (default: 1ms; for page and " \
			 "dual). One that costs over 1 % of a CPU is made longer",                 \
		 RUN_TEXT(tick_text, "TICK")},                                                     \
		{"exact-tick", 0, NULL, .text = "keep the tick, whatever it costs",                \
		 RUN_MEMBER(FLAG, exact_tick)},                                                    \
		{"groups", 'g', "GROUPS",                                                          \
		 .text = "functions to time: socket, io, wait, resolve, region, functions, all; "  \
			 "of libraries: ssl, alloc, thread, zlib, sqlite, libpq; separated by "    \
			 "commas (default: socket,wait,region)",                                   \
		 RUN_TEXT(groups, "GROUPS")},                                                      \
		{"symbols", 's', "SYMBOLS",                                                        \
		 .text = "functions of libraries to time besides: names, globs, LIBRARY:NAME, "    \
			 "separated by commas. !NAME takes out again, @FILE has one a line (-s "   \
			 "'libssl*:SSL_*,!SSL_get_*'; `scprof symbols PROGRAM` lists them)",       \
		 RUN_TEXT(symbols, "SYMBOLS")},                                                    \
		{"slowest", 0, "K",                                                                \
		 .text = "keep the K slowest calls one by one: when, how long, from where (up to " \
			 "1000; SCPROF_SLOWEST)",                                                  \
		 RUN_TEXT(slowest, "SLOWEST")},                                                    \
		{"slower-than", 0, "TIME",                                                         \
		 .text = "of those that take so long at least (SCPROF_SLOWER_THAN)",               \
		 RUN_TEXT(slower_than, "SLOWER_THAN")},                                            \
		{"slowest-of", 0, "NAMES",                                                         \
		 .text = "of these functions, as -s writes them: 'send*,write', '!recv*' "         \
			 "(default: all timed but poll, select, epoll_wait and accept; "           \
			 "SCPROF_SLOWEST_OF)",                                                     \
		 RUN_TEXT(slowest_of, "SLOWEST_OF")},                                              \
		{"states",                                                                         \
		 0,                                                                                \
		 "off|budget|exact",                                                               \
		 .text = "whether calls were on a CPU, waited for one, or slept. budget "          \
			 "(default): readings take about 1 % of a thread's CPU time; exact: "      \
			 "every call that lost its CPU is read (SCPROF_STATES)",                   \
		 .flags = USAGE_OTHER_VALUES,                                                      \
		 RUN_TEXT(states, "STATES")},                                                      \
		{"sample", 0, "TIME",                                                              \
		 .text = "what the processes compute between calls: a sample after so much CPU "   \
			 "time, at random around that mean (default: 5ms), or off",                \
		 RUN_TEXT(sample, "SAMPLE")},                                                      \
		{"verify-paths", 0, "[=N]",                                                        \
		 .text = "let libunwind walk new call paths, too, one in N of them (default: "     \
			 "all), and report where it finds other frames (SCPROF_VERIFY_PATHS)",     \
		 RUN_TEXT(verify_paths, "VERIFY_PATHS", .constant = "1")},                         \
		{"until", 0, "P",                                                                  \
		 .text = "stop the measurement, not the command, when the means of all sites "     \
			 "with 5 % of the time or more are known to P: 5%, 0.01",                  \
		 RUN_MEMBER(SHARE, until, .least = 100, .most = 500000)},                          \
		{"until-of", 0, "NAMES",                                                           \
		 .text = "of these functions only: names, globs, separated by commas",             \
		 RUN_MEMBER(TEXT, until_of)},                                                      \
		{"until-least", 0, "T",                                                            \
		 .text = "but measure at least so long (default: 10s). What the program does for " \
			 "a third of it or longer at a stretch may be missed",                     \
		 RUN_MEMBER(SECONDS, until_least_s, .least = RUN_LEAST_NS, .most = RUN_YEAR_NS)},  \
		{"below", RUN_OPTION_BELOW, "FUNCTION",                                            \
		 .text = "only calls below this function, local ones of the program too: names, "  \
			 "globs, LIBRARY:NAME, !NAME, as for -s; may be given again",              \
		 .variable = "SCPROF_BELOW"},                                                      \
		{"thread", RUN_OPTION_THREAD, "N",                                                 \
		 .text = "only threads of this name: globs, separated by commas; may be given "    \
			 "again",                                                                  \
		 .variable = "SCPROF_THREADS"},                                                    \
		{"depth", 0, "N", .text = "keep the N innermost frames of a call path",            \
		 RUN_TEXT(filters.depth, "DEPTH")},                                                \
		{"native", 0, NULL,                                                                \
		 .text = "keep the Python interpreter's own C frames beside Python functions",     \
		 RUN_TEXT(filters.native, "NATIVE", .constant = "1")},                             \
		{"no-python", 0, NULL,                                                             \
		 .text = "C frames only: read no Python functions (SCPROF_PYTHON=off)",            \
		 RUN_MEMBER(TEXT, filters.python, .constant = "off")},                             \
	{                                                                                          \
		"no-report", RUN_OPTION_NO_REPORT, NULL, .text = "write the profile only"          \
	}

/* What to leave out, and when to record. Texts come from options, otherwise from the environment;
 * NULL: no such filter. */
struct run_filters {
	char *below, *threads; /* owned: options that may be given again are joined by commas */
	const char *depth, *after, *length, *signal;
	const char *python, *native; /* as the variables; NULL: what they are */
	bool stopped;
	bool attached; /* of a process that runs: recording always can be stopped */
	pid_t process; /* that one, and its user */
	uid_t uid;
	gid_t gid;
	bool until;		    /* the tool stops recording by itself */
	struct recording_plan plan; /* set by run_options_settle */
};

struct run_options {
	const struct usage *usage;	    /* of the command that parses them */
	const char *output;		    /* -o, NULL: by the command's name and pid */
	const char *clock_text, *tick_text; /* as they were given; NULL: not */
	enum scp_clock_kind clock;
	uint64_t tick_ns;
	bool tick_asked;       /* by -d or the environment */
	bool exact_tick;       /* whatever it costs */
	const char *groups;    /* NULL: the library's default */
	const char *symbols;   /* patterns, NULL: none */
	char built_in[128];    /* those of `groups` that the library knows; "none" */
	char ready_made[2048]; /* patterns of the ready-made groups among `groups` */
	bool only_ready_made;  /* and no others are */
	struct run_filters filters;
	const char *slowest, *slower_than,
		*slowest_of; /* which calls are kept; NULL: the default */
	uint64_t slower_than_ns;
	const char *states;	  /* off, budget, exact */
	const char *sample;	  /* a time, or off */
	uint64_t sample_ns;	  /* that time; 0: off */
	const char *verify_paths; /* one new path in so many; NULL: none */
	bool report;
	struct report_choice shown; /* how it is printed */
	bool displace;
	double dither; /* --dither: of the throughput that it may cost; 0: none */
	bool live;
	double until;	      /* --until: relative half width; 0: none */
	double until_least_s; /* --until-least; 0: not given */
	const char *until_of; /* functions; NULL: all */
	bool disabled;	      /* SCPROF_DISABLE is set */
	bool children;	      /* --children of `scprof attach` */
	const char *copy_to;  /* --copy-to of it; NULL: nowhere */
	const char *name;     /* --name of it; NULL: none */
	uint32_t runs;	      /* --runs, --windows of attach: one report of so many recordings */
	char **command;
};

/* OPTIONS_GO, or the exit status; operands begin at optind. o->filters.attached is set before. */
int run_options_parse(const struct usage *u, int argc, char **argv, struct run_options *o);

/* For a command with options of its own: the defaults, o->filters.attached being set before; and
 * once all are taken, what the environment says besides, with checks. 0, or -1 having said why. */
void run_options_begin(struct run_options *o);
int run_options_settle(struct run_options *o);

/* Adds a pattern to a list that may be given again. 0, or -1 having said why. */
int run_options_join(char **list, const char *value);

void run_options_free(struct run_options *o);
