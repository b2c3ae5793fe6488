// SPDX-License-Identifier: Apache-2.0
/* Relocations that bind by symbol, and words that wait for lazy binding: ELF for the Arm 64-bit
 * Architecture (AAELF64), 5.7.11, and its example of a procedure linkage table. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#define ARCH_RELOC_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define ARCH_RELOC_GLOB_DAT  R_AARCH64_GLOB_DAT
#define ARCH_RELOC_WORD	     R_AARCH64_ABS64

/* Enough of a linkage table's head for arch_slot_is_unbound. */
#define ARCH_SLOT_CODE_BYTES 8u

/* `code`: where the word points to. Is it the head of the table, which all entries lead to whose
 * function is not known yet? */
static inline bool arch_slot_is_unbound(const uint8_t *code, uint64_t index)
{
	uint32_t word[2] = {0, 0};
	(void)index;
	for (unsigned i = 0; i < 8; i++)
		word[i / 4] |= (uint32_t)code[i] << 8 * (i % 4);
	/* bti c, where there is one; stp x16, x30, [sp, #-16]! */
	return word[word[0] == 0xd503245fu] == 0xa9bf7bf0u;
}
