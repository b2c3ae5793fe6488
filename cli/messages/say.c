// SPDX-License-Identifier: GPL-3.0-or-later
/* Each message is one write, so that it does not mix with the output of the command. */
#include "cli/messages/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/messages/default_origin.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"
#include "profile/base/error.h"

/* Without control characters of names and arguments. */
void say(const char *text)
{
	bool utf8 = terminal_of(stderr, 0).utf8;
	char out[4096], line[2048];
	char *from = utf8_clean(default_origin_of(text), utf8);
	size_t used = (size_t)snprintf(out, sizeof(out), "scprof: %.2000s", from ? from : ""),
	       length;

	free(from);

	for (;; text += length + 1) {
		length = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		char *clean = utf8_clean(line, utf8);
		size_t room = sizeof(out) - used;
		size_t more = (size_t)snprintf(out + used, room, "%s\n", clean ? clean : "");
		free(clean);
		used += more < room ? more : room - 1;
		if (!text[length] || used + 16 > sizeof(out))
			break;
		used += (size_t)snprintf(out + used, sizeof(out) - used, "        ");
	}
	fwrite(out, 1, used, stderr);
	fflush(stderr);
}

void say_format(const char *format, ...)
{
	char text[1900];
	va_list arguments;

	va_start(arguments, format);
	error_format(text, sizeof(text), format, arguments);
	va_end(arguments);
	say(text);
}
