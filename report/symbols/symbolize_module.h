// SPDX-License-Identifier: GPL-3.0-or-later
/* The file of a module: where it is found, and whether it is the build that ran. Private to
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
 * symbolize_debug.h finds separate debug information. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_MODULE_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_MODULE_H

#include <elfutils/libdwfl.h>
#include <uthash.h>

#include "report/symbols/symbolize.h"
#include "report/symbols/symbolize_debug.h"
#include "report/symbols/symbolize_open.h"
#include "report/symbols/symbolize_table.h"

/* The file of a session and its build-id; paths do not matter. */
struct symbolize_key {
	uint64_t device, inode;
	uint32_t build_id_bytes;
	uint8_t build_id[SCP_BUILD_ID_MAX];
};

/* An open file with its symbols. Several modules of a profile may share it. */
struct symbolize_session {
	struct symbolize_key key;
	Dwfl *dwfl; /* NULL: it cannot be read, or was left out because of the limit */
	bool left_out;
	Dwfl_Module *module;
	Dwarf_Addr bias;
	struct symbolize_debug debug;
	struct symbol_table *table; /* NULL: few lookups so far, or out of memory */
	uint32_t walks;		    /* without it */
	bool stripped;		    /* it has only the symbols of dynamic linking */
	UT_hash_handle hh;
};

/* Of one profile. */
struct symbolize_sessions {
	struct symbolize_files files;
	struct symbolize_session *all; /* NULL: none yet */
};

struct symbolize_module {
	enum symbolize_state state;
	struct symbolize_session *session; /* of a loaded module */
};

/* Sets m->state, which was SYMBOLIZE_UNTRIED. */
void symbolize_module_open(struct symbolize_sessions *s, struct symbolize_module *m,
			   const struct profile *p, uint32_t module);
void symbolize_module_clear_sessions(struct symbolize_sessions *s);

/* The linker symbol that an address (of the Dwfl) belongs to, and how far behind its beginning that
 * is; NULL: none. The nearest symbol below is not good enough: in a stripped file it is some other
 * function. */
const char *symbolize_module_session_symbol(struct symbolize_session *s, GElf_Addr address,
					    GElf_Off *into);

#endif
