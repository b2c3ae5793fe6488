// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions of so many steps of work, without fences: as short functions of libraries are. A step
 * is a multiplication that waits for the one before it; four additions that wait for nothing; a
 * load whose address the one before it gave; or a branch that a table decides. Found under the name
 * `send`, which has a wrapper, before libc's; and as short_work, for -s. */
#include <stdint.h>
#include <sys/socket.h>

#include "tests/bench/short.h"

#define PLACES 512 /* of the chain of loads: 4 KiB */

static uint32_t next_place[PLACES];
static uint8_t taken[PLACES];

__attribute__((constructor)) static void fill(void)
{
	uint32_t x = 12345;

	for (uint32_t i = 0; i < PLACES; i++) {
		next_place[i] = (i * 5 + 1) % PLACES; /* one cycle (Hull and Dobell 1962) */
		x = x * 1664525 + 1013904223;
		taken[i] = (uint8_t)(x >> 31);
	}
}

static inline uint64_t chain(uint64_t x, size_t steps)
{
	for (size_t i = 0; i < steps; i++) {
		x *= 0x9e3779b97f4a7c15u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static inline uint64_t parallel(uint64_t x, size_t steps)
{
	uint64_t a = x, b = x + 1, c = x + 2, d = x + 3;

	for (size_t i = 0; i < steps; i++)
		__asm__ volatile("add %4, %0\n\tadd %4, %1\n\tadd %4, %2\n\tadd %4, %3"
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
				 : "r"(x));
	return a ^ b ^ c ^ d;
}

static inline uint64_t loads(uint64_t x, size_t steps)
{
	uint32_t at = (uint32_t)(x % PLACES);

	for (size_t i = 0; i < steps; i++)
		at = *(volatile uint32_t *)&next_place[at];
	return at;
}

static inline uint64_t branches(uint64_t x, size_t steps)
{
	for (size_t i = 0; i < steps; i++) {
		if (*(volatile uint8_t *)&taken[i % PLACES])
			x += 3;
		else
			x ^= 5;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static inline __attribute__((always_inline)) ssize_t work(int fd, size_t steps, int kind)
{
	uint64_t x = (uint64_t)fd;

	switch (kind) {
	case SHORT_CHAIN:
		x = chain(x, steps);
		break;
	case SHORT_PARALLEL:
		x = parallel(x, steps);
		break;
	case SHORT_LOADS:
		x = loads(x, steps);
		break;
	case SHORT_BRANCHES:
		x = branches(x, steps);
		break;
	default:
		break;
	}
	return (ssize_t)(x & 0xffff);
}

ssize_t short_work(int fd, const void *unused, size_t steps, int kind)
{
	(void)unused;
	return work(fd, steps, kind);
}

ssize_t send(int fd, const void *unused, size_t steps, int kind)
{
	(void)unused;
	return work(fd, steps, kind);
}
