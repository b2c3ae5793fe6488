// SPDX-License-Identifier: GPL-3.0-or-later
/* What the columns of tables, and the marks beside numbers, mean. */
#pragma once

#include <stddef.h>

struct column_word {
	const char *names; /* as they stand there, with '|' between them */
	const char *means; /* without a full stop */
};

extern const struct column_word column_words[];
extern const size_t column_words_count;

/* Of any case. NULL: there is none of that name. */
const struct column_word *column_words_find(const char *name);
