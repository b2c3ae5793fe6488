// SPDX-License-Identifier: GPL-3.0-or-later
/* A result file that appears complete or not at all: written to a temporary file in the same
 * directory, which is then renamed. What exists and is not a regular file (a pipe, /dev/stdout) is
 * written directly. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "profile/write/temporary_file.h"
#include "profile/profile.h"
#include "cli/messages/progress.h"

struct output {
	FILE *stream;
	const char *path;	/* borrowed; NULL: standard output */
	struct partial partial; /* without a name: written directly */
};

/* Would writing to `path` replace one of the inputs, under any name or through any link? If so it
 * is said, as "COMMAND: ...". NULL path: standard output, which replaces nothing. */
bool output_refuse(const char *command, const char *path, const char *const *input, size_t inputs);

/* Before what takes long: can a result be written to `path`? A file of this name stays as it is,
 * and a pipe is not opened. 0, or -1 and it was said. */
int output_try(const char *command, const char *path);

/* Printing to standard output has failed, and errno says why: it is said, once. */
void output_lost(const char *command);

/* At the end of every command, whatever it has printed. 0, or -1: standard output could not be
 * written, or not all of it, and that was said. */
int output_finish(const char *command);

/* NULL path: standard output. 0, or -1 with errno. */
int output_open(struct output *o, const char *path);

/* Flushes, closes, and renames the file if `keep`, or else removes it. 0, or -1 with errno, and an
 * incomplete file is removed. Standard output is only flushed. */
int output_close(struct output *o, bool keep);

/* The same for a command that says what went wrong: "COMMAND: cannot write ...". errno is 0
 * after output_begin; `failed`: writing has, and errno says why. 0, or -1 and it was said. */
int output_begin(struct output *o, const char *command, const char *path);
int output_end(struct output *o, const char *command, int failed);

/* The profiles that a command was given, read as one. */

/* Exit statuses. */
#define INPUTS_UNREAD	1 /* of some or all */
#define INPUTS_REPLACED 2 /* by the output: wrong usage */

/* Those of the operands `paths`, which a NULL ends. A directory stands for the *.scp files in it,
 * by name; not for those in directories in it, nor for names that begin with a dot. With a bar of
 * progress, which goes on behind it. Of several files, those that cannot be read are named and left
 * out, and *status becomes INPUTS_UNREAD; else it stays. NULL: *status is that of the command, and
 * it was said why: nothing can be read, in `one_line` where that is wished, or `output` (NULL:
 * standard output) would replace one of them. `command`: "scprof merge". */
struct profile *inputs_open(const char *command, const char *output, const char *const *paths,
			    struct progress *progress, bool one_line, int *status);

/* Names one process that is in them twice, as in copies of a profile: its calls count twice. */
void inputs_tell_same(const char *command, const struct profile *const *p, size_t count);
