// SPDX-License-Identifier: GPL-3.0-or-later
/* The shared object with a stub for each selected function: include/scprof_selected.h. */
#ifndef SCPROF_COLLECTOR_SELECT_STUB_OBJECT_H
#define SCPROF_COLLECTOR_SELECT_STUB_OBJECT_H

#include "collector/select/selection.h"

/* Write it to `path`, which must not exist. 0, or -1 with *err: also on a processor for which
 * there are no stubs. */
int stub_object_write(const struct selection *c, const char *path, struct profile_error *err);

#endif
