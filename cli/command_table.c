// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_table.h"

#include "cli/cmd.h"

static const struct command list[] = {
	{"run", &run_options_usage, true, .run = cmd_run},
	{"attach", &attach_options_usage, true, .run = cmd_attach},
	{"detach", &cmd_detach_usage, false, .run = cmd_detach},
	{"report", &cmd_report_usage, true, .run = cmd_report},
	{"explain", &cmd_explain_usage, false, .run = cmd_explain},
	{"top", &cmd_top_usage, true, .run = cmd_top},
	{"diff", &diff_options_usage, true, .run = cmd_diff},
	{"merge", &cmd_merge_usage, true, .run = cmd_merge},
	{"plan", &plan_options_usage, true, .run = cmd_plan},
	{"bench", &bench_options_usage, true, .run = cmd_bench},
	{"causal", &causal_options_usage, true, .run = cmd_causal},
	{"symbols", &cmd_symbols_usage, true, .run = cmd_symbols},
	{"displace", &displace_options_usage, true, .run = cmd_displace},
	{"load", &cmd_load_usage, true, .run = cmd_load},
	{"serve", &serve_options_usage, true, .run = cmd_serve},
	{"clocks", &cmd_clocks_usage, true, .run = cmd_clocks},
	{"doctor", &cmd_doctor_usage, false, .run = cmd_doctor},
	{"config", &cmd_config_usage, false, .run_on = cmd_config},
	/* asked for by libscprof.so, by `run --live`, by `top`, by `serve`, by shells and by the
	   build */
	{"preload-stubs", NULL, false, .run = cmd_preload_stubs},
	{"watch-run", NULL, false, .run = cmd_watch_run},
	{"attach-watched", NULL, false, .run = cmd_attach_watched},
	{"serve-render", NULL, false, .run = cmd_serve_render},
	{"complete", NULL, false, .run_on = cmd_complete},
	{"describe", NULL, false, .run_on = cmd_describe},
};

static const struct usage_entry usage_options[] = {
	{"help", 'h', NULL, .text = "this text; after a command, what that takes"},
	{"version", 'V', NULL, .text = "which scprof this is"},
	{0}};

static const struct usage_entry usage_variables[] = {
	{.name = "SCPROF_OUT", .text = "directory for profiles (default: the working directory)"},
	{.name = "SCPROF_CLOCK",
	 .text = "tsc, coarse, monotonic, page, thread-cpu or dual, as run -c"},
	{.name = "SCPROF_TICK", .text = "interval of the page clock, 20us to 100ms, as run -d"},
	{.name = "SCPROF_GROUPS",
	 .text = "socket, io, wait, resolve, region, functions, all, as run -g"},
	{.name = "SCPROF_SYMBOLS", .text = "functions of libraries, as run -s"},
	{.name = "SCPROF_STATES", .text = "as run --states"},
	{.name = "SCPROF_VERIFY_PATHS", .text = "N: as run --verify-paths=N"},
	{.name = "SCPROF_DETECTOR",
	 .text = "how switches are seen: rseq, perf or sampled (default: the best that works)"},
	{.name = "SCPROF_SLOWEST",
	 .text = "as run --slowest; SCPROF_SLOWER_THAN, SCPROF_SLOWEST_OF likewise"},
	{.name = "SCPROF_BELOW",
	 .text = "as run --below; SCPROF_THREADS, SCPROF_DEPTH, SCPROF_AFTER, SCPROF_FOR, "
		 "SCPROF_SIGNAL, SCPROF_STOPPED likewise"},
	{.name = "SCPROF_NATIVE",
	 .text = "1: as run --native; SCPROF_PYTHON=off: as run --no-python"},
	{.name = "SCPROF_DISABLE", .text = "1: record nothing"},
	{.name = "SCPROF_LIB", .text = "path of libscprof.so (default: found beside scprof)"},
	{.name = "SCPROF_DEBUG_PATH",
	 .text = "DIR[:DIR...]: more places for files with debug information"},
	{.name = "SCPROF_CONFIG",
	 .text = "path of the one configuration file to read; /dev/null: none"},
	{.name = "DEBUGINFOD_URLS", .text = "servers for debug information"},
	{0}};

static const struct usage tool_usage = {
	.summary = "what each call site of a program costs, with error bars",
	.synopsis = {"COMMAND [OPTION...]", "help [COMMAND]"},
	.text = "What each call site of a running program really costs, with error bars.",
	.options = usage_options,
	.variables = usage_variables,
	.note = "Without the tool: LD_PRELOAD=libscprof.so ./app writes scprof.NAME.PID.scp.",
	.variables_text = "options beat it, and what is unset or empty is as if not there",
	.exit_status = "0 done, 1 failure, 2 wrong usage; scprof run: the command's own (128+N "
		       "after signal N), 125 scprof failed, 126 cannot be executed, 127 not found",
	.bad_usage = 2,
	.failure = 2,
};

const struct commands command_table = {list, sizeof(list) / sizeof(*list), &tool_usage};
