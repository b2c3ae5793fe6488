// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions whose names tell that they take no argument on the stack. */
#ifndef SCPROF_COLLECTOR_SELECT_STACK_NAMES_H
#define SCPROF_COLLECTOR_SELECT_STACK_NAMES_H

#include <stdbool.h>

/* A function of C or POSIX, of which no other library has one with other parameters; or one of C++
 * with few parameters, all of them numbers, pointers and references: `shown` is its demangled name.
 */
bool stack_names_has_none(const char *name, const char *shown);

/* A function of the ready-made groups' libraries. */
bool stack_names_has_none_in(const char *name, const char *soname);

#endif
