// SPDX-License-Identifier: Apache-2.0
/* scprof_chosen_call: what the stubs of selected functions jump to, %r11 the symbol's record.
 * Every register that may hold an argument is kept for the original (System V ABI, AMD64
 * supplement, 3.2.3): six general ones, %al of variadic calls, %r10 (static chain); the
 * first words of the stack; and the vector registers wherever something runs that could
 * use them. Results likewise: %rax, %rdx, vectors 0 and 1; the x87 stack is not touched.
 *
 * The frame: %rbp, so that it can be unwound from anywhere; at -8(%rbp) the address of
 * struct selected_frame, which is aligned as vectors on the stack may have to be. */
#define STACK	 0
#define RDI	 256
#define RSI	 264
#define RDX	 272
#define RCX	 280
#define R8	 288
#define R9	 296
#define RAX	 304
#define R10	 312
#define SYMBOL	 320
#define REAL	 328
#define BEGAN_AT 336
#define ENDED_AT 344
#define STEP	 352
#define VECTORS	 356
#define CALLER	 496
#define WORDS	 504
#define FRAME	 512
#define FRAME_OFFSET 512 /* of the frame, while the vectors lie below it */

#define SELECTED_TSC  1
#define SELECTED_SLOW 3
#define SELECTED_LARGE 4

	.macro	each_register op, kind, count, store
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	.if	\n < \count
	.if	\store
	\op	%\kind\n, 64*\n(%rsp)
	.else
	\op	64*\n(%rsp), %\kind\n
	.endif
	.endif
	.endr
	.endm

/* Vector registers 0 .. 7 (or 0 and 1) of the width that is in use, to (%rsp) or from there. %r11:
 * the frame. */
	.macro	each_vector count, store
	cmpl	$1, VECTORS(%r11)
	ja	3f
	je	2f
	each_register movups, xmm, \count, \store
	jmp	4f
2:	each_register vmovdqu, ymm, \count, \store
	jmp	4f
3:	each_register vmovdqu64, zmm, \count, \store
4:
	.endm

	/* function(frame), with as many of these kept. %r11 is the frame afterwards. */
	.macro call_slow function, count
	subq	$FRAME_OFFSET, %rsp
	movq	-8(%rbp), %r11
	each_vector \count, 1
	movq	%r11, %rdi
	call	\function
	movq	-8(%rbp), %r11
	each_vector \count, 0
	addq	$FRAME_OFFSET, %rsp
	.endm

	.section scprof_recorded, "ax", @progbits
	.globl	scprof_chosen_call
	.type	scprof_chosen_call, @function
	.p2align 6
scprof_chosen_call:
	.cfi_startproc
	.cfi_personality 0x1b, selected_call_personality
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$(FRAME + 8), %rsp
	andq	$-64, %rsp
	movq	%rsp, -8(%rbp)
	movq	%rdi, RDI(%rsp)
	movq	%rsi, RSI(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rcx, RCX(%rsp)
	movq	%r8, R8(%rsp)
	movq	%r9, R9(%rsp)
	movq	%rax, RAX(%rsp)
	movq	%r10, R10(%rsp)
	movq	%r11, SYMBOL(%rsp)
	movq	%rbp, CALLER(%rsp)
	movq	%rsp, %rdi
	call	selected_call_begin
	cmpl	$SELECTED_SLOW, %eax
	jae	begin_otherwise
begun:
	movl	%eax, STEP(%rsp)
	movq	RDI(%rsp), %rdi
	movq	RSI(%rsp), %rsi
	movq	RCX(%rsp), %rcx
	movq	R8(%rsp), %r8
	movq	R9(%rsp), %r9
	movq	R10(%rsp), %r10
	movq	REAL(%rsp), %r11
	cmpl	$SELECTED_TSC, %eax
	jb	pass
	jne	1f
	lfence /* the call_fast_clock_begin of the counter */
	rdtsc
	lfence
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, BEGAN_AT(%rsp)
1:	movq	RDX(%rsp), %rdx
	movq	RAX(%rsp), %rax
	call	*%r11
called:
	cmpl	$SELECTED_TSC, STEP(%rsp)
	movq	%rax, RAX(%rsp)
	movq	%rdx, RDX(%rsp)
	jne	1f
	lfence
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, ENDED_AT(%rsp)
1:	movq	%rsp, %rdi
	call	selected_call_end
	cmpl	$SELECTED_SLOW, %eax
	je	end_slow
ended:
	movq	RAX(%rsp), %rax
	movq	RDX(%rsp), %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_restore_state

pass:	/* nothing of ours is left when the original runs */
	movq	RDX(%rsp), %rdx
	movq	RAX(%rsp), %rax
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	jmp	*%r11
	.cfi_restore_state

begin_otherwise:
	ja	large
	call_slow selected_call_begin_slow, 8
	cmpl	$SELECTED_LARGE, %eax
	jne	begun

large:	/* more stack arguments than the frame has room for: below it */
	movq	WORDS(%rsp), %rcx
	movq	CALLER(%rsp), %rsi
	addq	$16, %rsi
	leaq	63(,%rcx,8), %rax
	andq	$-64, %rax
	subq	%rax, %rsp
	movq	%rsp, %rdi
	rep movsq
	call_slow selected_call_start, 8
	movl	%eax, STEP(%r11)
	movq	RDI(%r11), %rdi
	movq	RSI(%r11), %rsi
	movq	RCX(%r11), %rcx
	movq	R8(%r11), %r8
	movq	R9(%r11), %r9
	movq	R10(%r11), %r10
	cmpl	$SELECTED_TSC, %eax
	jne	1f
	lfence /* the call_fast_clock_begin of the counter */
	rdtsc
	lfence
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, BEGAN_AT(%r11)
1:	movq	RDX(%r11), %rdx
	movq	RAX(%r11), %rax
	call	*REAL(%r11)
	movq	-8(%rbp), %rsp
	jmp	called

end_slow:
	call_slow selected_call_end_slow, 2
	jmp	ended
	.cfi_endproc
	.size	scprof_chosen_call, . - scprof_chosen_call

	.globl	selected_scratch_stub
	.hidden	selected_scratch_stub
	.type	selected_scratch_stub, @function
	.p2align 4
selected_scratch_stub: /* as those of stub objects */
	.cfi_startproc
	endbr64
	leaq	selected_call_scratch(%rip), %r11
	jmp	scprof_chosen_call
	.cfi_endproc
	.size	selected_scratch_stub, . - selected_scratch_stub

/* dlsym, for stub objects. RTLD_DEFAULT (0) finds stubs by itself, and RTLD_NEXT (-1) looks
 * at its caller: they go on to libc's with the return address as it is. */
	.globl	scprof_chosen_dlsym
	.type	scprof_chosen_dlsym, @function
	.p2align 4
scprof_chosen_dlsym:
	.cfi_startproc
	endbr64
	leaq	1(%rdi), %rax
	cmpq	$1, %rax
	ja	selected_dlsym
	movq	selected_libc_dlsym(%rip), %rax
	testq	%rax, %rax
	je	1f
	jmp	*%rax
1:	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	selected_real_dlsym
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	scprof_chosen_dlsym, . - scprof_chosen_dlsym

	.section .note.GNU-stack, "", @progbits
