// SPDX-License-Identifier: GPL-3.0-or-later
/* What the programs share that others attach to: what is wrong is said on standard output at once,
 * a line each, and counted. */
#ifndef TRIED_H
#define TRIED_H

#include "target.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static atomic_long wrong_count, eintr_count;

/* "wrong WHERE: ...", and the program goes on. */
__attribute__((format(printf, 2, 3))) static inline void wrong(const char *where,
							       const char *format, ...)
{
	char text[200];
	va_list args;
	int kept = errno;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	atomic_fetch_add(&wrong_count, 1);
	say("wrong %s: %s\n", where, text);
	errno = kept;
}

/* A call that no handler of the program can have interrupted. */
static inline void check_not_interrupted(const char *where, long result)
{
	if (result >= 0 || errno != EINTR)
		return;
	atomic_fetch_add(&eintr_count, 1);
	wrong(where, "EINTR, and no signal was sent");
}

static inline double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
