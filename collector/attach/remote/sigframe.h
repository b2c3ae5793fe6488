// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread's state as the kernel would save it for a signal handler (x86-64), so that rt_sigreturn
 * brings it back. The layout is the kernel's ABI (uapi/asm/sigcontext.h, asm/sigframe.h). */
#ifndef SCPROF_COLLECTOR_ATTACH_REMOTE_SIGFRAME_H
#define SCPROF_COLLECTOR_ATTACH_REMOTE_SIGFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#define SIGFRAME_RED_ZONE   128u
#define SIGFRAME_REGSET_MAX 65536u

struct sigframe_state {
	struct user_regs_struct regs;
	uint64_t mask;	   /* of blocked signals */
	const uint8_t *fp; /* NT_X86_XSTATE; NULL: as a new process has it */
	size_t fp_bytes;
	bool small; /* no room for matrix registers that the thread may have asked for, and left
		       empty */
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

#endif
