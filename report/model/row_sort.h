// SPDX-License-Identifier: GPL-3.0-or-later
/* Sorting a million rows by keys of any length, word by word: each word of a row is asked for
 * once, and only where all words before are equal to another row's. Comparing rows pair by
 * pair would look at the same frames, all over the memory, twenty times. */
#ifndef SCPROF_REPORT_MODEL_ROW_SORT_H
#define SCPROF_REPORT_MODEL_ROW_SORT_H

#include <stdbool.h>
#include <stdint.h>

struct row_sort_keys {
	/* Word `level` (from 0) of a row's key: the smaller comes first. False: it has no more of
	 * them; then it comes before those that have. */
	bool (*word)(uint32_t row, uint32_t level, uint64_t *word, const void *context);
	const void *context;
	/* NULL: all rows are compared by all their words. Else where `always` words are equal,
	 * only if the rows are among the first `first` places or one of them matters. */
	bool (*matters)(uint32_t row, const void *context);
	uint32_t always, first;
};

/* place[i] becomes the place of row i among `count`. Rows that compare equal keep the order of
 * their numbers. Needs 24 bytes a row for its work. -1: out of memory. */
int row_sort(uint32_t *place, uint32_t count, const struct row_sort_keys *order);

#endif
