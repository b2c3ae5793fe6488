// SPDX-License-Identifier: GPL-3.0-or-later
/* What a message repeats of arguments and names comes from outside. */
#include "cli/messages/complaint.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/messages/default_origin.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

void complaint_print(const char *command, const char *text)
{
	bool utf8 = terminal_of(stderr, 0).utf8;
	char *from = utf8_clean(default_origin_of(text), utf8), *clean = utf8_clean(text, utf8);

	fprintf(stderr, "%s: %s%s\n", command, from ? from : "", clean ? clean : "out of memory");
	free(from);
	free(clean);
}

void complaint_format(const char *command, const char *format, va_list arguments)
{
	char text[1536];

	vsnprintf(text, sizeof(text), format, arguments);
	complaint_print(command, text);
}

void complaint_say(const char *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complaint_format(command, format, arguments);
	va_end(arguments);
}

void complaint_lines(const char *command, const char *text)
{
	char line[1536];
	size_t length = strcspn(text, "\n");

	snprintf(line, sizeof(line), "%.*s", (int)length, text);
	complaint_print(command, line);
	while (text[length]) {
		text += length + 1;
		length = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		char *clean = utf8_clean(line, terminal_of(stderr, 0).utf8);
		fprintf(stderr, "%s\n", clean ? clean : "");
		free(clean);
	}
}
