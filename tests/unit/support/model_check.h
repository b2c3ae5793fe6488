// SPDX-License-Identifier: GPL-3.0-or-later
/* What must hold of any model, whatever file it came from; and equality. Both
 * return NULL, or a text that says what is wrong. */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "profile/profile.h"

const char *model_check(const struct profile *p);

/* All but the names of the files and the flag "merged". */
const char *model_difference(const struct profile *a, const struct profile *b);

#endif
