// SPDX-License-Identifier: GPL-3.0-or-later
/* The options of `scprof bench`. */
#pragma once

#include "collector/bench/bench.h"
#include "collector/bench/bench_summary.h"

#define BENCH_COMMAND "scprof bench"

struct bench_options {
	struct bench_plan plan; /* all but the clock's rate; borrows from the rest of this */
	struct bench_summary_options wishes;
	enum scp_clock_kind clock; /* SCP_CLOCK_NONE: the best there is */
	bool json;
	struct bench_arguments arguments;
	char **words; /* the arguments as they were written; NULL-terminated */
	char library[4096], path[4096];
};

/* Prints the results of a benchmark on standard output. 0, or -1: out of memory. */

int bench_print_text(const struct bench_options *o, const struct bench_summary *s);
int bench_print_json(const struct bench_options *o, const struct bench_summary *s);
