// SPDX-License-Identifier: GPL-3.0-or-later
/* Ready-made groups of selected functions: what most users would write for a library. */
#ifndef SCPROF_COLLECTOR_SELECT_SELECTION_GROUPS_H
#define SCPROF_COLLECTOR_SELECT_SELECTION_GROUPS_H

#include <stddef.h>

/* The patterns of the group whose name is the first `length` bytes of `name`; NULL: there is
 * none. Functions that a program or a machine does not have are left out. */
const char *selection_groups_find(const char *name, size_t length);

extern const char selection_groups_names[]; /* for messages: "ssl, alloc, ..." */

#endif
