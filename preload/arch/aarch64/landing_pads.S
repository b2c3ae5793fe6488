// SPDX-License-Identifier: Apache-2.0
/* At the end of an assembly source: its indirect jumps arrive at landing pads (BTI). Where
 * all objects say so, the loader makes the processor check it. */
	.section .note.GNU-stack, "", %progbits
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5 /* NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.long	0xc0000000, 4, 1, 0 /* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI */
