// SPDX-License-Identifier: GPL-3.0-or-later
/* Where in a program and its libraries the functions lie that --below names: local functions and
 * C++ names too, from symbol tables and separate debug files. Found before the program starts, so
 * that a wrong name is not found out after a long run. */
#ifndef SCPROF_COLLECTOR_SELECT_BELOW_H
#define SCPROF_COLLECTOR_SELECT_BELOW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/select/symbol_pattern.h"
#include "profile/profile.h"
#include "include/scprof_control.h"

struct below_object {
	char *path; /* as the loader will have it */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	struct scp_below_range *range; /* sorted, apart from one another */
	size_t ranges;
};

struct below {
	struct symbol_patterns patterns;
	struct below_object *object; /* those that have one of the functions */
	size_t objects;
	size_t functions;			/* how many symbols match */
	const struct symbol_pattern *unmatched; /* where below_resolve fails for it; else NULL */
	bool is_python; /* an interpreter is among them: names can be those of its program */
	char *names;	/* patterns that may mean functions of source files, a line each; or NULL */
};

/* `text`: patterns as -s takes them. `program`: what will run; `command`: what leads to it, perhaps
 * a script. 0, or -1 with *err: bad patterns, or one that matches nothing. below_free either way.
 */
int below_resolve(struct below *b, const char *program, const char *command, const char *text,
		  struct profile_error *err);

/* The same for a process that runs, of its program and of what it has mapped. `root`: before its
 * paths, where it sees other files than we do; else "". The caller has taken the rights of the
 * process's user. */
int below_resolve_mapped(struct below *b, pid_t pid, const char *root, const char *text,
			 struct profile_error *err);
void below_free(struct below *b);

/* A file (struct scp_below_file) that every process of the run can read. It must not exist. 0, or
 * -1 with *err. */
int below_write(const struct below *b, const char *path, struct profile_error *err);

/* Sort, and join what overlaps or touches. Returns how many are left. */
size_t below_join(struct scp_below_range *range, size_t count);

/* A symbol without what compilers append for parts and copies of a function (".cold", ".part.0",
 * ".constprop.1", ...): length of the name proper. */
size_t below_symbols_stem(const char *symbol);

/* The functions of one file that the patterns match; `python`: it is an interpreter. Fill build-id
 * and ranges; counts the patterns' matches, and the symbols that match in *functions. 0, also where
 * the file cannot be read; -1: out of memory. */
int below_symbols_search(const char *path, bool python, struct symbol_patterns *patterns,
			 struct below_object *found, size_t *functions);

#endif
