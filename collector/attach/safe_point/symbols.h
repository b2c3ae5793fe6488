// SPDX-License-Identifier: GPL-3.0-or-later
/* Exported symbols of an object of a process, from its memory. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_SYMBOLS_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/safe_point/objects.h"

/* The address of a function, or of data, in its default version where there are several; 0: none.
 */
uint64_t symbols_find(const struct safe_point_object *o, pid_t pid, const char *name);

/* Fill in o->function. False: no memory, or the tables cannot be read. */
bool symbols_read(struct safe_point_object *o, pid_t pid);

/* The function that holds an address; NULL: none that is exported. */
const struct safe_point_symbol *symbols_at(const struct safe_point_object *o, uint64_t at);

/* The lock that dlopen takes, and holds while it runs constructors: its address in a process of
 * this loader; 0: it cannot be told now. */
uint64_t symbols_find_lock(const struct safe_point_object *loader, pid_t pid);
bool symbols_lock_is_held(uint64_t lock, pid_t pid);

/* What a function of libc of that name means. */
enum safe_point_meaning libc_names_meaning(const char *name);

#endif
