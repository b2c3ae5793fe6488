// SPDX-License-Identifier: Apache-2.0
/* Names against patterns, as fnmatch(3) does, but without its locale, memory and recursion: * any
 * text, ? any character. There are no sets, and nothing quotes. */
#pragma once

#include "preload/system/util.h"

/* `pattern` has `length` bytes; `name` ends in NUL. */
HIDDEN bool glob_matches(const char *pattern, size_t length, const char *name);

/* Where NAME begins in [LIBRARY:]NAME; a name of C++ holds colons only in pairs. */
HIDDEN const char *glob_name_part(const char *pattern, const char *end);

/* Of a list that commas separate: does one match? */
HIDDEN bool glob_list_matches(const char *list, const char *name);
