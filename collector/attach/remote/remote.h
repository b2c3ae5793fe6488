// SPDX-License-Identifier: GPL-3.0-or-later
/* One thread of another process, borrowed by ptrace (x86-64). The process that calls this is the
 * tracer: whatever ends it lets go of the thread, which then returns to what it did by itself.
 *
 *	remote_open()	the process: no thread is touched
 *	remote_stop()	one thread: remote_let_go(), or
 *	remote_ground()	its state lies in a frame from now on; calls may follow
 *	remote_call(), remote_syscall()
 *	remote_restore()	as it was, and running
 *	remote_close()
 *
 * The tracer may be stopped for any time between any two of its steps. The thread may have gone
 * home meanwhile: then tid is 0 after the next step, and nothing was written into it. */
#ifndef SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_H
#define SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/attach.h"
#include "collector/attach/remote/remote_place.h"
#include "collector/attach/remote/sigframe.h"
#include "profile/profile.h"

/* Addresses in the process; 0: it has none. */
struct remote_code {
	uint64_t syscall;  /* syscall; ret */
	uint64_t restorer; /* __restore_rt */
	uint64_t keep;	   /* stores %rax at (%rbx), pops keep_words words, ret */
	uint32_t keep_words;
	uint64_t lock; /* that dlopen takes before all else */
};

#define REMOTE_GIVEN_UP 128u

struct remote {
	struct attach_target target;
	int memory; /* of the process, as it was when this began: not of what it executes later */
	struct remote_code code;

	pid_t tid;		     /* borrowed; 0: none */
	struct remote_traces traces; /* of what was written into it; .area also for the next one */
	struct sigframe_state was;
	uint8_t fp[SIGFRAME_REGSET_MAX];
	uint64_t call;	   /* that restart_syscall continues; 0: it is not in that */
	bool unknown_call; /* it is, and in which cannot be told: a frame would end it with EINTR */
	uint64_t errno_at; /* 0: not known */
	uint32_t errno_was;
	bool held;	 /* it was taken where its first system call can go on as it would have */
	bool lock_taken; /* a call was given up: another thread keeps the lock */
	uint64_t stopped_at_ns;
	double longest_ms, total_ms;	 /* threads held up */
	pid_t given_up[REMOTE_GIVEN_UP]; /* threads that did not stop yet; 0: none */
};

/* Open a process. 0; or -1 with *err. */
int remote_open(struct remote *r, const struct attach_target *t, struct profile_error *err);

/* Let go of all that did not stop in time, each where it stops; for `limit_ms` at most. */
void remote_close(struct remote *r, int limit_ms);

/* Pause. Those that stop meanwhile are let go at once. No thread is borrowed. */
void remote_rest(struct remote *r, int limit_ms);

bool remote_read(const struct remote *r, uint64_t at, void *to, size_t bytes);
bool remote_write(const struct remote *r, uint64_t at, const void *from, size_t bytes);

enum remote_result {
	REMOTE_FINE,
	REMOTE_PASSED, /* this thread cannot be had now: another one may. *why is set */
	REMOTE_FAILED  /* the process: *err is set */
};

/* Stop a thread in user code or in an interrupted system call, within `limit_ms`, and read its
 * state. */
enum remote_result remote_stop(struct remote *r, pid_t tid, int limit_ms, const char **why,
			       struct profile_error *err);

/* Let it go on. Its state is what it was, or leads home. */
void remote_let_go(struct remote *r);

/* Write its state as a frame below `top`, and make it return by that from whatever follows.
 * Signals are blocked then. */
enum remote_result remote_ground(struct remote *r, uint64_t top, struct profile_error *err);

/* The frame once more, below `top`, and below it one that sets errno as it was. For calls from then
 * on; the earlier place is free after the first one. */
enum remote_result remote_ground_again(struct remote *r, uint64_t top, uint64_t futex,
				       struct profile_error *err);

/* Call a function of the process with two arguments, on the stack below the ground. Where it waits
 * for the lock for REMOTE_LOCK_MS it is given up, and holds nothing then. The result
 * comes by way of the 8 bytes at `result_at`; 0: none is wanted. */
int remote_call(struct remote *r, uint64_t function, const uint64_t arguments[2],
		uint64_t result_at, struct profile_error *err);
/* Call one of the library's functions, which ends in a wait for us (include/scprof_attach.h): no
 * system call is stopped before that. `state`: of the library. Where we come too late for it the
 * thread has gone home alone, and tid is 0. */
int remote_call_held(struct remote *r, uint64_t function, const uint64_t arguments[2],
		     uint64_t state, struct profile_error *err);

/* A system call; *result as the kernel gives it. */
int remote_syscall(struct remote *r, long number, const uint64_t arguments[6], int64_t *result,
		   struct profile_error *err);

/* errno as it was: before calls that return to another ground than that of remote_ground_again().
 */
void remote_restore_errno(const struct remote *r);

/* Back to the first state exactly, and running. Also after a failed call. 0; or -1 with *err. Where
 * it has gone home alone nothing is written. */
int remote_restore(struct remote *r, struct profile_error *err);

/* How long a call may take, in milliseconds: then the thread is let go, and ends it by itself. */
#define REMOTE_CALL_MS 5000
#define REMOTE_LOCK_MS 200

uint64_t remote_now_ns(void); /* CLOCK_MONOTONIC */

#endif
