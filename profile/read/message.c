// SPDX-License-Identifier: GPL-3.0-or-later
/* Formatted twice, with one byte and with another for each newline of the format: where the two
 * texts differ, and there only, is a newline of ours. */
#include "profile/read/message.h"

#include <stdio.h>
#include <string.h>

#define MOST 2048

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

void message_format(char *text, size_t room, const char *format, va_list arguments)
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

void message_set(struct profile_error *err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message_format(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
}
