// SPDX-License-Identifier: GPL-3.0-or-later
/* Binary search in whatever is in order. */
#pragma once

#include <stddef.h>

/* Makes `at` (a size_t) the first index below `count` that `before`, an expression of `at`, does
 * not hold for: it holds for all in front and for none behind. `count`: it holds for all. */
#define BISECT(at, count, before)                                                                  \
	do {                                                                                       \
		size_t low_ = 0, high_ = (count);                                                  \
		while (low_ < high_) {                                                             \
			(at) = low_ + (high_ - low_) / 2;                                          \
			if (before)                                                                \
				low_ = (at) + 1;                                                   \
			else                                                                       \
				high_ = (at);                                                      \
		}                                                                                  \
		(at) = low_;                                                                       \
	} while (0)
