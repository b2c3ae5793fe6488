// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of generated code, from the maps that its makers leave for perf:
 * /tmp/perf-PID.map, lines of "START SIZE NAME" in hexadecimal. Private to symbolize*.c.
 *
 * The maps of all processes of a profile are asked. One is only believed when it belongs
 * to the owner of the process's profile, who is told what it says, and was written after the
 * process began. Where two know
 * different names for an address none is given: a path does not say whose it is. */
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

/* A map that was there but not believed, once each; NULL: none. */
const char *symbolize_jit_refused(struct jit *j);

#endif
