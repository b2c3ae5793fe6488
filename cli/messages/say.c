// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/messages/say.h"

#include <stdarg.h>

#include "cli/messages/complaint.h"
#include "profile/base/error.h"

void say(const char *text)
{
	complaint_indented("scprof", text);
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
