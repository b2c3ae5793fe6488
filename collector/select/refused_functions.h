// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions that cannot be called through a stub. */
#ifndef SCPROF_COLLECTOR_SELECT_REFUSED_FUNCTIONS_H
#define SCPROF_COLLECTOR_SELECT_REFUSED_FUNCTIONS_H

#include "collector/select/exports.h"

/* Why `name` cannot be selected, or NULL; static text. `own`: what libscprof.so exports and
 * imports. */
const char *refused_functions_reason(const char *name, const struct exports *own);

#endif
