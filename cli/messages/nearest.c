// SPDX-License-Identifier: GPL-3.0-or-later
/* Optimal string alignment distance, for names of a dozen letters. */
#include "cli/messages/nearest.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 31

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static size_t distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), d[LONGEST + 1][LONGEST + 1];

	if (la > LONGEST || lb > LONGEST)
		return LONGEST;
	for (size_t i = 0; i <= la; i++)
		for (size_t j = 0; j <= lb; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1, LONGEST);
		}
	return d[la][lb];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t best_distance = 3; /* beyond that it is another word */

	for (size_t i = 0; i < count; i++) {
		size_t near = distance(word, names[i]);

		/* more than half of the letters agree */
		if (near < best_distance && 2 * near < strlen(names[i])) {
			best = names[i];
			best_distance = near;
		}
	}
	return best;
}
