// SPDX-License-Identifier: GPL-3.0-or-later
/* jit-PID.dump: what a maker of code leaves for perf, with times and source lines (Linux,
 * tools/perf/Documentation/jitdump-specification.txt, version 1). Nothing in it is trusted. Private
 * to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_JITDUMP_READ_H
#define SCPROF_REPORT_SYMBOLS_JITDUMP_READ_H

#include "report/symbols/code_map.h"

/* Adds the pieces of `bytes` of text, which must outlive the map; behind them lies a NUL. False: it
 * is no jitdump of this byte order. It ends at the first record that makes no sense: the process
 * may have been killed while it wrote one. *comparable: times are CLOCK_MONOTONIC. */
bool jitdump_read(struct code_map *m, struct symbolize_files *files, const char *text,
		  uint64_t bytes, bool *comparable);

/* Line and file of an address within a piece, as its maker noted them. False: it noted none. */
bool jitdump_read_line(const struct code_piece *piece, struct symbolize_files *files,
		       uint64_t address, const char **file, int *line);

#endif
