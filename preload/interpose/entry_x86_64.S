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
	.type	syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	endbr64
	cmpl	$__NR_seccomp, %edi
	jae	3f
	cmpl	$__NR_futex, %edi
	je	4f
	cmpl	$__NR_recvmmsg, %edi
	je	entry_recvmmsg
	cmpl	$__NR_sendmmsg, %edi
	je	entry_sendmmsg
	cmpl	$__NR_prctl, %edi
	je	1f
2:	movq	entry_real_syscall(%rip), %rax
	testq	%rax, %rax
	je	sandbox_syscall
	jmp	*%rax
1:	cmpl	$PR_SET_SECCOMP, %esi
	je	sandbox_syscall
	cmpl	$PR_SET_NAME, %esi
	je	sandbox_syscall
	cmpl	$PR_SET_TSC, %esi
	je	sandbox_syscall
	jmp	2b
3:	je	sandbox_syscall
	cmpl	$__NR_rseq, %edi
	jne	2b
	jmp	sandbox_syscall
4:	movl	%edx, %eax
	andl	$FUTEX_COMMAND, %eax
	cmpl	$FUTEX_LAST, %eax
	ja	2b
	movl	$FUTEX_WAITS, %r11d
	btl	%eax, %r11d
	jc	entry_futex
	jmp	2b
	.cfi_endproc
	.size	syscall, . - syscall

	.globl	prctl
	.type	prctl, @function
	.p2align 4
prctl:
	.cfi_startproc
	endbr64
	cmpl	$PR_SET_SECCOMP, %edi
	je	sandbox_prctl
	cmpl	$PR_SET_NAME, %edi
	je	sandbox_prctl
	cmpl	$PR_SET_TSC, %edi
	je	sandbox_prctl
	movq	entry_real_prctl(%rip), %rax
	testq	%rax, %rax
	je	sandbox_prctl
	jmp	*%rax
	.cfi_endproc
	.size	prctl, . - prctl

	.section .note.GNU-stack, "", @progbits
