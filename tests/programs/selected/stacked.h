/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions whose arguments lie on the stack. */
#ifndef STACKED_H
#define STACKED_H

#ifdef __cplusplus
extern "C" {
#endif

struct page_of_words {
	long v[500];
};

struct many_words {
	long v[1500];
};

struct too_many_words {
	long v[25000];
};

struct aligned_words {
	long v[16];
} __attribute__((aligned(64)));

long by_value(struct page_of_words p);
long many_by_value(long x, struct many_words m);
long too_many_by_value(struct too_many_words t);
long aligned_by_value(int x, struct aligned_words a, int y, struct aligned_words b);
struct page_of_words large_result(struct page_of_words p, long double x);
double of_doubles(int n, ...);
long of_forty(long, long, long, long, long, long, long, long, long, long, long, long, long, long,
	      long, long, long, long, long, long, long, long, long, long, long, long, long, long,
	      long, long, long, long, long, long, long, long, long, long, long, long);
long nested(struct page_of_words p, long (*back)(struct page_of_words), long n);
long registers_only(long x, const void *y);
long tail_call(struct page_of_words p);
long throws(struct page_of_words p);

#ifdef __cplusplus
}
#endif
#endif
