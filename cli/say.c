// SPDX-License-Identifier: GPL-3.0-or-later
/* One write a message, so that it does not mix with the command's output. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void say(const char *text)
{
	char out[2048];
	size_t used = (size_t)snprintf(out, sizeof(out), "scprof: ");

	for (; *text && used + 16 < sizeof(out); text++) {
		out[used++] = *text;
		if (*text == '\n')
			used += (size_t)snprintf(out + used, sizeof(out) - used, "        ");
	}
	out[used++] = '\n';
	fwrite(out, 1, used, stderr);
	fflush(stderr);
}

void say_format(const char *format, ...)
{
	char text[1900];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	say(text);
}
