// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a traced thread is, and what its stop asks for (x86-64). The tracer may be late by any
 * time, so what was true when it last acted says nothing: the registers at each stop do. The table
 * of remote_place.c has all of it:
 *
 *	own	-> inside	the tracer writes the registers, at the stop that its interrupt made
 *	inside	-> gate		the call is over; the tracer sees it enter rt_sigreturn
 *	inside	-> home		the same, with nobody who stops it there
 *	inside, gate -> own	the tracer writes the first registers, and lets it go
 *
 * Registers are written into a thread that is inside or at the gate, or was just stopped and is
 * borrowed at this stop; never into one that is home. */
#ifndef SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_PLACE_H
#define SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

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

#endif
