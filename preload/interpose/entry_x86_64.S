// SPDX-License-Identifier: Apache-2.0
/* syscall() and prctl() without a frame of ours; see sandbox.c. Arguments stay
 * where they are. The few calls that matter to us, and calls before the originals
 * are known, go through C. */
#define SYS_PRCTL 157
#define SYS_SECCOMP 317
#define SYS_RSEQ 334
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
	cmpl	$SYS_SECCOMP, %edi
	jae	3f
	cmpl	$SYS_PRCTL, %edi
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
	cmpl	$SYS_RSEQ, %edi
	jne	2b
	jmp	sandbox_syscall
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
