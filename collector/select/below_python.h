// SPDX-License-Identifier: GPL-3.0-or-later
/* Patterns of --below that may mean Python functions, which no symbol table has: only the process
 * itself will see them (preload/filter/below_names.h). */
#ifndef SCPROF_COLLECTOR_SELECT_BELOW_PYTHON_H
#define SCPROF_COLLECTOR_SELECT_BELOW_PYTHON_H

#include <stdbool.h>

#include "collector/select/below.h"

/* An interpreter, or its library, by the name of its file? */
bool below_python_is_object(const char *path);

/* Does an unqualified name mean this symbol of an interpreter's? "main" is its program's. */
bool below_python_is_own(const char *symbol);

/* May it be a Python function? `is_python`: an interpreter is known to be there; else only what has
 * the form of one: file.py:name, package.module.name. */
bool below_python_may_mean(const struct symbol_pattern *p, bool is_python);

/* Fill b->names with those that may, if any does. 0, or -1 with *err. */
int below_python_collect(struct below *b, struct profile_error *err);

#endif
