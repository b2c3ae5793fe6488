// SPDX-License-Identifier: GPL-3.0-or-later
/* See commands.h. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"

const struct command commands[] = {
	{"run", cmd_run, run_usage, "run a command, write its profile, print the report", 125,
	 true},
	{"report", cmd_report, report_usage, "print what profiles say", 2, true},
	{"top", cmd_top, top_usage, "watch a program while it is profiled", 2, true},
	{"diff", cmd_diff, diff_usage, "what became slower or faster", 2, true},
	{"merge", cmd_merge, merge_usage, "make one profile of several", 2, true},
	{"plan", cmd_plan, plan_usage, "how many calls a measurement needs, or how many more", 2,
	 true},
	{"bench", cmd_bench, bench_usage, "how long a function of a library takes, or a command", 2,
	 true},
	{"symbols", cmd_symbols, symbols_usage, "list the functions that `run -s` can time", 2,
	 true},
	{"displace", cmd_displace, displace_usage,
	 "a command's CPU time, uncharged interrupt work included", 125, true},
	{"load", cmd_load, load_usage, "how busy each CPU is, by what idle priority cannot get", 2,
	 true},
	{"serve", cmd_serve, serve_usage, "this host's profiles as web pages, metrics and pprof", 2,
	 true},
	{"clocks", cmd_clocks, clocks_usage, "test the clocks of this machine", 2, true},
	{"doctor", cmd_doctor, doctor_usage, "what this machine allows, and what is missing", 2,
	 false},
	{"config", cmd_config, config_usage, "which defaults the configuration files set", 2,
	 false},
	/* asked for by libscprof.so, by `run --live`, by `serve`, by shells and by the build */
	{"preload-stubs", cmd_preload_stubs, NULL, NULL, 2, false},
	{"watch-run", cmd_watch_run, NULL, NULL, 2, false},
	{"serve-render", cmd_serve_render, NULL, NULL, 2, false},
	{"complete", cmd_complete, NULL, NULL, 2, false},
	{"describe", cmd_describe, NULL, NULL, 2, false},
};
const size_t commands_count = sizeof(commands) / sizeof(*commands);

const char commands_usage[] =
	"usage: scprof COMMAND [OPTION...]\n"
	"       scprof help [COMMAND]\n"
	"What each call site of a running program really costs, with error bars.\n"
	"\n"
	"  -h, --help     this text; after a command, what that takes\n"
	"  -V, --version  which scprof this is\n"
	"\n"
	"Without the tool: LD_PRELOAD=libscprof.so ./app writes scprof.NAME.PID.scp.\n"
	"\n"
	"environment: options beat it, and what is unset or empty is as if not there\n"
	"  SCPROF_OUT           directory for profiles (default: the working directory)\n"
	"  SCPROF_CLOCK         tsc, coarse, monotonic, page, thread-cpu or dual, as run -c\n"
	"  SCPROF_TICK          interval of the page clock, 20us to 100ms, as run -d\n"
	"  SCPROF_GROUPS        socket, io, wait, resolve, region, functions, all, as run -g\n"
	"  SCPROF_SYMBOLS       functions of libraries, as run -s\n"
	"  SCPROF_SLOWEST       as run --slowest; SCPROF_SLOWER_THAN, SCPROF_SLOWEST_OF likewise\n"
	"  SCPROF_BELOW         as run --below; SCPROF_THREADS, SCPROF_DEPTH, SCPROF_AFTER,\n"
	"                       SCPROF_FOR, SCPROF_SIGNAL, SCPROF_STOPPED likewise\n"
	"  SCPROF_DISABLE       1: record nothing\n"
	"  SCPROF_LIB           path of libscprof.so (default: found beside scprof)\n"
	"  SCPROF_DEBUG_PATH    DIR[:DIR...]: more places for files with debug information\n"
	"  SCPROF_CONFIG        path of the one configuration file to read; /dev/null: none\n"
	"  DEBUGINFOD_URLS      servers for debug information\n"
	"exit status: 0 done, 1 failure, 2 wrong usage; scprof run: the command's own (128+N "
	"after\n"
	"             signal N), 125 scprof failed, 126 cannot be executed, 127 not found\n";

const struct command *commands_find(const char *name)
{
	for (size_t i = 0; i < commands_count; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* The list stands before the options. */
int commands_print_help(void)
{
	const char *options = strstr(commands_usage, "\n\n") + 1;

	printf("%.*s\n", (int)(options - commands_usage), commands_usage);
	for (size_t i = 0; i < commands_count; i++)
		if (commands[i].usage)
			printf("  %-13s  %s\n", commands[i].name, commands[i].summary);
	fputs(options, stdout);
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}
