// SPDX-License-Identifier: GPL-3.0-or-later
/* -s of `scprof run`: from patterns to the stub object, before the command starts. */
#ifndef SCPROF_CLI_RUN_RUN_SYMBOLS_H
#define SCPROF_CLI_RUN_RUN_SYMBOLS_H

#include "collector/select/selection.h"
#include "collector/launch/program.h"
#include "cli/run/run_options.h"

/* 0, or -1 having said why. `library`: path of libscprof.so. */
int run_symbols_resolve(const struct run_options *options, const struct program *program,
			const char *library, struct selection *chosen,
			struct symbol_patterns *parsed);

/* The same for the mapped files of a running process. They are opened with the rights of the
 * process's user. */
int run_symbols_resolve_mapped(const struct run_options *options, pid_t pid, uid_t uid, gid_t gid,
			       const char *program, const char *library, struct selection *chosen,
			       struct symbol_patterns *parsed);

/* Writes the stub object to a file system that allows mapping of code, by a path that LD_PRELOAD
 * can name: in `directory`, or else `beside`, $TMPDIR, /tmp or /var/tmp. 0, or -1 having said why.
 */
int run_symbols_write(const struct selection *chosen, const char *directory, const char *beside,
		      char *path, size_t size);

/* Prints the problem on standard error, with similar names if a pattern matches nothing. */
void run_symbols_complain(const struct selection *chosen, const struct profile_error *err);

#endif
