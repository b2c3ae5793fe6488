// SPDX-License-Identifier: GPL-3.0-or-later
/* Filling a profile_error; private to profile/. All return -1, so that a check
 * can end with `return error_fail(...)`. */
#ifndef SCPROF_PROFILE_READ_ERROR_H
#define SCPROF_PROFILE_READ_ERROR_H

#include "profile/profile.h"

/* "PATH: text" */
int error_fail(struct profile_error *err, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "PATH: damaged profile: text" and what to do about it. */
int error_damaged(struct profile_error *err, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int error_no_memory(struct profile_error *err, const char *path);

#endif
