// SPDX-License-Identifier: GPL-3.0-or-later
/* See chosen_lib.c. */
#ifndef CHOSEN_LIB_H
#define CHOSEN_LIB_H

struct pair {
	long i;
	double d;
};
struct doubles {
	double x, y;
};
struct large {
	long v[24];
};

/* On AArch64 four vector registers, all 128 bits of each. */
struct quads {
	long double v[4];
};

long ten_integers(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);
double twelve_doubles(double a, double b, double c, double d, double e, double f, double g,
		      double h, double i, double j, double k, double l);
float a_float(float x, int n);
long double a_long_double(long double x, long double y);
double _Complex a_complex(double _Complex x);
long double _Complex a_long_complex(long double _Complex x);
struct pair a_pair(struct pair p);
struct doubles two_doubles(double x);
struct quads four_quads(struct quads q, long double add);
struct large a_large(struct large l, long add);
long sum_of(int count, ...);
int print_into(char *text, unsigned long room, const char *format, ...);
int sets_errno(int value);
long call_back(long (*function)(long), long argument);
long factorial(long n);
long factorial_of(long n);
long versioned(long x);
long indirect(long x);

#ifdef __x86_64__
typedef double v8 __attribute__((vector_size(64)));
typedef double v4 __attribute__((vector_size(32)));

__attribute__((target("avx"))) v4 a_ymm(v4 a, v4 b);
__attribute__((target("avx512f"))) v8 a_zmm(v8 a, v8 b);
__attribute__((target("avx"))) v4 many_ymm(v4 a, v4 b, v4 c, v4 d, v4 e, v4 f, v4 g, v4 h, v4 i,
					   v4 j);
#endif

#endif
