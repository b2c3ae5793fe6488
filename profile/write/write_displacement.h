// SPDX-License-Identifier: GPL-3.0-or-later
/* What displacement measured, as it lies in a merged file; private to profile/. Where memory runs
 * out img->failed is set. */
#ifndef SCPROF_PROFILE_WRITE_WRITE_DISPLACEMENT_H
#define SCPROF_PROFILE_WRITE_WRITE_DISPLACEMENT_H

#include "profile/write/image.h"

/* The cost of the call site of the model's entry `index`, whose record has the number `id`, if it
 * has one. */
void write_displacement_site(struct image *img, uint32_t id, const struct profile *p,
			     uint32_t index);

/* The accounts of the CPUs' time, in optional chunks. */
void write_displacement_accounts(struct image *img, const struct profile *p);

#endif
