// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SCPROF_COLLECTOR_ATTACH_REMOTE_PRIVATE_H
#define SCPROF_COLLECTOR_ATTACH_REMOTE_PRIVATE_H

#include "collector/attach/remote.h"

/* Wait until the borrowed thread stops, at most `limit_ms`. Its status; 0: it did not, in time; -1:
 * it is gone. Other threads that stop late are let go. */
int remote_wait(struct remote *r, int limit_ms);

bool remote_registers(pid_t tid, struct user_regs_struct *regs);
bool remote_set_registers(pid_t tid, const struct user_regs_struct *regs);
bool remote_set_fp(pid_t tid, void *fp, size_t bytes);
bool remote_set_mask(pid_t tid, uint64_t mask);

#define REMOTE_EVENT(status) ((unsigned)(status) >> 16)

/* Have the thread stop on its way to user code, and wait for that. Signals are delivered on the
 * way; where it was `stopped` in a call of ours those of faults are not. REMOTE_PASSED: it does not
 * stop in time. */
enum remote_result remote_interrupt(struct remote *r, bool stopped, int limit_ms,
				    struct profile_error *err);

int remote_gone(const struct remote *r, struct profile_error *err);

/* The signals that a program's own instructions raise. */
#define REMOTE_FAULTS                                                                              \
	(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) |                     \
	 1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1))

#endif
