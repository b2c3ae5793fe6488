// SPDX-License-Identifier: GPL-3.0-or-later
/* Error texts of profile/: which file, what is wrong, what to do.
 *
 * A long path is cut at the front, because its end says more.
 */
#include "profile/read/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile/read/message.h"

#define PATH_SHOWN 200

static size_t begin(struct profile_error *err, const char *path, const char *what)
{
	size_t length = strlen(path);
	const char *dots = "";

	if (length > PATH_SHOWN) {
		path += length - PATH_SHOWN;
		dots = "...";
	}
	message_set(err, "%s%s: %s", dots, path, what);
	return strlen(err->text);
}

int error_fail(struct profile_error *err, const char *path, const char *format, ...)
{
	size_t at = begin(err, path, "");
	va_list args;

	va_start(args, format);
	message_format(err->text + at, sizeof err->text - at, format, args);
	va_end(args);
	return -1;
}

int error_damaged(struct profile_error *err, const char *path, const char *format, ...)
{
	size_t at = begin(err, path, "damaged profile: ");
	va_list args;

	va_start(args, format);
	message_format(err->text + at, sizeof err->text - at, format, args);
	va_end(args);
	at = strlen(err->text);
	snprintf(err->text + at, sizeof err->text - at,
		 ".\nCopy the file anew from where it was recorded, or leave it out.");
	return -1;
}

int error_no_memory(struct profile_error *err, const char *path)
{
	return error_fail(err, path, "not enough memory to read this profile");
}
