// SPDX-License-Identifier: GPL-3.0-or-later
/* Accounts of the CPUs' time, between records and model; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_ACCOUNT_H
#define SCPROF_PROFILE_MODEL_ACCOUNT_H

#include "profile/write/image.h"
#include "profile/read/raw.h"

/* All of a file, but those that the model has: a run is measured once. -1: out of memory. */
int account_load(struct profile *p, const struct raw_file *raw);

void account_write(struct image *img, const struct profile *p);

void account_clear(struct prof_account *a);

#endif
