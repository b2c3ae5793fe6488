// SPDX-License-Identifier: GPL-3.0-or-later
/* A text is formatted twice, with one byte and with another for each newline of the format: where
 * the two differ, and there only, is a newline of ours. */
#include "profile/base/error.h"

#include <stdio.h>
#include <string.h>

#define MOST	   2048
#define PATH_SHOWN 200

static void format_marked(char *text, char mark, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

static void format_marked(char *text, char mark, const char *format, va_list arguments)
{
	char marked[MOST];

	snprintf(marked, sizeof(marked), "%s", format);
	for (char *c = strchr(marked, '\n'); c; c = strchr(c, '\n'))
		*c = mark;
	vsnprintf(text, MOST, marked, arguments);
}

void error_format(char *text, size_t room, const char *format, va_list arguments)
{
	char one[MOST], other[MOST];
	size_t used = 0, length;
	va_list again;

	va_copy(again, arguments);
	format_marked(one, '\1', format, arguments);
	format_marked(other, '\2', format, again);
	va_end(again);
	for (size_t i = 0; one[i] && other[i]; i++) {
		const char *put = (char[]){one[i], '\0'};

		if (one[i] != other[i])
			put = "\n";
		else if (one[i] == '\n')
			put = "\\x0a";
		length = strlen(put);
		if (used + length >= room)
			break;
		memcpy(text + used, put, length);
		used += length;
	}
	if (room)
		text[used] = '\0';
}

int error_set(struct profile_error *err, const char *format, ...)
{
	FORMAT_BY(error_format, err->text, sizeof(err->text), format);
	return -1;
}

int error_fail(struct profile_error *err, const char *path, const char *format, ...)
{
	size_t length = strlen(path), at;
	bool is_long = length > PATH_SHOWN;

	error_set(err, "%s%s: ", is_long ? "..." : "", is_long ? path + length - PATH_SHOWN : path);
	at = strlen(err->text);
	FORMAT_BY(error_format, err->text + at, sizeof err->text - at, format);
	return -1;
}

int error_damaged(struct profile_error *err, const char *path, const char *format, ...)
{
	char text[MOST];

	FORMAT_BY(error_format, text, sizeof(text), format);
	return error_fail(err, path,
			  "damaged profile: %s.\nCopy the file anew from where it was recorded, or "
			  "leave it out.",
			  text);
}

int error_no_memory(struct profile_error *err, const char *path)
{
	return error_fail(err, path, "not enough memory to read this profile");
}
