// SPDX-License-Identifier: GPL-3.0-or-later
/* Symbols of generated code whose name tells a function of a language. Private to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_GENERATED_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_GENERATED_H

#include "report/symbols/symbolize.h"
#include "report/symbols/symbolize_jit.h"

#define SYMBOLIZE_GENERATED_MODULE "[generated code]" /* where the profile keeps the name */

struct generated_names; /* NULL: none yet */

/* Names, place and language of what was found. The same function of several compilers, or of
 * several processes, has one linker_name, by address. False: it is a name of another kind, and only
 * the module was filled in; or out of memory. */
bool symbolize_generated_fill(struct generated_names **names, const struct jit_name *found,
			      struct symbol *out);
void symbolize_generated_free(struct generated_names *names);

#endif
