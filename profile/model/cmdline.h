// SPDX-License-Identifier: GPL-3.0-or-later
/* Command lines as NUL-separated bytes; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_CMDLINE_H
#define SCPROF_PROFILE_MODEL_CMDLINE_H

#include <stdint.h>

/* Split into at most *argc strings and a NULL: one block, to be freed by one
 * free(). *argc becomes how many there are. NULL: out of memory. */
char **cmdline_split(const char *bytes, uint32_t count, uint32_t *argc);

#endif
