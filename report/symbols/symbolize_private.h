// SPDX-License-Identifier: GPL-3.0-or-later
/* Modules: their files, debug information and symbols. Private to symbolize*.c. */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "include/scprof_format.h"
#include "report/symbols/symbolize.h"

/* The one place that opens the files that a profile names: modules, their debug information, maps
 * of generated code. No profile is trusted: its author chose the paths, and may replace, truncate
 * or rewrite the files at any time. Therefore a path is looked up once, and the file that was
 * checked is the file that is opened; only regular files are opened, so that no pipe blocks and no
 * device acts; files are read into private memory, since a mapped file that is truncated kills the
 * process (SIGBUS); a reader with more rights than the profile's owner opens only root's own files,
 * and of those only files that everybody may read; the bytes that are read for one profile are
 * limited. */

/* What may be read for the names of one profile, in bytes after decompression. Symbols and lines
 * that are looked up take a few times their part of it. It does not depend on the profile: a
 * hundred bytes of a profile can name a file of any size. */
#define SYMBOLIZE_MOST	       (UINT64_C(1) << 30)
#define SYMBOLIZE_MOST_GUARDED (UINT64_C(1) << 29) /* see symbolize_guard */

/* To limit time, too, a file that is checked and a request to a server count as so many bytes. */
#define SYMBOLIZE_LOOK	   (UINT64_C(16) << 10)
#define SYMBOLIZE_QUESTION (UINT64_C(4) << 20)

/* Entries of debug information and maps that may be looked at, some tenths of a microsecond each:
 * where compilers left no index, one address may need all units of a file. */
#define SYMBOLIZE_MOST_STEPS	     (UINT64_C(1) << 27)
#define SYMBOLIZE_MOST_STEPS_GUARDED (UINT64_C(1) << 25)

struct symbolize_files {
	bool guarded;	/* see symbolize_guard; to be set before anything is opened */
	bool left_out;	/* something was, because of the limit */
	uint64_t spent; /* bytes */
	uint64_t steps;
};

/* Subtracts `bytes` from what is left of the limit; false: too few are left, and none were
 * subtracted. */
bool symbolize_open_spend(struct symbolize_files *f, uint64_t bytes);

/* The same for steps. */
bool symbolize_open_step(struct symbolize_files *f, uint64_t steps);

/* A file with code or debug information: an open descriptor and what it is, or -1. */
int symbolize_open(struct symbolize_files *f, struct stat *st, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

enum symbolize_map { SYMBOLIZE_MAP_NONE, SYMBOLIZE_MAP_REFUSED, SYMBOLIZE_MAP_READ };

/* A map of generated code, as `*bytes` of text behind which lies a NUL, to be freed. Refused when
 * it is not `owner`'s, is no regular file, or was not written since `since_ns` (real time). */
enum symbolize_map symbolize_open_read_map(struct symbolize_files *f, const char *path, uid_t owner,
					   uint64_t since_ns, char **text, uint64_t *bytes);

/* An open file that somebody else found; *st becomes what it is. */
bool symbolize_open_is_allowed(const struct symbolize_files *f, int fd, struct stat *st);

/* Whether the servers of DEBUGINFOD_URLS, where it is set, may be asked once more. */
bool symbolize_open_ask(struct symbolize_files *f);

/* A private file in memory: a descriptor, or -1. Also -1, and left out, where a file may not be so
 * large (RLIMIT_FSIZE, whose signal would end the process). */
int symbolize_open_memory(struct symbolize_files *f, uint64_t bytes);

/* A private copy of an ELF file, which libdwfl can map: a descriptor, or -1 where the file is none,
 * exceeds the limit, or is truncated while it is read. Sections that nobody needs have no names in
 * it. */
int symbolize_elf_copy(struct symbolize_files *f, int fd, const struct stat *st);
bool symbolize_elf_has_build_id(int copy, const uint8_t *build_id, uint32_t bytes);

/* Separate debug information. It is looked for beside the file and in .debug/ there, by the name of
 * .gnu_debuglink or the file's own with ".debug"; then as libdwfl does, in the folders of
 * SCPROF_DEBUG_PATH and /usr/lib/debug, and on the servers. A file with a build-id takes nothing
 * but debug information with the same one; a file without takes what has the CRC of its
 * .gnu_debuglink. */
struct symbolize_debug {
	struct symbolize_files *files;
	char *path; /* of the file; "": none */
	dev_t device;
	ino_t inode; /* the file is not its own debug information */
	bool found;  /* what is looked for from then on is shared by several files (dwz) */
};

/* libdwfl's callback find_debuginfo; *userdata is a struct symbolize_debug. */
int symbolize_debug_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **found);

/* The symbols of one module in order of address: dwfl_module_addrinfo reads them all for each
 * address. */

struct symbol_table;

/* Reads the module's symbols once. NULL: out of memory. The module must outlive the table. */
struct symbol_table *symbolize_table_new(Dwfl_Module *module);
void symbolize_table_free(struct symbol_table *t);

/* The name of the symbol that an address (of the Dwfl) belongs to, and how far behind its
 * beginning that is; NULL: none. The name is the module's. */
const char *symbolize_table_find(const struct symbol_table *t, GElf_Addr address, GElf_Off *into);

/* It has only the symbols of dynamic linking. */
bool symbolize_table_is_stripped(const struct symbol_table *t);

/* The file of a module: where it is found, and whether it is the build that ran.
 *
 * Where the profile says is the first place, not the only one: the file may lie in a
 * container, or be gone. Elsewhere a file is taken by its build-id alone, so
 * without one nothing but the path is tried. In this order:
 *   the path; the vDSO of this very kernel;
 *   /proc/PID/root/PATH and /proc/PID/exe of the profiled processes, while they live;
 *   DIR/PATH, DIR/FILE, then DIR/.build-id/xx/... for each DIR of SCPROF_DEBUG_PATH (DIR:DIR...);
 *   /usr/lib/debug;
 *   the servers of DEBUGINFOD_URLS, where it is set and libdebuginfod is installed.
 * symbolize_elf.c finds separate debug information. */

/* The file of a session and its build-id; paths do not matter. */
struct symbolize_key {
	dev_t device;
	ino_t inode;
	uint32_t build_id_bytes;
	uint8_t build_id[SCP_BUILD_ID_MAX];
};

/* An open file with its symbols. Several modules of a profile may share it. */
struct symbolize_session {
	struct symbolize_session *next;
	struct symbolize_key key;
	enum symbolize_state state;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr bias;
	struct symbolize_debug debug;
	struct symbol_table *table;
};

/* Of one profile. It must stay where it is. */
struct symbolize_sessions {
	struct symbolize_files files;
	struct symbolize_session *all; /* NULL: none yet */
	Dwfl_Callbacks callbacks;
	char *debug_path;
};

/* False: out of memory. */
bool symbolize_module_begin(struct symbolize_sessions *s);

struct symbolize_module {
	enum symbolize_state state;
	struct symbolize_session *session; /* of a loaded module */
};

/* Sets m->state, which was SYMBOLIZE_UNTRIED. */
void symbolize_module_open(struct symbolize_sessions *s, struct symbolize_module *m,
			   const struct profile *p, uint32_t module);
void symbolize_module_clear_sessions(struct symbolize_sessions *s);

/* The inlined functions at an address, from debug information. */

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
