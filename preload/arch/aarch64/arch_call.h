// SPDX-License-Identifier: Apache-2.0
/* Can an address be a return address, by the instruction before it? AArch64: BL, BLR, and BLR with
 * authentication (Arm Architecture Reference Manual for A-profile, C6.2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ARCH_CALL_BYTES 4 /* so many before the address are read at most */

/* The frame record may lie anywhere in its frame: the caller's stack pointer is not known. */
#define ARCH_CHAIN_GIVES_SP 0

/* ARCH_CALL_BYTES before `address` can be read. */
static inline bool arch_follows_call(uint64_t address)
{
	if (address & 3)
		return false;
	uint32_t code = ((const uint32_t *)address)[-1];
	return (code & 0xfc000000u) == 0x94000000u || (code & 0xfffffc1fu) == 0xd63f0000u ||
	       (code & 0xfefff800u) == 0xd63f0800u;
}

/* Where the instruction at `at` jumps to: B with 26 bits of displacement (Arm Architecture
 * Reference Manual, C6.2). 0: it is another. ARCH_JUMP_BYTES can be read. */
#define ARCH_JUMP_BYTES 4
#define ARCH_JUMP_STEP	4 /* between the places where an instruction may begin */
static inline uint64_t arch_jump_target(const uint8_t *at)
{
	uint32_t code;
	__builtin_memcpy(&code, at, 4);
	if (code >> 26 != 5)
		return 0;
	return (uint64_t)at + (uint64_t)((int64_t)((uint64_t)code << 38) >> 36);
}
