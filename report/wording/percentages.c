// SPDX-License-Identifier: GPL-3.0-or-later
/* Rounding each percentage by itself leaves 99.8 or 100.3, and a reader who adds up
 * wonders what is missing. */
#include "report/wording/percentages.h"

#include <math.h>
#include <stdlib.h>

struct remainder {
	double left;
	size_t index;
};

static int compare_remainders(const void *left, const void *right)
{
	const struct remainder *a = left, *b = right;

	if (a->left != b->left)
		return a->left > b->left ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* A whole this much smaller than what cancels in it is the cancelling's rounding error. It
 * also keeps every sum of the parts within an int32_t. */
#define MOST_CANCELLED 1e6

/* What all parts add up to; 0 where that is no whole to be shared out. */
static double whole_of(const double *part, size_t count)
{
	double sum = 0, sizes = 0;

	for (size_t i = 0; i < count; i++) {
		sum += part[i];
		sizes += fabs(part[i]);
	}
	return isfinite(sizes) && sum > 0 && sizes <= MOST_CANCELLED * sum ? sum : 0;
}

int percentages_round_to(const double *part, size_t count, int32_t whole, int32_t *parts)
{
	struct remainder *rest = calloc(count ? count : 1, sizeof(*rest));
	double sum = whole_of(part, count);
	int64_t missing = whole, each;

	if (!rest)
		return -1;
	for (size_t i = 0; i < count; i++) {
		double exact = sum > 0 ? whole * (part[i] / sum) : 0;

		parts[i] = (int32_t)floor(exact);
		rest[i] = (struct remainder){exact - floor(exact), i};
		missing -= parts[i];
	}
	if (sum > 0) {
		/* 0, but for the error of floating point where parts cancel. */
		each = (int64_t)floor((double)missing / (double)count);
		missing -= each * (int64_t)count;
		qsort(rest, count, sizeof(*rest), compare_remainders);
		for (size_t i = 0; i < count; i++)
			parts[rest[i].index] += (int32_t)(each + ((int64_t)i < missing));
	}
	free(rest);
	return 0;
}

int percentages_round(const double *part, size_t count, int32_t *permille)
{
	return percentages_round_to(part, count, 1000, permille);
}
