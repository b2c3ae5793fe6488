// SPDX-License-Identifier: GPL-3.0-or-later
/* A library with an IFUNC, whose resolver keeps what it was called with. */
#include <stdint.h>

uint64_t resolver_told[4];
void resolved(void);

static void picked(void)
{
}

static void (*resolver(uint64_t hwcap, const uint64_t *argument))(void)
{
	resolver_told[0] = hwcap;
	for (unsigned i = 0; i < 3 && hwcap >> 62 & 1; i++)
		resolver_told[i + 1] = argument[i];
	return picked;
}

void resolved(void) __attribute__((ifunc("resolver")));
