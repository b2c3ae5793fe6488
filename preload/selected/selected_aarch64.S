// SPDX-License-Identifier: Apache-2.0
/* scprof_chosen_call: what the stubs of selected functions jump to, x16 the symbol's record.
 * Every register that may hold an argument is kept for the original (Procedure Call Standard for
 * the Arm 64-bit Architecture, 6.8): x0 .. x7, x8 (where a large result is to go), the first
 * words of the stack; and q0 .. q7 wherever something runs that could use them. Results
 * likewise: they lie in the same registers. No other register is changed but those that
 * any call may change on its way (x9 .. x17), so functions in streaming mode, and
 * static chains (x18), work as long as no slow step is taken.
 *
 * The frame: a frame record at x29, so that it can be unwound from anywhere; below it, at
 * x29 - 8, the address of struct selected_frame. The return address is not signed: the original
 * returns to us, and selected_call_begin reads it. */
#define STACK	 0
#define X0	 256
#define X8	 320
#define SYMBOL	 336
#define REAL	 344
#define BEGAN_AT 352
#define ENDED_AT 360
#define STEP	 368
#define CALLER	 512
#define WORDS	 520
#define FRAME	 528
#define VECTORS	 128 /* q0 .. q7, below the frame */

#define SELECTED_TSC  1
#define SELECTED_SLOW 3
#define SELECTED_LARGE 4

#define BTI_C hint #34 /* where an indirect call or jump may arrive */

	.macro	each_general op, frame=sp
	\op	x0, x1, [\frame, #X0]
	\op	x2, x3, [\frame, #X0 + 16]
	\op	x4, x5, [\frame, #X0 + 32]
	\op	x6, x7, [\frame, #X0 + 48]
	.endm

	.macro	each_vector op
	\op	q0, q1, [sp]
	\op	q2, q3, [sp, #32]
	\op	q4, q5, [sp, #64]
	\op	q6, q7, [sp, #96]
	.endm

	/* function(frame), with the vector registers kept. */
	.macro	call_slow function
	ldr	x0, [x29, #-8]
	sub	sp, sp, #VECTORS
	each_vector stp
	bl	\function
	each_vector ldp
	add	sp, sp, #VECTORS
	.endm

	.section scprof_recorded, "ax", %progbits
	.globl	scprof_chosen_call
	.type	scprof_chosen_call, %function
	.p2align 6
scprof_chosen_call:
chosen_call: /* not by the linkage table, which changes x16 */
	.cfi_startproc
	.cfi_personality 0x1b, selected_call_personality
	BTI_C
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	sub	sp, sp, #(FRAME + 16)
	mov	x9, sp
	str	x9, [x29, #-8]
	each_general stp
	str	x8, [sp, #X8]
	str	x16, [sp, #SYMBOL]
	str	x29, [sp, #CALLER]
	mov	x0, sp
	bl	selected_call_begin
	cmp	w0, #SELECTED_SLOW
	b.hs	begin_otherwise
begun:
	str	w0, [sp, #STEP]
	ldr	x16, [sp, #REAL]
	cmp	w0, #SELECTED_TSC
	b.lo	pass
	b.ne	1f
	isb /* the call_fast_clock_begin of the counter */
	mrs	x10, cntvct_el0
	isb
	str	x10, [sp, #BEGAN_AT]
1:	each_general ldp
	ldr	x8, [sp, #X8]
	blr	x16
called:
	ldr	w9, [sp, #STEP]
	cmp	w9, #SELECTED_TSC
	b.ne	1f
	isb
	mrs	x10, cntvct_el0
	str	x10, [sp, #ENDED_AT]
1:	each_general stp
	mov	x0, sp
	bl	selected_call_end
	cmp	w0, #SELECTED_SLOW
	b.eq	end_slow
ended:
	each_general ldp
	mov	sp, x29
	.cfi_def_cfa_register 31
	.cfi_remember_state
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	.cfi_restore 30
	ret
	.cfi_restore_state
	.cfi_def_cfa_register 29

pass:	/* nothing of ours is left when the original runs */
	each_general ldp
	ldr	x8, [sp, #X8]
	mov	sp, x29
	.cfi_def_cfa_register 31
	.cfi_remember_state
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	.cfi_restore 30
	br	x16
	.cfi_restore_state
	.cfi_def_cfa_register 29

begin_otherwise:
	b.hi	large
	call_slow selected_call_begin_slow
	cmp	w0, #SELECTED_LARGE
	b.ne	begun

large:	/* more stack arguments than the frame has room for: below it */
	ldr	x10, [sp, #WORDS]
	add	x11, x29, #16
	add	x12, x10, #1
	lsl	x12, x12, #3
	and	x12, x12, #-16
	sub	sp, sp, x12
	mov	x12, sp
1:	ldr	x13, [x11], #8
	str	x13, [x12], #8
	subs	x10, x10, #1
	b.ne	1b
	call_slow selected_call_start
	ldr	x9, [x29, #-8]
	str	w0, [x9, #STEP]
	cmp	w0, #SELECTED_TSC
	b.ne	1f
	isb
	mrs	x11, cntvct_el0
	isb
	str	x11, [x9, #BEGAN_AT]
1:	each_general ldp, x9
	ldr	x8, [x9, #X8]
	ldr	x16, [x9, #REAL]
	blr	x16
	ldr	x9, [x29, #-8]
	mov	sp, x9
	b	called

end_slow:
	call_slow selected_call_end_slow
	b	ended
	.cfi_endproc
	.size	scprof_chosen_call, . - scprof_chosen_call

	.globl	selected_scratch_stub
	.hidden	selected_scratch_stub
	.type	selected_scratch_stub, %function
	.p2align 4
selected_scratch_stub: /* as those of stub objects */
	.cfi_startproc
	BTI_C
	adrp	x16, selected_call_scratch
	add	x16, x16, #:lo12:selected_call_scratch
	b	chosen_call
	.cfi_endproc
	.size	selected_scratch_stub, . - selected_scratch_stub

/* dlsym, for stub objects. RTLD_DEFAULT (0) finds stubs by itself, and RTLD_NEXT (-1) looks
 * at its caller: they go on to libc's with the return address as it is. */
	.globl	scprof_chosen_dlsym
	.type	scprof_chosen_dlsym, %function
	.p2align 4
scprof_chosen_dlsym:
	.cfi_startproc
	BTI_C
	add	x9, x0, #1
	cmp	x9, #1
	b.hi	selected_dlsym
	adrp	x16, selected_libc_dlsym
	ldr	x16, [x16, #:lo12:selected_libc_dlsym]
	cbz	x16, 1f
	br	x16
1:	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	bl	selected_real_dlsym
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	.cfi_restore 30
	br	x16
	.cfi_endproc
	.size	scprof_chosen_dlsym, . - scprof_chosen_dlsym

#include "landing_pads.S"
