// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints the results of a benchmark on standard output. Both return 0, or -1 with errno. */
#ifndef SCPROF_CLI_BENCH_BENCH_PRINT_H
#define SCPROF_CLI_BENCH_BENCH_PRINT_H

#include "cli/bench/bench_options.h"

int bench_print_text(const struct bench_options *o, const struct bench_summary *s);
int bench_print_json(const struct bench_options *o, const struct bench_summary *s);

#endif
