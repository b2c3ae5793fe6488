// SPDX-License-Identifier: GPL-3.0-or-later
/* -s of `scprof run`: from patterns to the stub object, before the command starts. */
#ifndef SCPROF_CLI_RUN_RUN_SYMBOLS_H
#define SCPROF_CLI_RUN_RUN_SYMBOLS_H

#include "collector/select/selection.h"
#include "collector/launch/program.h"
#include "cli/run/run_options.h"

/* 0, or -1 having said why. `library`: path of libscprof.so. */
int run_symbols_resolve(const struct run_options *options, const struct program *program,
			const char *library, struct chosen *chosen, struct chosen_patterns *parsed);

/* Write the stub object where programs may be mapped from and LD_PRELOAD can name it: in
 * `directory`, or else `beside`, $TMPDIR, /tmp or /var/tmp. 0, or -1 having said why. */
int run_symbols_write(const struct chosen *chosen, const char *directory, const char *beside,
		      char *path, size_t size);

/* The same for a file of another name, without a word. `directory` may be NULL. */
int run_symbols_store(const struct chosen *chosen, const char *name, const char *directory,
		      const char *beside, char *path, size_t size, struct profile_error *err);

/* What is wrong, in one to three lines; where a pattern matches nothing, which names are near. */
void run_symbols_explain(const struct chosen *chosen, const struct profile_error *err, char *text,
			 size_t size);

/* Says what is wrong, and where a pattern matches nothing, which names are near. */
void run_symbols_complain(const struct chosen *chosen, const struct profile_error *err);

#endif
