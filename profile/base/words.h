// SPDX-License-Identifier: GPL-3.0-or-later
/* Lists of words in one text. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Is `word`, which is not empty, one of the words between these separators? */
static inline bool words_have(const char *list, const char *separators, const char *word)
{
	for (size_t length; *list; list += length) {
		list += strspn(list, separators);
		length = strcspn(list, separators);
		if (length && length == strlen(word) && !strncmp(list, word, length))
			return true;
	}
	return false;
}

/* The next word of *list, which moves behind it, cut at size - 1 bytes; false: there is none. */
static inline bool words_next(const char **list, const char *separators, char *word, size_t size)
{
	*list += strspn(*list, separators);
	size_t length = strcspn(*list, separators);

	snprintf(word, size, "%.*s", (int)length, *list);
	*list += length;
	return length > 0;
}
