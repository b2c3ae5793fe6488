// SPDX-License-Identifier: Apache-2.0
/* Loaded objects by the kernel's list of mappings. */
#ifndef SCPROF_PRELOAD_PROCESS_OBJECT_INDEX_H
#define SCPROF_PRELOAD_PROCESS_OBJECT_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/system/util.h"
#include "preload/unwind/unwind.h"

/* As unwind_object_find_object, without libc. An address that was not met before costs a look at
 * /proc/self/maps. Async-signal-safe; no lock is held while a caller runs. */
HIDDEN bool object_index_find(uint64_t pc, struct unwind_object *object);

#endif
