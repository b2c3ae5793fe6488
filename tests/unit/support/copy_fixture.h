// SPDX-License-Identifier: GPL-3.0-or-later
/* A copy of the test program in a directory of its own, as the module of a profile: two functions
 * of it are known by name. */
#ifndef COPY_FIXTURE_H
#define COPY_FIXTURE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "report/symbols/symbolize.h"

#define COPY_MODULES 40

extern char copy_directory[], copy_path[PATH_MAX];   /* the path is that of the first module */
extern struct prof_module copy_module[COPY_MODULES]; /* all with the build-id of this program */
extern struct profile copy_profile; /* of one module, unless a test says otherwise */

/* Whose names are asked for. */
int copy_first(int n);
int copy_second(int n);

/* Setup and teardown of each test: the directory, with the copy as `app`. */
int copy_make(void **state);
int copy_remove(void **state);

/* The path of a file there; until the next call. */
const char *copy_file(const char *name);

/* A command that runs there and must succeed. */
__attribute__((format(printf, 1, 2))) void copy_shell(const char *format, ...);

/* Runs `body` in a process of its own, which a signal ends when it waits for ever. It must neither
 * die nor CHECK in vain. */
void copy_apart(void (*body)(void));

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

struct symbolizer *copy_begin(bool guarded);
uint64_t copy_offset(int (*function)(int)); /* in the program's file */
const struct symbol *copy_symbol(struct symbolizer *s, uint32_t module, int (*function)(int));
bool copy_is_called(const struct symbol *symbol, const char *name);

#endif
