// SPDX-License-Identifier: GPL-3.0-or-later
/* -s of `scprof run`: from patterns to the stub object, before the command starts. */
#ifndef SCPROF_CLI_RUN_RUN_SYMBOLS_H
#define SCPROF_CLI_RUN_RUN_SYMBOLS_H

#include "collector/select/selection.h"
#include "cli/run/run_options.h"

/* Of `program`, or of what the process has mapped that options->filters names: those files are
 * opened with the rights of its user. `library`: path of libscprof.so. 0, or -1 having said why. */
int run_symbols_resolve(const struct run_options *options, const char *program, const char *library,
			struct selection *chosen, struct symbol_patterns *parsed);

/* Writes the stub object to a file system that allows mapping of code, by a path that LD_PRELOAD
 * can name: in `directory`, or else `beside`, $TMPDIR, /tmp or /var/tmp. 0, or -1 having said why.
 */
int run_symbols_write(const struct selection *chosen, const char *directory, const char *beside,
		      char *path, size_t size);

/* Explains the problem in one to three lines. */
void run_symbols_complain(const struct selection *chosen, const struct profile_error *err);

#endif
