// SPDX-License-Identifier: GPL-3.0-or-later
/* The functions of one file that the patterns of --below match; for below.c. */
#ifndef SCPROF_COLLECTOR_SELECT_BELOW_SYMBOLS_H
#define SCPROF_COLLECTOR_SELECT_BELOW_SYMBOLS_H

#include "collector/select/below.h"

/* `python`: it is an interpreter, see below_python.h. Fill build-id and ranges; counts the
 * patterns' matches, and the symbols that match in *functions. 0, also where the file cannot be
 * read; -1: out of memory. */
int below_symbols_search(const char *path, bool python, struct symbol_patterns *patterns,
			 struct below_object *found, size_t *functions);

/* Add the names of its functions, as one would write them, if the pattern could mean this file.
 * Names for which there is no memory are left out. */
void below_symbols_near(const char *path, const struct symbol_pattern *pattern, char ***names,
			size_t *count);

#endif
