// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls functions of chosen_lib.so in every way. Usage: chosen WHAT [ROUNDS] */
#include "chosen_lib.h"

#include <pthread.h>
#include <setjmp.h>

#include "target.h"

static jmp_buf out;
static long (*const in_data)(long) = indirect;
long versioned_old(long x);
__asm__(".symver versioned_old, versioned@CHOSEN_1");

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void arguments(long n)
{
	struct large l = {{0}};
	struct pair p = {3, 1.5};
	char text[128];

	say("%ld\n", ten_integers(n, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	say("%g\n", twelve_doubles((double)n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
	say("%g\n", (double)a_float(1.5f, (int)n));
	say("%Lg\n", a_long_double(1, (long double)n + 3));
	double _Complex z = a_complex(1.5 + 2.0 * (__extension__ 1.0i));
	say("%g %g\n", __real__ z, __imag__ z);
	long double _Complex lz = a_long_complex(2.5L + 0.5L * (__extension__ 1.0iL));
	say("%Lg %Lg\n", __real__ lz, __imag__ lz);
	p = a_pair(p);
	say("%ld %g\n", p.i, p.d);
	struct doubles d = two_doubles(0.25);
	say("%g %g\n", d.x, d.y);
	struct quads q = {{1.0L / 3, 2.0L / 7, (long double)n / 11, 4.0L / 13}};
	q = four_quads(q, 1.0L / 17);
	for (int i = 0; i < 4; i++)
		say("%.30Lg ", q.v[i]);
	for (int i = 0; i < 24; i++)
		l.v[i] = i * n;
	l = a_large(l, 1000);
	for (int i = 0; i < 24; i++)
		say("%ld ", l.v[i]);
	say("\n%ld\n", sum_of(9, n, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L));
	int printed = print_into(text, sizeof text, "%d %s %g %ld %g %g %g %g %g %g %g %g %g", 1,
				 "two", 3.5, n, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
	say("%d %s\n", printed, text);
	errno = 0;
	int failed = sets_errno(77), saved = errno;
	say("%d %d\n", failed, saved);
	say("%ld %ld\n", versioned(10), versioned_old(10));
	say("%ld %ld\n", indirect(n), in_data(n));
}

#define ARGUMENT_FUNCTIONS                                                                         \
	"ten_integers", "twelve_doubles", "a_float", "a_long_double", "a_complex",                 \
		"a_long_complex", "a_pair", "two_doubles", "four_quads", "a_large", "sum_of",      \
		"print_into", "sets_errno"

static void expect_arguments(long rounds)
{
	const char *names[] = {ARGUMENT_FUNCTIONS};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		expect_calls(names[i], rounds);
	expect_calls("versioned", rounds);
	expect_calls("versioned@CHOSEN_1", rounds);
	expect_calls("indirect", 2 * rounds);
}

#ifdef __x86_64__
__attribute__((target("avx"), noinline)) static void vectors_256(long rounds)
{
	v4 a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, r = a;

	for (long i = 0; i < rounds; i++)
		r = a_ymm(r, b) - many_ymm(a, b, a, b, a, b, a, b, r, b);
	say("%g %g %g %g\n", r[0], r[1], r[2], r[3]);
	expect_calls("a_ymm", rounds);
	expect_calls("many_ymm", rounds);
}

__attribute__((target("avx512f"), noinline)) static void vectors_512(long rounds)
{
	v8 a = {1, 2, 3, 4, 5, 6, 7, 8}, r = a;

	for (long i = 0; i < rounds; i++)
		r = a_zmm(r, a) / 8;
	say("%g %g %g %g %g %g %g %g\n", r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
	expect_calls("a_zmm", rounds);
}

static void vectors(long rounds)
{
	if (__builtin_cpu_supports("avx"))
		vectors_256(rounds);
	if (__builtin_cpu_supports("avx512f"))
		vectors_512(rounds);
}
#else
static void vectors(long rounds)
{
	(void)rounds;
}
#endif

static long twice(long x)
{
	return 2 * x;
}

static long leave(long x)
{
	longjmp(out, (int)x);
}

static long nest(long x)
{
	return x > 0 ? call_back(nest, x - 1) : 0;
}

static void callbacks(long rounds)
{
	int v[64];
	long sum = 0;

	for (long r = 0; r < rounds; r++) {
		for (int i = 0; i < 64; i++)
			v[i] = (int)(((long)i * 37 + r) % 64);
		qsort(v, 64, sizeof *v, compare);
		sum += call_back(twice, r) + nest(5) + factorial(10) + v[63];
	}
	say("%ld\n", sum);
	expect_calls("qsort", rounds);
	expect_calls("call_back", 6 * rounds);
	expect_calls("factorial", 5 * rounds);
	expect_calls("factorial_of", 5 * rounds);
}

/* A call that is left by longjmp is abandoned; those after it are as before. */
static void jumps(long rounds)
{
	volatile long left = 0;

	for (volatile long i = 0; i < rounds; i++) {
		if (setjmp(out))
			left++;
		else
			call_back(leave, 3);
		say("%ld\n", call_back(twice, i));
	}
	say("left %ld\n", left);
	expect_between("call_back", rounds, rounds, 0);
}

NOINLINE static long work(long x)
{
	long sum = 0;

	for (long i = 0; i < 5; i++)
		sum += versioned(x + i);
	return sum;
}

static long work_and_leave(long x)
{
	longjmp(out, (int)work(x) != 0);
}

static long work_and_return(long x)
{
	return work(x);
}

/* The second call is left, the first is not: what is then called is inside the first. */
static long work_and_be_left(long x)
{
	volatile long sum = 0;

	for (volatile long i = 0; i < 3; i++) {
		sum += work(x);
		if (!setjmp(out))
			call_back(leave, 3);
	}
	return sum;
}

/* Calls inside a call that is left: on paths seen before, inside and outside of it in turn. */
static void inside_and_left(long rounds)
{
	volatile long sum = 0;

	for (volatile long i = 0; i < rounds; i++) {
		if (!setjmp(out))
			call_back(work_and_leave, i);
		sum += work(i);
		sum += call_back(work_and_return, i) + work(i);
		sum += call_back(work_and_be_left, i) + work(i);
	}
	say("%ld\n", sum);
	expect_calls("versioned", 8 * 5 * rounds);
	expect_between("call_back", 2 * rounds, 2 * rounds, 0);
}

static long end_thread(long x)
{
	if (x)
		pthread_exit((void *)x);
	for (;;)
		pause();
}

static void *thread(void *how)
{
	twice(call_back(twice, 1));
	call_back(end_thread, (long)how);
	return NULL;
}

static void threads(long rounds)
{
	pthread_t t;
	void *result;

	for (long i = 0; i < rounds; i++) {
		pthread_create(&t, NULL, thread, (void *)(i & 1 ? 5L : 0L));
		if (!(i & 1)) {
			usleep(20000);
			pthread_cancel(t);
		}
		pthread_join(t, &result);
		say("%ld\n", (long)result);
	}
	say("%ld\n", call_back(twice, 4));
	expect_calls("call_back", rounds + 1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long rounds = argc > 2 ? atol(argv[2]) : 3;

	if (!strcmp(what, "arguments")) {
		for (long i = 0; i < rounds; i++)
			arguments(i + 1);
		expect_arguments(rounds);
	} else if (!strcmp(what, "vectors")) {
		vectors(rounds);
	} else if (!strcmp(what, "callbacks")) {
		callbacks(rounds);
	} else if (!strcmp(what, "jumps")) {
		jumps(rounds);
	} else if (!strcmp(what, "left")) {
		inside_and_left(rounds);
	} else if (!strcmp(what, "threads")) {
		threads(rounds);
	} else {
		die("usage");
	}
	return 3;
}
