// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls outer_work, which calls a function of short.c, through the dynamic linker, where a profiler
 * sees both, and in turn by their addresses, where none does.
 *
 * Usage: nested_calls send|chosen OUTER_CALLS INNER_CALLS FRAMES NS...
 *
 * For each kind of work and each length in ns (0: the empty function only), outer calls from a call
 * site of its own, in a function case_<number>, with FRAMES more on the stack than it needs. Prints
 * for each its name, the kind, and the true ns of an outer call: the median of the turns.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/bench/outer.h"
#include "tests/bench/short.h"

#define TURNS	101
#define LENGTHS 4

typedef int outer_function(inner_function *, long, size_t, int);

static inner_function *volatile direct; /* by its address */
static inner_function *seen;		/* as the linker bound it */
static outer_function *volatile direct_outer;
static volatile int sink;
static const char *const kind_name[] = {"empty", "chain", "parallel", "loads", "branches"};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
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

/* A call site for each case. */
#define CASE(n)                                                                                    \
	static __attribute__((noinline)) void case_##n(long outer, long inner, size_t steps,       \
						       int kind)                                   \
	{                                                                                          \
		for (long i = 0; i < outer; i++) {                                                 \
			sink = outer_work(seen, inner, steps, kind);                               \
			__asm__ volatile("" ::"i"(n));                                             \
		}                                                                                  \
	}
CASE(0)
CASE(1)
CASE(2)
CASE(3)
CASE(4)
CASE(5)
CASE(6)
CASE(7)
CASE(8)
CASE(9)
CASE(10)
CASE(11)
CASE(12)
CASE(13)
CASE(14)
CASE(15)
CASE(16)
typedef void case_function(long, long, size_t, int);
static case_function *const cases[] = {case_0,	case_1,	 case_2,  case_3,  case_4,  case_5,
				       case_6,	case_7,	 case_8,  case_9,  case_10, case_11,
				       case_12, case_13, case_14, case_15, case_16};

struct one {
	int kind;
	size_t steps;
	double ns[TURNS];
};

static double loop(long inner, size_t steps, int kind)
{
	double from = now_ns();

	sink = direct_outer(direct, inner, steps, kind);
	return now_ns() - from;
}

/* Steps that take so long, by two lengths: what a call adds drops out. */
static size_t steps_of(int kind, double ns)
{
	double a[TURNS], b[TURNS];

	for (int i = 0; i < TURNS; i++) {
		a[i] = loop(200, 200, kind);
		b[i] = loop(200, 1000, kind);
	}
	return (size_t)(ns * 800 / ((median(b) - median(a)) / 200) + 0.5);
}

static void run(struct one *one, int count, long outer, long inner)
{
	for (int t = -1; t < TURNS; t++)
		for (int i = 0; i < count; i++) {
			struct one *o = &one[i];

			loop(inner, o->steps, o->kind);
			o->ns[t < 0 ? 0 : t] = loop(inner, o->steps, o->kind);
			cases[i](outer / TURNS + 1, inner, o->steps, o->kind);
		}
}

static __attribute__((noinline)) void run_below(long frames, struct one *one, int count, long outer,
						long inner)
{
	if (frames > 0)
		run_below(frames - 1, one, count, outer, inner);
	else
		run(one, count, outer, inner);
	__asm__ volatile(""); /* no tail call */
}

int main(int argc, char **argv)
{
	static struct one one[(SHORT_KINDS - 1) * LENGTHS + 1];
	int count = 1;
	long outer = argc > 2 ? atol(argv[2]) : 0, inner = argc > 3 ? atol(argv[3]) : 0;
	void *library = dlopen("libshort.so", RTLD_NOW | RTLD_NOLOAD);
	void *outer_library = dlopen("libouter.so", RTLD_NOW | RTLD_NOLOAD);

	if (argc < 6 || argc > 5 + LENGTHS || outer < 1 || inner < 1 || !library ||
	    !outer_library) {
		fprintf(stderr,
			"usage: nested_calls send|chosen OUTER_CALLS INNER_CALLS FRAMES NS...\n");
		return 2;
	}
	direct = (inner_function *)dlsym(library, "send");
	direct_outer = (outer_function *)dlsym(outer_library, "outer_work");
	seen = strcmp(argv[1], "chosen") ? send : short_work;
	for (int kind = 1; kind < SHORT_KINDS; kind++)
		for (int i = 5; i < argc; i++)
			if (atof(argv[i]) > 0) {
				one[count].kind = kind;
				one[count++].steps = steps_of(kind, atof(argv[i]));
			}
	run_below(atol(argv[4]), one, count, outer, inner);
	for (int i = 0; i < count; i++)
		printf("case_%d %s %.3f\n", i, kind_name[one[i].kind], median(one[i].ns));
	return 0;
}
