// SPDX-License-Identifier: Apache-2.0
/* Of AArch64 only: the compiler calls these to set and copy structures. libc's use vector
 * registers, which may hold a selected function's arguments, and do not exist yet while the loader
 * relocates this library. */
#include <string.h>

#include "preload/system/util.h"

HIDDEN void *memset(void *to, int value, size_t bytes)
{
	uint64_t word = (uint64_t)(uint8_t)value * UINT64_C(0x0101010101010101);
	uint8_t *p = to;
	for (; bytes >= 8; bytes -= 8, p += 8)
		__builtin_memcpy(p, &word, 8);
	for (; bytes; bytes--)
		*p++ = (uint8_t)value;
	return to;
}

HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	uint8_t *p = to;
	const uint8_t *q = from;
	for (; bytes >= 8; bytes -= 8, p += 8, q += 8)
		__builtin_memcpy(p, q, 8);
	for (; bytes; bytes--)
		*p++ = *q++;
	return to;
}
