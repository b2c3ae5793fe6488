// SPDX-License-Identifier: GPL-3.0-or-later
/* One function a subcommand. Each gets argv from its own name on (argv[0] is
 * "run", "report", ...), prints its errors on standard error, and returns the
 * exit status of the whole tool. Bad usage is status 2, except for `run`, whose
 * own failures are 125 so that they cannot be taken for the command's status.
 */
#ifndef SCPROF_CLI_CMD_H
#define SCPROF_CLI_CMD_H

/* The --help of each, in the form of usage.h. */
extern const char bench_usage[], clocks_usage[], config_usage[], diff_usage[], displace_usage[],
	doctor_usage[], load_usage[], merge_usage[], plan_usage[], report_usage[], run_usage[],
	serve_usage[], symbols_usage[], top_usage[];

int cmd_bench(int argc, char **argv);
int cmd_clocks(int argc, char **argv);
int cmd_complete(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_describe(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_displace(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_preload_stubs(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_serve_render(int argc, char **argv);
int cmd_symbols(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_watch_run(int argc, char **argv);

#endif
