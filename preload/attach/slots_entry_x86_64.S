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
	entry	slots_entry_dlsym, slots_real_dlsym
	entry	slots_entry_dlvsym, slots_real_dlvsym

	.section .note.GNU-stack, "", @progbits
