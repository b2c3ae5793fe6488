// SPDX-License-Identifier: Apache-2.0
/* Names that the library in the target and the tool must agree on. */
#ifndef SCPROF_NAMES_H
#define SCPROF_NAMES_H

#include "include/scprof_format.h"

/* Elements of an array of texts, by enum scp_outcome, and scp_clock_kind. */
#define SCP_OUTCOME_NAMES                                                                          \
	[SCP_COMPLETED] = "completed", [SCP_WOULD_BLOCK] = "would-block",                          \
	[SCP_TIMEOUT] = "timeout", [SCP_ERROR] = "error", [SCP_PEEK] = "peek",                     \
	[SCP_EXCEPTION] = "exception"
#define SCP_CLOCK_NAMES                                                                            \
	[SCP_CLOCK_NONE] = "none", [SCP_CLOCK_TSC] = "tsc", [SCP_CLOCK_COARSE] = "coarse",         \
	[SCP_CLOCK_MONOTONIC] = "monotonic", [SCP_CLOCK_PAGE] = "page",                            \
	[SCP_CLOCK_THREAD_CPU] = "thread-cpu", [SCP_CLOCK_DUAL] = "dual"

/* Functions of libc whose whole work is to wait for others. Locks, which protect work, and reading
 * or writing, of which waiting is only a part, are not among them. */
#define SCP_WAITING_NAMES                                                                          \
	"accept", "accept4", "clock_nanosleep", "nanosleep", "sleep", "thrd_sleep", "usleep",      \
		"pause", "sigsuspend", "sigtimedwait", "sigwait", "sigwaitinfo", "wait", "wait3",  \
		"wait4", "waitid", "waitpid", "cnd_timedwait", "cnd_wait",                         \
		"pthread_cond_clockwait", "pthread_cond_timedwait", "pthread_cond_wait",           \
		"pthread_barrier_wait", "sem_clockwait", "sem_timedwait", "sem_wait",              \
		"pthread_clockjoin_np", "pthread_join", "pthread_timedjoin_np", "thrd_join"

#endif
