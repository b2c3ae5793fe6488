// SPDX-License-Identifier: GPL-3.0-or-later
/* The lock that dlopen takes, and holds while it runs constructors. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_LOCK_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/safe_point_objects.h"

/* Its address in a process of this loader; 0: it cannot be told now. */
uint64_t safe_point_lock_find(const struct safe_point_object *loader, pid_t pid);

/* Somebody holds it. */
bool safe_point_lock_held(uint64_t lock, pid_t pid);

#endif
