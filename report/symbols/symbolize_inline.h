// SPDX-License-Identifier: GPL-3.0-or-later
/* The inlined functions at an address, from debug information. Private to symbolize.c. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_INLINE_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_INLINE_H

#include <elfutils/libdwfl.h>

#include "report/symbols/symbolize_open.h"

/* One level: a function, and the place in it. Strings belong to the Dwfl. */
struct inline_level {
	const char *function; /* linker name, or plain name; NULL: not known */
	const char *file;
	int line;
	int declared; /* line of the function's declaration, if in the same file; else 0 */
	bool inlined;
};

#define INLINE_LEVELS 64

/* Levels at `address` (in the Dwfl's address space), innermost first. Returns
 * how many were filled, at most INLINE_LEVELS; 0 without debug information, and
 * where it would take more steps than `files` has left. */
size_t symbolize_inline_levels(struct symbolize_files *files, Dwfl_Module *module,
			       Dwarf_Addr address, struct inline_level *level);

#endif
