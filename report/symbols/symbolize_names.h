// SPDX-License-Identifier: GPL-3.0-or-later
/* Demangled linker names, each demangled once: a function is looked up at many of its addresses.
 * Private to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_NAMES_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_NAMES_H

/* See struct symbol. */
struct symbol_name {
	const char *function, *brief; /* NULL: out of memory */
};

struct symbol_names; /* NULL: none yet */

/* A name is identified by its address, which must not change. NULL, NULL for NULL. What is returned
 * lives until symbolize_names_free. */
struct symbol_name symbolize_names_add(struct symbol_names **names, const char *linker_name);
void symbolize_names_free(struct symbol_names *names);

#endif
