// SPDX-License-Identifier: GPL-3.0-or-later
/* IFUNC resolvers that call functions of libc while the loader is still relocating: one in a
 * library, before anything that was preloaded is ready, and one in the program.
 * With -DLIBRARY it is that library. */
#include "target.h"

#ifdef LIBRARY
#define PICKED	 library_picked
#define RESOLVER library_resolver
#else
#define PICKED	 program_picked
#define RESOLVER program_resolver
#endif

long library_picked(long x);
long program_picked(long x);
long library_calls(long x);

static long found; /* by the resolver */
static long ill;   /* not 0: a resolver was not called as it has to be */

static long picked(long x)
{
	return x + found + ill;
}

#if defined LIBRARY && defined __aarch64__
/* An IFUNC whose resolver has the arguments of sys/ifunc.h; one that is not selected is bound
 * before look_around runs: not by the linkage table. */
long other(long x) __attribute__((noplt));

static long other_picked(long x)
{
	return x;
}

static long (*other_resolver(unsigned long hwcap, const unsigned long *argument))(long)
{
	if (!(hwcap >> 62 & 1) || argument[0] < 24 || argument[1] != (hwcap & ~(1UL << 62)))
		ill = 1000;
	return other_picked;
}

long other(long x) __attribute__((ifunc("other_resolver")));
#define OTHER(x) other(x)
#else
#define OTHER(x) (x)
#endif

/* Of an IFUNC, of plain ones, with a version that is not the default, with errno's TLS. */
static void *look_around(void)
{
	static char text[64] = "to be copied", copy[64];

	memcpy(copy, text, 13);
	memmove(copy + 1, copy, 13);
	found = (long)strlen(copy) + (long)labs(-40) + (strchr(copy, 'q') != NULL);
	found += OTHER((long)strnlen(copy, 5)) + (getenv("none") != NULL);
	return (void *)picked;
}

static void *RESOLVER(void)
{
	return look_around();
}

long PICKED(long x) __attribute__((ifunc(
#ifdef LIBRARY
	"library_resolver"
#else
	"program_resolver"
#endif
	)));

#ifdef LIBRARY
#ifdef __aarch64__ /* a linker there may have a symbol's resolver run before others are bound */
long own_picked(long x) __attribute__((ifunc("library_resolver"), visibility("hidden")));
#else
#define own_picked library_picked
#endif

/* So that the resolver runs when the library is relocated, not only when the program is. */
long library_calls(long x)
{
	return own_picked(x);
}
#else
int main(void)
{
	long sum = 0;

	for (long i = 0; i < 10; i++)
		sum += program_picked(i) + library_picked(i) + library_calls(i);
	say("%ld %zu\n", sum, strlen(getenv("PATH")));
	return sum == 1875 ? 3 : 99;
}
#endif
