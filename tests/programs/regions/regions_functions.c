// SPDX-License-Identifier: GPL-3.0-or-later
/* Built with -finstrument-functions: each function is measured. With OWN_HOOKS the program has
 * its own __cyg_profile_func_enter and _exit, which must go on being called.
 * Usage: regions_functions COUNT */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_MEASURED __attribute__((no_instrument_function))

#ifdef OWN_HOOKS
static unsigned long entered, left;

void __cyg_profile_func_enter(void *function, void *site) NOT_MEASURED;
void __cyg_profile_func_exit(void *function, void *site) NOT_MEASURED;

void __cyg_profile_func_enter(void *function, void *site)
{
	entered += function && site;
}

void __cyg_profile_func_exit(void *function, void *site)
{
	left += function && site;
}
#endif

static jmp_buf out;

static __attribute__((noinline)) int leaf(int i)
{
	volatile char room[400];

	room[i % 400] = (char)i;
	if (i % 10 == 9)
		longjmp(out, 1);
	return room[i % 400];
}

__attribute__((noinline)) int branch(int i)
{
	return leaf(i) + 1;
}

static __attribute__((noinline)) int recurse(int n)
{
	return n ? recurse(n - 1) + 1 : 0;
}

int main(int argc, char **argv)
{
	volatile int n = argc > 1 ? atoi(argv[1]) : 100, jumped = 0;
	volatile long sum = 0;

	for (volatile int i = 0; i < n; i++) {
		if (setjmp(out))
			jumped++;
		else
			sum += branch(i % 100);
	}
	sum += recurse(50);
	printf("%ld %d\n", sum, jumped);
#ifdef OWN_HOOKS
	printf("%lu %lu\n", entered, left);
#endif
	return 0;
}
