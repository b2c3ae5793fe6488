// SPDX-License-Identifier: GPL-3.0-or-later
/* Each result depends on every argument. */
#include "stacked.h"

#include <cstdarg>
#include <cstdint>

#ifdef __aarch64__ /* gcc aligns the copies that it passes by reference to no more */
#define ALIGNED 16
#else
#define ALIGNED 64
#endif

static long sum(const long *v, int n)
{
	long s = 0;
	for (int i = 0; i < n; i++)
		s = s * 3 + v[i];
	return s;
}

long by_value(struct page_of_words p)
{
	return sum(p.v, 500);
}

long many_by_value(long x, struct many_words m)
{
	return x + sum(m.v, 1500);
}

long too_many_by_value(struct too_many_words t)
{
	return sum(t.v, 25000);
}

long aligned_by_value(int x, struct aligned_words a, int y, struct aligned_words b)
{
	const volatile uintptr_t at[] = {(uintptr_t)&a, (uintptr_t)&b};
	return (at[0] | at[1]) % ALIGNED ? -1 : x + 7 * y + sum(a.v, 16) * 11 + sum(b.v, 16);
}

struct page_of_words large_result(struct page_of_words p, long double x)
{
	for (int i = 0; i < 500; i++)
		p.v[i] = p.v[i] * (long)x + i;
	return p;
}

double of_doubles(int n, ...)
{
	va_list list;
	double s = 0;
	va_start(list, n);
	for (int i = 0; i < n; i++)
		s = s / 2 + va_arg(list, double);
	va_end(list);
	return s;
}

long of_forty(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
	      long k, long l, long m, long n, long o, long p, long q, long r, long s, long t,
	      long aa, long ab, long ac, long ad, long ae, long af, long ag, long ah, long ai,
	      long aj, long ak, long al, long am, long an, long ao, long ap, long aq, long ar,
	      long as, long at)
{
	const long v[] = {a,  b,  c,  d,  e,  f,  g,  h,  i,  j,  k,  l,  m,  n,
			  o,  p,  q,  r,  s,  t,  aa, ab, ac, ad, ae, af, ag, ah,
			  ai, aj, ak, al, am, an, ao, ap, aq, ar, as, at};
	return sum(v, 40);
}

long nested(struct page_of_words p, long (*back)(struct page_of_words), long n)
{
	p.v[n]++;
	return back(p) + sum(p.v, 500);
}

#ifdef __aarch64__
#define JUMP "hint #34\n	b by_value" /* bti c: where callers of a guarded library arrive */
#else
#define JUMP "jmp by_value@PLT"
#endif

/* Leaves its arguments to another function. */
__asm__(".text\n"
	".globl tail_call\n"
	".type tail_call, @function\n"
	"tail_call:\n"
	"	.cfi_startproc\n"
	"	" JUMP "\n"
	"	.cfi_endproc\n"
	".size tail_call, . - tail_call\n");

long registers_only(long x, const void *y)
{
	return x + (y != nullptr);
}

long throws(struct page_of_words p)
{
	throw sum(p.v, 500);
}
