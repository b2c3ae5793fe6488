// SPDX-License-Identifier: Apache-2.0
/* The stub object of selected functions, opened in a process that runs. It is in nobody's scope:
 * slots lead to its stubs. It stays loaded, since a thread may be in a stub, and so does all that
 * it points to: who selects the same functions again gets the same object. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_STUBS_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_STUBS_H

#include <stdbool.h>

#include "preload/system/util.h"

/* Functions of the object at this path are the selected ones from now on (preload/function/
 * selected.h), and their originals are found; NULL: there are none. Between sessions only; takes
 * the loader's lock. False: the loader does not take it, or it is no stub object; then there are
 * none.
 */
HIDDEN bool slots_stubs_use(const char *path);

#endif
