// SPDX-License-Identifier: GPL-3.0-or-later
/* The reverse of load_source; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_WRITE_SOURCE_H
#define SCPROF_PROFILE_WRITE_WRITE_SOURCE_H

#include "profile/write/image.h"

/* Ids are indices in the model, from 1. No chunk may be open. */
void write_source(struct image *img, const struct profile *p);

#endif
