// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions and lines of interpreted languages, and names of generated code, of a checked file
 * become those of the model; private to profile/. */
#ifndef SCPROF_PROFILE_READ_LOAD_SOURCE_H
#define SCPROF_PROFILE_READ_LOAD_SOURCE_H

#include "profile/read/raw.h"

/* Fills the maps: position in the raw list -> index in the model. -1: out of memory. */
int load_source(struct profile *p, const struct raw_file *raw, uint32_t *function, uint32_t *line);

#endif
