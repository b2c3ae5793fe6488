// SPDX-License-Identifier: Apache-2.0
/* Relocations that bind by symbol, and words that wait for lazy binding: System V ABI, AMD64
 * supplement, 4.4.1 and 5.2. */
#pragma once

#include <elf.h>
#include <stdbool.h>

#define ARCH_RELOC_JUMP_SLOT R_X86_64_JUMP_SLOT
#define ARCH_RELOC_GLOB_DAT  R_X86_64_GLOB_DAT
#define ARCH_RELOC_WORD	     R_X86_64_64

/* Enough of a linkage table's entry for arch_slot_is_unbound. */
#define ARCH_SLOT_CODE_BYTES 9u

/* `code`: where the word of relocation `index` of DT_JMPREL points to. Does it push that index, as
 * an entry does whose function is not known yet? */
static inline bool arch_slot_is_unbound(const uint8_t *code, uint64_t index)
{
	static const uint8_t landing[4] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	unsigned at = 0;
	while (at < 4 && code[at] == landing[at])
		at++;
	at = at == 4 ? 4 : 0;
	uint32_t pushed = 0;
	for (unsigned i = 0; i < 4; i++)
		pushed |= (uint32_t)code[at + 1 + i] << 8 * i;
	return code[at] == 0x68 && pushed == index;
}
