// SPDX-License-Identifier: GPL-3.0-or-later
/* What a message repeats of arguments and names comes from outside. Each message is one write, so
 * that it does not mix with the output of the command. */
#include "cli/messages/complaint.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/messages/default_origin.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

static void put_clean(FILE *to, const char *text, size_t length, bool utf8)
{
	char *copy = strndup(text, length), *clean = copy ? utf8_clean(copy, utf8) : NULL;

	fputs(clean ? clean : "out of memory", to);
	free(copy);
	free(clean);
}

/* `lines`: as many as the text has, the later ones behind `indent`; else it is one. */
static void print(const char *command, const char *text, bool lines, const char *indent)
{
	const char *from = default_origin_of(text);
	bool utf8 = terminal_of(stderr, 0).utf8;
	char *message = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&message, &size);

	if (!to)
		return;
	fprintf(to, "%s: ", command);
	put_clean(to, from, strlen(from), utf8);
	for (size_t length;; text += length + 1) {
		length = lines ? strcspn(text, "\n") : strlen(text);
		put_clean(to, text, length, utf8);
		fputc('\n', to);
		if (!text[length])
			break;
		fputs(indent, to);
	}
	if (!fclose(to))
		fwrite(message, 1, size, stderr);
	fflush(stderr);
	free(message);
}

void complaint_print(const char *command, const char *text)
{
	print(command, text, false, "");
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
	print(command, text, true, "");
}

void complaint_indented(const char *command, const char *text)
{
	print(command, text, true, "        ");
}
