# SPDX-License-Identifier: GPL-3.0-or-later
CLI_SRC = \
	cli/main.c \
	cli/clocks_json.c \
	cli/clocks_text.c \
	cli/bench_json.c \
	cli/bench_options.c \
	cli/bench_text.c \
	cli/complaint.c \
	cli/cmd_bench.c \
	cli/cmd_clocks.c \
	cli/cmd_diff.c \
	cli/diff_options.c \
	cli/cmd_merge.c \
	cli/cmd_plan.c \
	cli/cmd_preload_stubs.c \
	cli/plan_ahead.c \
	cli/plan_ahead_print.c \
	cli/plan_change.c \
	cli/plan_change_print.c \
	cli/plan_options.c \
	cli/plan_reach.c \
	cli/plan_sites.c \
	cli/plan_sites_json.c \
	cli/plan_sites_print.c \
	cli/plan_words.c \
	cli/quantity.c \
	cli/cmd_report.c \
	cli/cmd_run.c \
	cli/cmd_symbols.c \
	cli/run_filters.c \
	cli/run_options.c \
	cli/run_output.c \
	cli/run_slowest.c \
	cli/run_symbols.c \
	cli/say.c \
	cli/nearest.c \
	cli/output.c
