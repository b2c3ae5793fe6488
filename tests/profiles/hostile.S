/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library whose symbols have names that try to break the formats they are
 * printed in. objcopy gives them (tests/build.mk): no assembler writes
 * them all. */
	.text
.macro hostile name
	.globl	\name
	.type	\name, @function
\name:
	nop
	nop
	nop
	nop
	nop
	nop
	ret
	.size	\name, . - \name
	.balign	16, 0x90
.endm
	hostile hostile_0
	hostile hostile_1
	hostile hostile_2
	hostile hostile_3
	hostile hostile_4
	hostile hostile_5
	hostile hostile_6
	.section .note.GNU-stack, "", @progbits
