// SPDX-License-Identifier: GPL-3.0-or-later
/* Accounts of the CPUs' time in a model (profile.h has the rest); private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_ACCOUNT_H
#define SCPROF_PROFILE_MODEL_ACCOUNT_H

#include "profile/profile.h"

void account_clear(struct prof_account *a);

#endif
