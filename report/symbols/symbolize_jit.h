// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of generated code: those that the profile keeps, else those from the files that its makers
 * leave for perf: /tmp/perf-PID.map, lines of "START SIZE NAME" in hexadecimal, and jit-PID.dump.
 * Private to symbolize*.c and generated_keep.c.
 *
 * The files of all processes of a profile are read. A file is used only if it belongs to the owner
 * of the process's profile and was written after the process began. Where two processes have
 * different names for an address none is given: a call path does not say which process it is of. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_JIT_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_JIT_H

#include "profile/profile.h"
#include "report/symbols/symbolize_open.h"

struct jit;

struct jit_name {
	const char *name;      /* NULL: not known */
	const char *map;       /* path of the file that knows it; NULL: the profile keeps it */
	uint64_t start, bytes; /* of the code */
	uint32_t pid;
	const char *file; /* of the address itself, where the file says so; NULL: not known */
	int line;
	bool ambiguous; /* maps disagree, or several functions lay there one after another */
};

/* Reads nothing yet. Both must outlive it. NULL: out of memory. */
struct jit *symbolize_jit_new(const struct profile *p, struct symbolize_files *files);
void symbolize_jit_free(struct jit *j);

struct jit_name symbolize_jit_look_up(struct jit *j, uint64_t address);

/* A map that exists but was refused, each once; NULL: no more. */
const char *symbolize_jit_refused(struct jit *j);

#endif
