// SPDX-License-Identifier: GPL-3.0-or-later
/* Texts stored once and numbered, for documents that name the same functions a hundred thousand
 * times. Private to report/, single-threaded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/array.h"

#define STRING_INDEX_NONE UINT32_MAX

struct string_index {
	char **text; /* by number */
	uint32_t count;
	uint32_t room; /* private, as the table is */
	struct number_table table;
	bool failed; /* out of memory: some numbers are STRING_INDEX_NONE */
};

/* The number of a copy of `text`, the same for the same text; STRING_INDEX_NONE for NULL. */
uint32_t string_index_add(struct string_index *n, const char *text);
/* The same of a text that is freed; without one (NULL) memory is out. */
uint32_t string_index_take(struct string_index *n, char *text);
void string_index_clear(struct string_index *n);

#define PAIRS_NONE UINT32_MAX

struct pair {
	uint32_t a, b;
};

struct pairs {
	struct pair *pair; /* by number */
	uint32_t count;
	uint32_t room; /* private, as the table is */
	struct number_table table;
};

/* The number of a pair; of a new one `count` as it was before. PAIRS_NONE: out of memory. */
uint32_t pairs_add(struct pairs *p, uint32_t a, uint32_t b);
void pairs_clear(struct pairs *p);
