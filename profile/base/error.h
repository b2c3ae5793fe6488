// SPDX-License-Identifier: GPL-3.0-or-later
/* Messages of one to three lines: what is wrong, with which file, what to do. A newline in a name
 * must not begin a line of its own, so lines end only where the format says so. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "profile/profile.h"

/* As vsnprintf, but a newline in an argument becomes \x0a. Other characters stay; whoever prints
 * the text makes them harmless. */
void error_format(char *text, size_t room, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

/* What follows a function's last parameter, `format`, in a text: by vsnprintf or error_format. */
#define FORMAT_BY(print, text, size, format)                                                       \
	do {                                                                                       \
		va_list arguments_;                                                                \
		va_start(arguments_, format);                                                      \
		print(text, size, format, arguments_);                                             \
		va_end(arguments_);                                                                \
	} while (0)

/* The same, into an error. Returns -1, so that a check can end with `return error_set(...)`. */
int error_set(struct profile_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The following return -1, too. They begin with the path; of a long one only the end is shown,
 * because it says more. */

/* "PATH: text" */
int error_fail(struct profile_error *err, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "PATH: damaged profile: text" and what to do about it. */
int error_damaged(struct profile_error *err, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int error_no_memory(struct profile_error *err, const char *path);
