// SPDX-License-Identifier: Apache-2.0
/* See slots_entry.h. Up to three arguments are kept over slots_entry_look. */
	.macro	entry name, real
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	call	slots_entry_look
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	movq	\real(%rip), %rax
	jmp	*%rax
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	.globl	slots_entry_dlopen
	.type	slots_entry_dlopen, @function
	.p2align 4
slots_entry_dlopen:
	.cfi_startproc
	endbr64
	movq	(%rsp), %rdx
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	slots_entry_depends
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testb	%al, %al
	je	slots_entry_open
	movq	slots_real_dlopen(%rip), %rax
	jmp	*%rax
	.cfi_endproc
	.size	slots_entry_dlopen, . - slots_entry_dlopen

	entry	slots_entry_dlsym, slots_real_dlsym
	entry	slots_entry_dlvsym, slots_real_dlvsym

	.section .note.GNU-stack, "", @progbits
