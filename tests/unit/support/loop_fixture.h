// SPDX-License-Identifier: GPL-3.0-or-later
/* Profiles of threads whose calls and gaps are given, for the tests of loops. One unit is 1 ns.
 * Everything a thread does is added to its time, so that the account is exact unless a test
 * spoils it. */
#ifndef LOOP_FIXTURE_H
#define LOOP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/loops/loop.h"

#define NONE PROF_NONE /* start or end of a thread */

/* An empty one; functions are named "a", "b", ... "z", "f26", ... */
struct profile *loop_profile(void);
void loop_profile_free(struct profile *p);

uint32_t loop_thread(struct profile *p, const char *name);

/* `calls` calls of a function from a place of that number, of `each` units; its index. The
 * order of these is that of the first calls. */
uint32_t loop_entry(struct profile *p, uint32_t thread, uint32_t function, uint64_t place,
		    uint64_t calls, uint64_t each);
void loop_gap(struct profile *p, uint32_t thread, uint32_t from, uint32_t to, uint64_t calls,
	      uint64_t each);

/* By gap, with JSON's limits (none), or with text's. */
struct report *loop_built(const struct profile *p, enum report_format format);

/* The row of a kind from one function to another, of the first cycle of a loop. NULL: none. */
const struct loop_row *loop_row_of(const struct report *r, const struct loop *l,
				   enum loop_kind kind, const char *from, const char *to);

/* What is printed; free() it. */
char *loop_printed(const struct profile *p, enum report_format format, uint32_t width);

/* All percentages of all loops add up, rows and chances. */
void loop_check_sums(const struct report *r);

#endif
