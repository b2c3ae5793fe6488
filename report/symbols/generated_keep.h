// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of generated code into a profile, while the files that know them are there. */
#ifndef SCPROF_REPORT_SYMBOLS_GENERATED_KEEP_H
#define SCPROF_REPORT_SYMBOLS_GENERATED_KEEP_H

#include "profile/profile.h"

/* Adds to the model the names of all generated code that its call paths go through, as far as maps
 * and dumps of its processes know them (symbolize_jit.h). Where memory runs out names are missing.
 */
void generated_keep(struct profile *p);

#endif
