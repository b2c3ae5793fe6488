// SPDX-License-Identifier: GPL-3.0-or-later
/* One function a subcommand. Each gets argv from its own name on (argv[0] is "run", "report", ...),
 * prints its errors on standard error, and returns the exit status of the whole tool. Bad usage is
 * status 2, except for `run` and `attach`, whose own failures are 125 so that they cannot be taken
 * for the command's status. */
#pragma once

#include "cli/usage/options.h"

/* Exit statuses of commands that run others. */
enum { FAILED = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

struct commands;

/* The options of each command. */
extern const struct usage attach_options_usage, bench_options_usage, causal_options_usage,
	cmd_detach_usage, cmd_dump_usage, cmd_clocks_usage, cmd_config_usage, cmd_doctor_usage,
	cmd_explain_usage, cmd_load_usage, cmd_merge_usage, cmd_report_usage, cmd_symbols_usage,
	cmd_top_usage, diff_options_usage, displace_options_usage, plan_options_usage,
	run_options_usage, serve_options_usage;

/* `int cmd_run(int argc, char **argv);` and so on. */
typedef int command_function(int argc, char **argv);
command_function cmd_attach, cmd_attach_watched, cmd_bench, cmd_causal, cmd_clocks, cmd_detach,
	cmd_diff, cmd_displace, cmd_dump, cmd_doctor, cmd_explain, cmd_load, cmd_merge, cmd_plan,
	cmd_report, cmd_run, cmd_serve, cmd_serve_render, cmd_symbols, cmd_top, cmd_watch_run;

/* The commands about the commands themselves. */
typedef int commands_function(const struct commands *all, int argc, char **argv);
commands_function cmd_complete, cmd_config, cmd_describe;
