// SPDX-License-Identifier: GPL-3.0-or-later
/* The clock of all waiting and all limits of time in serve/. */
#ifndef SCPROF_REPORT_SERVE_MONOTONIC_H
#define SCPROF_REPORT_SERVE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

#define MONOTONIC_SECOND_NS UINT64_C(1000000000)

static inline struct timespec monotonic_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / MONOTONIC_SECOND_NS),
				 .tv_nsec = (long)(ns % MONOTONIC_SECOND_NS)};
}

/* CLOCK_MONOTONIC, in ns. */
static inline uint64_t monotonic_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * MONOTONIC_SECOND_NS + (uint64_t)t.tv_nsec;
}

#endif
