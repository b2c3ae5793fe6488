// SPDX-License-Identifier: GPL-3.0-or-later
/* Names from interpreters, made safe to keep and to print; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_SOURCE_TEXT_H
#define SCPROF_PROFILE_MODEL_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Copy `from` as UTF-8 without control characters, each byte of anything else as '?', in `room`
 * bytes with the NUL at most. What is longer loses its end, or with `keep_end` its beginning; no
 * character is cut in two. Cleaning twice changes nothing. */
void source_text_clean(char *to, size_t room, const char *from, bool keep_end);

#endif
