// SPDX-License-Identifier: GPL-3.0-or-later
/* Built twice, see walked.h: frames of another size, and with or without frame pointers. */
#include <alloca.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/preload/walked.h"

#define KIND	__attribute__((noinline, noclone)) static void
#define POINTER __attribute__((noinline, noclone, optimize("no-omit-frame-pointer"))) static void

static inline __attribute__((always_inline)) void go(struct script *s)
{
	for (walked next; (next = s->choose(s));)
		next(s);
	__asm__ volatile("" ::: "memory");
}

KIND plain(struct script *s)
{
	go(s);
}

POINTER with_pointer(struct script *s)
{
	go(s);
}

KIND with_room(struct script *s)
{
	volatile char room[WALKED_ROOM];

	room[0] = room[sizeof room - 1] = 1;
	go(s);
	room[0] = 2;
}

/* alloca takes the frame pointer, however it is built. */
KIND with_alloca(struct script *s)
{
	size_t bytes = 16 + (size_t)(s->value++ % 5) * 16;
	volatile char *room = alloca(bytes);

	room[bytes - 1] = 1;
	go(s);
	room[0] = 2;
}

KIND with_registers(struct script *s)
{
	long a = s->value++, b = a * 3, c = a * 5, d = a * 7, e = a * 11;

	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	go(s);
	s->keep(a, b, c, d, e);
}

/* Where there is no frame pointer, its register holds any number. */
KIND with_own_use(struct script *s)
{
#ifdef WALKED_FREE
	__asm__ volatile("mov %0, %%rbp" ::"r"(s->value++ * 8) : "rbp");
#endif
	go(s);
}

KIND with_alignment(struct script *s)
{
	_Alignas(64) char room[64];

	__asm__ volatile("" ::"r"(room) : "memory");
	go(s);
	__asm__ volatile("" ::"r"(room) : "memory");
}

POINTER with_both(struct script *s)
{
	long a = s->value++, b = a * 3, c = a * 5;
	volatile char *room = alloca(16 + (size_t)(a & 3) * 32);

	room[0] = 1;
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
	go(s);
	s->keep(a, b, c, room[0], 0);
}

const walked walked_kind[WALKED_KINDS] = {plain,	  with_pointer, with_room, with_alloca,
					  with_registers, with_own_use, with_both, with_alignment};
