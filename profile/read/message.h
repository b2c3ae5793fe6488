// SPDX-License-Identifier: GPL-3.0-or-later
/* Messages of several lines about things that have names: a newline in a name must not begin a
 * line of its own. */
#ifndef SCPROF_PROFILE_MESSAGE_H
#define SCPROF_PROFILE_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>

#include "profile/profile.h"

/* As vsnprintf, but lines end where the format says so only: a newline in an argument becomes
 * \x0a. Other characters stay; who prints the text makes them harmless. */
void message_format(char *text, size_t room, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

/* The same, into an error. */
void message_set(struct profile_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
