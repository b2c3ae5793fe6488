// SPDX-License-Identifier: GPL-3.0-or-later
/* Rounding each percentage by itself leaves 99.8 or 100.3, and a reader who adds up
 * wonders what is missing. */
#include "report/model/percentages.h"

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

int share_round(const double *part, size_t count, int32_t *permille)
{
	struct remainder *rest = calloc(count ? count : 1, sizeof(*rest));
	double sum = 0;
	int64_t missing = 1000;

	if (!rest)
		return -1;
	for (size_t i = 0; i < count; i++)
		sum += part[i];
	for (size_t i = 0; i < count; i++) {
		double exact = sum > 0 ? 1000 * part[i] / sum : 0;

		permille[i] = (int32_t)floor(exact);
		rest[i] = (struct remainder){exact - floor(exact), i};
		missing -= permille[i];
	}
	qsort(rest, count, sizeof(*rest), compare_remainders);
	/* As many as there are parts at most, but for the error of floating point. */
	for (size_t i = 0; sum > 0 && missing > 0; i++, missing--)
		permille[rest[i % count].index]++;
	for (size_t i = count; sum > 0 && missing < 0 && i > 0; i--, missing++)
		permille[rest[i - 1].index]--;
	free(rest);
	return 0;
}
