// SPDX-License-Identifier: GPL-3.0-or-later
/* Sorting a million rows in place: keys that decide most comparisons, and a
 * comparison of rows for the others. qsort_r would take as much memory again. */
#ifndef SCPROF_REPORT_ORDER_H
#define SCPROF_REPORT_ORDER_H

#include <stdint.h>

struct __attribute__((packed, aligned(4))) order_item {
	uint64_t key;	/* the smaller comes first */
	uint64_t minor; /* where keys are equal */
	uint32_t row;
};

/* Where both are equal: < 0 where row `a` comes before row `b`. 0: the smaller number does. */
typedef int order_compare(uint32_t a, uint32_t b, const void *context);

void order_sort(struct order_item *item, uint32_t count, order_compare *compare,
		const void *context);

/* A number in 32 bits: never larger than the code of a larger number. */
uint32_t order_code(uint64_t number);

#endif
