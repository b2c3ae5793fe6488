// SPDX-License-Identifier: GPL-3.0-or-later
/* Finding a command's file, and reading the #! line of a script. */
#ifndef SCPROF_COLLECTOR_LAUNCH_PROGRAM_FIND_H
#define SCPROF_COLLECTOR_LAUNCH_PROGRAM_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* As execvp: a name with a slash is a path; else $PATH, or the system's default
 * path where it is unset. 0 and `path`; or -1 with errno ENOENT, EACCES (found,
 * but none that may be executed; `path` is the first of them) or ENAMETOOLONG. */
int program_find(const char *name, char *path, size_t size);

struct shebang {
	char interpreter[512]; /* as written */
	char program[512];     /* what `env` would look up in $PATH, or "" */
};

/* Parses the first `bytes` bytes of a file. False if it has no #! line. */
bool program_find_shebang(const char *head, size_t bytes, struct shebang *out);

#endif
