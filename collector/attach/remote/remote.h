// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "collector/attach/attach.h"
#include "collector/clocks/clocks_read.h"
#include "profile/base/proc_maps.h"
#include "include/scprof_attach.h"
#include "profile/profile.h"

/* Where a traced thread is, and what its stop asks for (x86-64). The tracer may be late by any
 * time, so what was true when it last acted says nothing: the registers at each stop do. The table
 * of remote.c has all of it:
 *
 *	own	-> inside	the tracer writes the registers, at the stop that its interrupt made
 *	inside	-> gate		the call is over; the tracer sees it enter rt_sigreturn
 *	inside	-> home		the same, with nobody who stops it there
 *	inside, gate -> own	the tracer writes the first registers, and lets it go
 *
 * Registers are written into a thread that is inside or at the gate, or was just stopped and is
 * borrowed at this stop; never into one that is home. */

enum remote_place {
	REMOTE_OWN,    /* nothing was written into it yet */
	REMOTE_INSIDE, /* in our call, or between it and the gate */
	REMOTE_GATE,   /* on our frame, at the entry of rt_sigreturn or before */
	REMOTE_HOME,   /* it went through, and runs the program's code */
	REMOTE_PLACES
};

enum remote_stop {
	REMOTE_STOP_SIGNAL,  /* to be delivered: somebody sent it, or a timer, or the kernel */
	REMOTE_STOP_FAULT,   /* to be delivered: an instruction of the thread raised it */
	REMOTE_STOP_SIGSTOP, /* to be delivered, and cannot be blocked */
	REMOTE_STOP_GROUP,   /* the process is stopped by a signal */
	REMOTE_STOP_TRAP,    /* our interrupt */
	REMOTE_STOP_CALL,    /* it enters or leaves a system call */
	REMOTE_STOP_EXEC,    /* another program runs in it */
	REMOTE_STOPS
};

enum remote_act {
	REMOTE_ON,	/* it goes on */
	REMOTE_DELIVER, /* it goes on, and gets the signal */
	REMOTE_LATER,	/* the signal is blocked, and goes back to the pending ones as it came */
	REMOTE_REFUSE,	/* let it go: the process is stopped */
	REMOTE_STOPPED, /* what the interrupt was for */
	REMOTE_BROKEN,	/* the call is broken off here; the signal is its own */
	REMOTE_ENTERED, /* at the gate: the call is over */
	REMOTE_LET_GO,	/* let it go, with the signal */
	REMOTE_LOST	/* it is not there any more */
};

/* What was written into the thread. */
struct remote_traces {
	uint64_t ground;	    /* the frame; 0: nothing was written */
	uint64_t nonce;		    /* in NONCE_REGISTER wherever code of ours is not at work */
	uint64_t syscall, restorer; /* the instructions */
	uint64_t area, area_bytes;  /* memory that no other thread uses; 0: none */
};
#define REMOTE_NONCE_REGISTER r12
#define REMOTE_RESTORER_BYTES 9u

/* Proven by program counter, stack pointer and the nonce, a random number. Pure. */
enum remote_place remote_place(const struct remote_traces *t, const struct user_regs_struct *regs);

/* `status`: of waitpid. `code`: si_code of the signal. Pure. */
enum remote_stop remote_stop_kind(int status, int code);

enum remote_act remote_act(enum remote_place place, enum remote_stop stop);

/* Signals that a program's own instructions raise. They are not blocked in a call: a blocked one
 * would kill. */
#define REMOTE_FAULTS                                                                              \
	(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) |                     \
	 1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1))

#define REMOTE_EVENT(status) ((unsigned)(status) >> 16)

/* A thread's state as the kernel would save it for a signal handler (x86-64), so that rt_sigreturn
 * brings it back. The layout is the kernel's ABI (uapi/asm/sigcontext.h, asm/sigframe.h). */

#define SIGFRAME_RED_ZONE   128u
#define SIGFRAME_REGSET_MAX 65536u

struct sigframe_state {
	struct user_regs_struct regs;
	uint64_t mask;	   /* of blocked signals */
	const uint8_t *fp; /* NT_X86_XSTATE; NULL: as a new process has it */
	size_t fp_bytes;
};

/* Bytes that a frame of such a state takes at most, alignment included. */
size_t sigframe_bytes(const struct sigframe_state *s);

/* Build a frame that ends at or below `top`. Its address: there the stack pointer is to point when
 * a function is entered that returns into it, at the word that holds `restorer` (__restore_rt).
 * `to` holds what is to be written from that address up to `top`; it has sigframe_bytes(). */
uint64_t sigframe_build(const struct sigframe_state *s, uint64_t restorer, uint64_t top,
			uint8_t *to);

/* Interrupted calls that the kernel does not restart although nothing happened (epoll_wait,
 * semop, ...): make it do so. Was there something to change? */
bool sigframe_restart_all(struct user_regs_struct *regs);

/* The registers from which an interrupted system call is made again, for a frame: rt_sigreturn
 * restarts none. */
void sigframe_redo_call(struct user_regs_struct *regs);

/* Registers of vector units, x87 and the like as a new process has them; protection keys stay. */
void sigframe_plain_fp(uint8_t *fp, size_t bytes);

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

/* Addresses in the process; 0: it has none. */
struct remote_code {
	uint64_t syscall;  /* syscall; ret */
	uint64_t restorer; /* __restore_rt */
	uint64_t keep;	   /* stores %rax at (%rbx), pops a word, ret */
	uint64_t lock;	   /* that dlopen takes before all else */
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
 * comes by way of the 8 bytes at `result_at` (and code.keep); 0: none is wanted. */
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

/* errno as it was: before calls that return to other ground than remote_ground_again()'s. */
void remote_restore_errno(const struct remote *r);

/* Back to the first state exactly, and running. Also after a failed call. 0; or -1 with *err. Where
 * it has gone home alone nothing is written. */
int remote_restore(struct remote *r, struct profile_error *err);

/* How long a call may take, in milliseconds: then the thread is let go, and ends it by itself. */
#define REMOTE_CALL_MS 5000
#define REMOTE_LOCK_MS 200

static inline uint64_t remote_now_ns(void)
{
	return clocks_read_ns(CLOCK_MONOTONIC);
}

/* Stops of the borrowed thread, for the parts of remote.h. */

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
