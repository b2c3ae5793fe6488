// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions and lines of interpreted languages, and generated code by name: equal ones of all files
 * are one of the model. Adding: source_add_* in profile.h. Private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_SOURCE_H
#define SCPROF_PROFILE_MODEL_SOURCE_H

#include "profile/profile.h"

/* Forget what is beyond these counts. */
void source_forget(struct profile *p, uint32_t functions, uint32_t lines, uint32_t generateds);

/* All memory, the arrays too. */
void source_free(struct profile *p);

#endif
