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
	entry	slots_entry_dlsym, slots_real_dlsym
	entry	slots_entry_dlvsym, slots_real_dlvsym

#include "landing_pads.S"
