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
	.type	slots_entry_to, %object
	.p2align 4
slots_entry_to:
	.zero	48
	.size	slots_entry_to, 48

	.macro	pointer register, at
	adrp	\register, slots_entry_to
	add	\register, \register, :lo12:slots_entry_to
	ldr	\register, [\register, #\at]
	.endm

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
	pointer	x16, LOOK
	blr	x16
	ldr	x2, [sp, #32]
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #48
	.cfi_adjust_cfa_offset -48
	.cfi_restore x29
	.cfi_restore x30
	hint	#29 /* autiasp */
	.cfi_negate_ra_state
	pointer	x16, \real
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
	pointer	x16, DEPENDS
	blr	x16
	mov	w17, w0
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_adjust_cfa_offset -32
	.cfi_restore x29
	.cfi_restore x30
	hint	#29 /* autiasp */
	.cfi_negate_ra_state
	tst	w17, #255
	b.eq	1f
	pointer	x16, DLOPEN
	br	x16
1:	pointer	x16, OPEN
	br	x16
	.cfi_endproc
	.size	slots_entry_dlopen, . - slots_entry_dlopen

	entry	slots_entry_dlsym, DLSYM
	entry	slots_entry_dlvsym, DLVSYM

#include "landing_pads.S"
