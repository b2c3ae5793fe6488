// SPDX-License-Identifier: GPL-3.0-or-later
/* Thirty call sites of known cost, and one of them dearer on request: what a
 * comparison of two profiles must find, or must not.
 *
 * Usage: thirty CALLS CYCLES [SITE PERCENT]
 * Each site calls send (spin.c) CALLS times, all in turn, so that what befalls the
 * machine befalls all sites. A call at site i takes CYCLES x (1 + i mod 4) x a
 * factor between 1/2 and 3/2, drawn anew each time and in each run; at SITE
 * PERCENT more.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>

#define SITES 30

static uint64_t state;

/* Marsaglia's xorshift64*, uniform in 1/2 .. 3/2. */
static double factor(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return 0.5 + (double)((state * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

static double cost[SITES];

static void call(int site)
{
	send(-1, NULL, (size_t)(cost[site] * factor()), 0);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

#define SITE(n)                                                                                    \
	__attribute__((noinline)) static void site_##n(void)                                       \
	{                                                                                          \
		call(n);                                                                           \
		__asm__ volatile("" ::"i"(n) : "memory");                                          \
	}
#define SITE5(a, b, c, d, e) SITE(a) SITE(b) SITE(c) SITE(d) SITE(e)
SITE5(0, 1, 2, 3, 4)
SITE5(5, 6, 7, 8, 9)
SITE5(10, 11, 12, 13, 14)
SITE5(15, 16, 17, 18, 19)
SITE5(20, 21, 22, 23, 24)
SITE5(25, 26, 27, 28, 29)

static void (*const site[SITES])(void) = {
	site_0,	 site_1,  site_2,  site_3,  site_4,  site_5,  site_6,  site_7,	site_8,	 site_9,
	site_10, site_11, site_12, site_13, site_14, site_15, site_16, site_17, site_18, site_19,
	site_20, site_21, site_22, site_23, site_24, site_25, site_26, site_27, site_28, site_29,
};

static int usage(void)
{
	fprintf(stderr, "usage: thirty CALLS CYCLES [SITE PERCENT]\n");
	return 2;
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? atol(argv[1]) : 0, cycles = argc > 2 ? atol(argv[2]) : 0;

	if ((argc != 3 && argc != 5) || calls < 1 || cycles < 1)
		return usage();
	for (int i = 0; i < SITES; i++)
		cost[i] = (double)cycles * (1 + i % 4);
	if (argc == 5) {
		int dearer = atoi(argv[3]);

		if (dearer < 0 || dearer >= SITES)
			return usage();
		cost[dearer] *= 1 + atof(argv[4]) / 100;
	}
	if (getrandom(&state, sizeof(state), 0) != sizeof(state))
		return 1;
	state |= 1;
	for (long n = 0; n < calls; n++)
		for (int i = 0; i < SITES; i++)
			site[i]();
	return 0;
}
