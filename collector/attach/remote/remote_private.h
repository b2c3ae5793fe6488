// SPDX-License-Identifier: GPL-3.0-or-later
/* Stops of the borrowed thread, for the parts of remote.h. */
#ifndef SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_PRIVATE_H
#define SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_PRIVATE_H

#include "collector/attach/remote/remote.h"

/* A stop, as it was when it was looked at. */
struct remote_seen {
	int signal; /* that stopped it; 0: another stop */
	enum remote_place place;
	enum remote_act act;
	struct user_regs_struct regs;
};

enum remote_wait { REMOTE_SEEN, REMOTE_NOT_YET, REMOTE_ENDED };

/* Wait until the borrowed thread stops, at most `limit_ms`. Other threads that stop late are let
 * go. */
enum remote_wait remote_wait(struct remote *r, int limit_ms, struct remote_seen *seen);

/* Go on from that stop as seen->act says, which is none of those that let go. `request`:
 * PTRACE_CONT or PTRACE_SYSCALL. */
bool remote_go_on(struct remote *r, int request, const struct remote_seen *seen);

/* Let go of it at that stop, as seen->act says: with the signal, if it is the thread's own. */
void remote_let_go_at(struct remote *r, const struct remote_seen *seen);

/* Have it stop on its way to user code, and wait for that; `running`: it is not stopped now. Then
 * seen->act is REMOTE_STOPPED, or REMOTE_BROKEN; or it was let go at home, and tid is 0.
 * REMOTE_PASSED: it does not stop in time. */
enum remote_result remote_interrupt(struct remote *r, bool running, int limit_ms,
				    struct remote_seen *seen, struct profile_error *err);

/* Wait for that once more. */
enum remote_result remote_until_stopped(struct remote *r, int limit_ms, struct remote_seen *seen,
					struct profile_error *err);

/* It did not stop in time. remote_wait() and remote_close() let go of it. */
void remote_give_up(struct remote *r);

/* A thread that was given up before it stopped, with the status that waitpid had of it. */
void remote_let_go_late(struct remote *r, pid_t tid, int status);

bool remote_registers(pid_t tid, struct user_regs_struct *regs);
bool remote_set_registers(pid_t tid, const struct user_regs_struct *regs);
bool remote_set_fp(pid_t tid, void *fp, size_t bytes);
bool remote_set_mask(pid_t tid, uint64_t mask);

/* It ended, or executes another program: tid is 0. -1 with *err. */
int remote_gone(struct remote *r, struct profile_error *err);

/* The registers from which it goes home alone. */
struct user_regs_struct remote_at_ground(const struct remote *r);

#endif
