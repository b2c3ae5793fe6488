// SPDX-License-Identifier: Apache-2.0
/* See slots_entry.h. Up to three arguments are kept over slots_entry_look. */
	.macro	entry name, real
	.globl	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint	#25 /* paciasp, a landing pad as well */
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-48]!
	.cfi_adjust_cfa_offset 48
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	str	x2, [sp, #32]
	bl	slots_entry_look
	ldr	x2, [sp, #32]
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #48
	.cfi_adjust_cfa_offset -48
	.cfi_restore x29
	.cfi_restore x30
	hint	#29 /* autiasp */
	.cfi_negate_ra_state
	adrp	x16, \real
	ldr	x16, [x16, :lo12:\real]
	br	x16
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	.globl	slots_entry_dlopen
	.type	slots_entry_dlopen, %function
	.p2align 4
slots_entry_dlopen:
	.cfi_startproc
	hint	#34 /* bti c */
	mov	x2, x30
	hint	#25 /* paciasp */
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	bl	slots_entry_depends
	mov	w17, w0
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_adjust_cfa_offset -32
	.cfi_restore x29
	.cfi_restore x30
	hint	#29 /* autiasp */
	.cfi_negate_ra_state
	tst	w17, #255
	b.eq	slots_entry_open
	adrp	x16, slots_real_dlopen
	ldr	x16, [x16, :lo12:slots_real_dlopen]
	br	x16
	.cfi_endproc
	.size	slots_entry_dlopen, . - slots_entry_dlopen

	entry	slots_entry_dlsym, slots_real_dlsym
	entry	slots_entry_dlvsym, slots_real_dlvsym

#include "landing_pads.S"
