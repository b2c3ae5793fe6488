// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls functions of short.c through the dynamic linker, where a profiler sees them, and in turn by
 * their addresses, where none does: what they take is known from the same second.
 *
 * Usage: short_calls send|chosen CALLS NS...
 *
 * For the empty function, and for each kind of work and each length above 0 ns, calls from a call
 * site of its own, in a function case_<number>. Prints, for each, that name, the kind, its steps,
 * and the true ns of a call: (a) each call waits for the one before it, by its
 * argument, less the same of the empty function; (b) likewise with a fence after each call. Medians
 * of the turns.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/bench/short.h"

#define TURNS	31
#define LENGTHS 7

#ifdef __x86_64__
#define FENCE() __asm__ volatile("lfence" ::: "memory")
#else
#define FENCE() __asm__ volatile("isb" ::: "memory")
#endif

typedef ssize_t function(int, const void *, size_t, int);

static function *volatile direct; /* by its address */
static function *seen;		  /* as the linker bound it */
static const char *const kind_name[] = {"empty", "chain", "parallel", "loads", "branches"};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double loop(function *f, long calls, size_t steps, int kind, int fence)
{
	double from = now_ns();
	int x = 1;

	for (long i = 0; i < calls; i++) {
		x = (int)f(x, NULL, steps, kind);
		if (fence)
			FENCE();
	}
	return (now_ns() - from) / (double)calls;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, TURNS, sizeof *v, by_size);
	return v[TURNS / 2];
}

/* A call site for each case: a copy of the loop that cannot be shared. */
#define CASE(n)                                                                                    \
	static __attribute__((noinline)) int case_##n(long calls, size_t steps, int kind)          \
	{                                                                                          \
		int x = 1;                                                                         \
		for (long i = 0; i < calls; i++) {                                                 \
			x = (int)seen(x, NULL, steps, kind);                                       \
			__asm__ volatile("" ::"i"(n));                                             \
		}                                                                                  \
		return x;                                                                          \
	}
#define NAME(n) case_##n,
/* clang-format off */
#define EACH(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
	X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28)
/* clang-format on */

EACH(CASE)

typedef int case_function(long, size_t, int);
static case_function *const cases[] = {EACH(NAME)};

struct one {
	int kind;
	size_t steps;
	double chained[TURNS], fenced[TURNS];
};

/* Steps that take so long, by two lengths: what a call adds drops out. */
static size_t steps_of(int kind, double ns)
{
	double a[TURNS], b[TURNS];

	for (int i = 0; i < TURNS; i++) {
		a[i] = loop(direct, 2000, 200, kind, 0);
		b[i] = loop(direct, 2000, 1000, kind, 0);
	}
	return (size_t)(ns * 800 / (median(b) - median(a)) + 0.5);
}

static void run(struct one *one, int count, long calls)
{
	for (int t = -1; t < TURNS; t++)
		for (int i = 0; i < count; i++) {
			struct one *o = &one[i];
			int at = t < 0 ? 0 : t;

			o->chained[at] = loop(direct, calls / TURNS / 4 + 1, o->steps, o->kind, 0);
			o->fenced[at] = loop(direct, calls / TURNS / 4 + 1, o->steps, o->kind, 1);
			cases[i](calls / TURNS + 1, o->steps, o->kind);
		}
}

int main(int argc, char **argv)
{
	static struct one one[(SHORT_KINDS - 1) * LENGTHS + 1];
	int count = 1;
	long calls = argc > 2 ? atol(argv[2]) : 0;
	int chosen = argc > 1 && !strcmp(argv[1], "chosen");
	void *library = dlopen("libshort.so", RTLD_NOW | RTLD_NOLOAD);

	if (argc < 4 || argc > 3 + LENGTHS || calls < 1 || !library) {
		fprintf(stderr, "usage: short_calls send|chosen CALLS NS...\n");
		return 2;
	}
	direct = (function *)dlsym(library, "send");
	seen = chosen ? short_work : send;
	for (int kind = 1; kind < SHORT_KINDS; kind++)
		for (int i = 3; i < argc; i++)
			if (atof(argv[i]) > 0) {
				one[count].kind = kind;
				one[count++].steps = steps_of(kind, atof(argv[i]));
			}
	run(one, count, calls);
	double chained = median(one[0].chained), fenced = median(one[0].fenced);
	for (int i = 0; i < count; i++)
		printf("case_%d %s %zu %.3f %.3f\n", i, kind_name[one[i].kind], one[i].steps,
		       median(one[i].chained) - chained, median(one[i].fenced) - fenced);
	return 0;
}
