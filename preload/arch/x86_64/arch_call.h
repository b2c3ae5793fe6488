// SPDX-License-Identifier: Apache-2.0
/* Can an address be a return address, by the instruction before it? x86-64: E8 with 32 bits of
 * displacement, or FF /2 in all its forms (Intel 64 and IA-32 Architectures Software Developer's
 * Manual, volume 2, CALL). Prefixes lie before what is looked at. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ARCH_CALL_BYTES 7 /* so many before the address are read at most */

/* A call by a frame pointer's record: where the stack pointer of the caller is known to be. */
#define ARCH_CHAIN_GIVES_SP 1

/* Bytes of an FF /2 instruction that begins at `at`; 0: it is another. */
static inline unsigned arch_indirect_call_bytes(const uint8_t *at)
{
	unsigned mod = at[1] >> 6, rm = at[1] & 7, sib = mod != 3 && rm == 4;
	if (at[0] != 0xff || ((at[1] >> 3) & 7) != 2)
		return 0;
	if (mod == 1)
		return 3 + sib;
	if (mod == 2 || (mod == 0 && (rm == 5 || (sib && (at[2] & 7) == 5))))
		return 6 + sib;
	return 2 + sib;
}

/* ARCH_CALL_BYTES before `address` can be read. */
static inline bool arch_follows_call(uint64_t address)
{
	const uint8_t *end = (const uint8_t *)address;
	if (end[-5] == 0xe8)
		return true;
	for (unsigned bytes = 2; bytes <= ARCH_CALL_BYTES; bytes++)
		if (arch_indirect_call_bytes(end - bytes) == bytes)
			return true;
	return false;
}

/* Where the instruction that may begin at `at` jumps to: E9, or 0F 8x, with 32 bits of displacement
 * (as above, JMP and Jcc). 0: it is another. ARCH_JUMP_BYTES can be read. */
#define ARCH_JUMP_BYTES 6
#define ARCH_JUMP_STEP	1 /* between the places where an instruction may begin */
static inline uint64_t arch_jump_target(const uint8_t *at)
{
	bool is_far = at[0] == 0x0f && (at[1] & 0xf0) == 0x80;
	int32_t by;
	if (!is_far && at[0] != 0xe9)
		return 0;
	__builtin_memcpy(&by, at + 1 + is_far, 4);
	return (uint64_t)at + 5 + is_far + (uint64_t)(int64_t)by;
}
