// SPDX-License-Identifier: GPL-3.0-or-later
/* Text from elsewhere (symbol names, command lines, thread names) made safe to print, and its width
 * on a terminal. Names are data: nothing in them may move the cursor, change colours, or turn the
 * direction of writing. Functions that return a char * give memory to free(), NULL when out of
 * memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* As asprintf. */
__attribute__((format(printf, 1, 2))) char *utf8_text(const char *format, ...);
/* A text that is written as a stream. */
struct utf8_memory {
	FILE *to; /* NULL: out of memory */
	char *text;
	size_t bytes;
};
void utf8_memory_begin(struct utf8_memory *m);
/* The text; NULL where nothing was written, and when out of memory. */
char *utf8_memory_end(struct utf8_memory *m);

/* One character at *s, which moves past it. A byte that begins no well-formed one (Unicode 15,
 * Table 3-7) is UTF8_BROKEN, and passed alone. */
#define UTF8_BROKEN UINT32_MAX
uint32_t utf8_next(const char **s);
/* Controls, and what reorders or hides text. */
bool utf8_is_harmful(uint32_t c);
/* Copy with control characters, direction marks and broken UTF-8 as \xHH or
 * \u{HHHH}; without `utf8`, everything that is not ASCII as '?'. */
char *utf8_clean(const char *s, bool utf8);
/* The same of a text that is freed; NULL of NULL. */
char *utf8_cleaned(char *raw, bool utf8);
/* The same to a stream; "?" where there is no memory. */
void utf8_put_clean(FILE *to, const char *s, bool utf8);
/* Text of HTML or XML, also the value of an attribute between quotes: what they reserve is written
 * out. Errors of the stream stay in it. */
void utf8_write_markup(FILE *out, const char *s);
/* Columns that a clean text takes. */
size_t utf8_width(const char *s);
/* Clean text cut within to at most `width` columns: two thirds are its beginning. A place, a module
 * or a mark at the end (" (streams.py:343)", " at ae.c:123", " [waits]") stays whole where it fits
 * into as much. */
char *utf8_shorten(const char *s, size_t width, bool utf8);
/* Bytes of the longest start of `s` that takes at most `width` columns. */
size_t utf8_fit(const char *s, size_t width);

/* What follows the last slash; all of a path that ends in one. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
