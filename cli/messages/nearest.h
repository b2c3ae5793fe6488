// SPDX-License-Identifier: GPL-3.0-or-later
/* "Did you mean": the name that a mistyped one was probably meant to be. */
#ifndef SCPROF_CLI_MESSAGES_NEAREST_H
#define SCPROF_CLI_MESSAGES_NEAREST_H

#include <stddef.h>

/* The one of `names` that takes the fewest insertions, deletions, replacements
 * and swaps of neighbours; NULL if none is near. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
