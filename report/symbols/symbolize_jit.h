// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of generated code, from the maps that its makers leave for perf:
 * /tmp/perf-PID.map, lines of "START SIZE NAME" in hexadecimal. Private to symbolize*.c.
 *
 * The maps of all processes of a profile are read. A map is used only if it belongs to the owner of
 * the process's profile and was written after the process began. Where two have different names for
 * an address none is given: a call path does not say which process it is of. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_JIT_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_JIT_H

#include "profile/profile.h"
#include "report/symbols/symbolize_open.h"

struct jit;

struct jit_name {
	const char *name; /* NULL: not known */
	const char *map;  /* path of the file that knows it */
	uint64_t into;	  /* from the beginning of the code */
	bool ambiguous;	  /* maps disagree */
};

/* Reads nothing yet. Both must outlive it. NULL: out of memory. */
struct jit *symbolize_jit_new(const struct profile *p, struct symbolize_files *files);
void symbolize_jit_free(struct jit *j);

struct jit_name symbolize_jit_look_up(struct jit *j, uint64_t address);

/* A map that exists but was refused, each once; NULL: no more. */
const char *symbolize_jit_refused(struct jit *j);

#endif
