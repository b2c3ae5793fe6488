// SPDX-License-Identifier: GPL-3.0-or-later
/* One function a subcommand. Each gets argv from its own name on (argv[0] is "run", "report", ...),
 * prints its errors on standard error, and returns the exit status of the whole tool. Bad usage is
 * status 2, except for `run` and `attach`, whose own failures are 125 so that they cannot be taken
 * for the command's status. */
#ifndef SCPROF_CLI_CMD_H
#define SCPROF_CLI_CMD_H

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

int cmd_attach(int argc, char **argv);
int cmd_attach_watched(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_causal(int argc, char **argv);
int cmd_clocks(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_displace(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_serve_render(int argc, char **argv);
int cmd_symbols(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_watch_run(int argc, char **argv);

/* The commands about the commands themselves. */
int cmd_complete(const struct commands *all, int argc, char **argv);
int cmd_config(const struct commands *all, int argc, char **argv);
int cmd_describe(const struct commands *all, int argc, char **argv);

#endif
