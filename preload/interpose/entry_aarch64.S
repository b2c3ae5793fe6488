// SPDX-License-Identifier: Apache-2.0
/* syscall() and prctl() without a frame of ours; see sandbox.c. Arguments stay
 * where they are. The few calls that matter to us, and calls before the originals
 * are known, go through C; so do those that are recorded (wrappers.c). */
#include <asm/unistd.h>

/* WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2 of futex(2) */
#define FUTEX_COMMAND 127
#define FUTEX_LAST 13
#define FUTEX_WAITS 0x2a41
#define PR_SET_NAME 15
#define PR_SET_SECCOMP 22
#define PR_SET_TSC 26

	.text
	.globl	syscall
	.type	syscall, %function
	.p2align 4
syscall:
	.cfi_startproc
	hint	#34 /* bti c */
	cmp	x0, #__NR_seccomp
	b.hs	4f
	cmp	x0, #__NR_futex
	b.eq	5f
	cmp	x0, #__NR_recvmmsg
	b.eq	entry_recvmmsg
	cmp	x0, #__NR_sendmmsg
	b.eq	entry_sendmmsg
	cmp	x0, #__NR_prctl
	b.eq	1f
2:	adrp	x16, entry_real_syscall
	ldr	x16, [x16, :lo12:entry_real_syscall]
	cbz	x16, 3f
	br	x16
1:	cmp	x1, #PR_SET_SECCOMP
	b.eq	3f
	cmp	x1, #PR_SET_NAME
	b.eq	3f
	cmp	x1, #PR_SET_TSC
	b.ne	2b
3:	b	sandbox_syscall
4:	b.eq	sandbox_syscall
	cmp	x0, #__NR_rseq
	b.eq	sandbox_syscall
	b	2b
5:	and	w16, w2, #FUTEX_COMMAND
	cmp	w16, #FUTEX_LAST
	b.hi	2b
	mov	w17, #FUTEX_WAITS
	lsr	w17, w17, w16
	tbz	w17, #0, 2b
	b	entry_futex
	.cfi_endproc
	.size	syscall, . - syscall

	.globl	prctl
	.type	prctl, %function
	.p2align 4
prctl:
	.cfi_startproc
	hint	#34 /* bti c */
	cmp	w0, #PR_SET_SECCOMP
	b.eq	4f
	cmp	w0, #PR_SET_NAME
	b.eq	4f
	cmp	w0, #PR_SET_TSC
	b.eq	4f
	adrp	x16, entry_real_prctl
	ldr	x16, [x16, :lo12:entry_real_prctl]
	cbz	x16, 4f
	br	x16
4:	b	sandbox_prctl
	.cfi_endproc
	.size	prctl, . - prctl

#include "landing_pads.S"
