// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions to choose: every way of passing arguments and results that a trampoline
 * could spoil. */
#include "chosen_lib.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

long ten_integers(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

double twelve_doubles(double a, double b, double c, double d, double e, double f, double g,
		      double h, double i, double j, double k, double l)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l;
}

float a_float(float x, int n)
{
	return x * (float)n;
}

long double a_long_double(long double x, long double y)
{
	return x / y;
}

double _Complex a_complex(double _Complex x)
{
	return x * x;
}

long double _Complex a_long_complex(long double _Complex x)
{
	return x * x;
}

struct pair a_pair(struct pair p)
{
	return (struct pair){p.i + 1, p.d * 2};
}

struct doubles two_doubles(double x)
{
	return (struct doubles){x, -x};
}

struct quads four_quads(struct quads q, long double add)
{
	for (int i = 0; i < 4; i++)
		q.v[i] = q.v[i] * 3 + add;
	return q;
}

struct large a_large(struct large l, long add)
{
	for (int i = 0; i < 24; i++)
		l.v[i] += add + i;
	return l;
}

long sum_of(int count, ...)
{
	va_list list;
	long sum = 0;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum = sum * 3 + va_arg(list, long);
	va_end(list);
	return sum;
}

int print_into(char *text, unsigned long room, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	int n = vsnprintf(text, room, format, list);
	va_end(list);
	return n;
}

int sets_errno(int value)
{
	errno = value;
	return -1;
}

long call_back(long (*function)(long), long argument)
{
	return function(argument) + 1;
}

/* Through the linkage table, so that a stub is in between each time. */
long factorial(long n)
{
	return n < 2 ? 1 : n * factorial_of(n - 1);
}

long factorial_of(long n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

long old_version(long x);
long new_version(long x);
__asm__(".symver old_version, versioned@CHOSEN_1");
__asm__(".symver new_version, versioned@@CHOSEN_2");
long old_version(long x)
{
	return x + 1;
}
long new_version(long x)
{
	return x + 2;
}

static long picked(long x)
{
	return x * 7;
}
static long (*pick(void))(long)
{
	return picked;
}
long indirect(long x) __attribute__((ifunc("pick")));

#ifdef __x86_64__
__attribute__((target("avx"))) v4 a_ymm(v4 a, v4 b)
{
	return a * b;
}

__attribute__((target("avx512f"))) v8 a_zmm(v8 a, v8 b)
{
	return a * b;
}

/* The tenth vector lies on the stack, aligned to 32. */
__attribute__((target("avx"))) v4 many_ymm(v4 a, v4 b, v4 c, v4 d, v4 e, v4 f, v4 g, v4 h, v4 i,
					   v4 j)
{
	return a + b + c + d + e + f + g + h + i * j;
}
#endif
