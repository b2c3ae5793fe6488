// SPDX-License-Identifier: Apache-2.0
/* See slots.h. Up to three arguments are kept while new objects are looked through. */
#define DLSYM	0
#define DLVSYM	8
#define DLOPEN	16
#define LOOK	24
#define DEPENDS 32
#define OPEN	40

	.bss
	.globl	slots_entry_to
	.hidden	slots_entry_to
	.type	slots_entry_to, @object
	.p2align 4
slots_entry_to:
	.zero	48
	.size	slots_entry_to, 48

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
	call	*LOOK+slots_entry_to(%rip)
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*\real+slots_entry_to(%rip)
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
	call	*DEPENDS+slots_entry_to(%rip)
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testb	%al, %al
	je	1f
	jmp	*DLOPEN+slots_entry_to(%rip)
1:	jmp	*OPEN+slots_entry_to(%rip)
	.cfi_endproc
	.size	slots_entry_dlopen, . - slots_entry_dlopen

	entry	slots_entry_dlsym, DLSYM
	entry	slots_entry_dlvsym, DLVSYM

	.section .note.GNU-stack, "", @progbits
