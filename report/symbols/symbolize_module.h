// SPDX-License-Identifier: GPL-3.0-or-later
/* The file of one module: found, and proved to be the build that ran. Private to
 * symbolize*.c.
 *
 * Where the profile says is the first place, not the only one: the file may lie in a
 * container, or be gone. Elsewhere a file is taken by its build-id alone, so
 * without one nothing but the path is tried. In this order:
 *   the path; the vDSO of this very kernel;
 *   /proc/PID/root/PATH and /proc/PID/exe of the profiled processes, while they live;
 *   DIR/PATH, DIR/FILE, DIR/.build-id/xx/... for each DIR of SCPROF_DEBUG_PATH (DIR:DIR...);
 *   /usr/lib/debug/.build-id/xx/....debug;
 *   the servers of DEBUGINFOD_URLS, where it is set and libdebuginfod is installed.
 * Separate debug information of a file that was found is libdwfl's to find: by
 * build-id, by debug link (CRC checked), by debuginfod, in the same directories. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_MODULE_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_MODULE_H

#include <elfutils/libdwfl.h>

#include "report/symbols/symbolize.h"
#include "report/symbols/symbolize_table.h"

struct symbolize_module {
	enum symbolize_state state;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr bias;
	struct symbol_table *table; /* NULL: few symbols were asked for, or memory is out */
	uint32_t walks;		    /* without it */
	bool stripped;		    /* the only symbols are those of dynamic linking */
	bool guarded;		    /* see symbolize_guard; to be set before it is opened */
};

/* Sets m->state, which was SYMBOLIZE_UNTRIED. */
void symbolize_module_open(struct symbolize_module *m, const struct profile *p, uint32_t module);
void symbolize_module_close(struct symbolize_module *m);

/* The linker symbol that an address (of the Dwfl) belongs to, and how far behind its beginning that
 * is; NULL: none. A loaded module's. The nearest symbol below is not good enough: in a stripped
 * file it is some other function. */
const char *symbolize_module_symbol(struct symbolize_module *m, GElf_Addr address, GElf_Off *into);

/* A file by its build-id from the servers of DEBUGINFOD_URLS: an open descriptor, or -1. */
int symbolize_fetch(const uint8_t *build_id, uint32_t bytes);

#endif
