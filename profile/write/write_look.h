// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls that passed through, as they lie in a merged file; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_WRITE_LOOK_H
#define SCPROF_PROFILE_WRITE_WRITE_LOOK_H

#include "profile/write/image.h"

/* All tables' looks. */
void write_look(struct image *img, const struct profile *p);

#endif
