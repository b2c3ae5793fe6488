// SPDX-License-Identifier: GPL-3.0-or-later
/* Separate debug information: where it is looked for, and how it is proved to belong to the file.
 * In this order:
 *   DIR/.build-id/xx/....debug, for /usr/lib/debug and each DIR of SCPROF_DEBUG_PATH;
 *   the name of .gnu_debuglink, or else the file's with ".debug", beside the file, in .debug/, and
 *   in DIR/FOLDER for each end of the folder's path (a/b/c, b/c, c, none);
 *   the same beside the file that the path leads to;
 *   the servers of DEBUGINFOD_URLS.
 * A file with a build-id takes nothing but debug information with the same one; a file without
 * takes what has the CRC of its .gnu_debuglink. Private to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_DEBUG_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_DEBUG_H

#include <elfutils/libdwfl.h>

#include "report/symbols/symbolize_elf.h"

struct symbolize_debug {
	struct symbolize_files *files;
	char *path, *canonical; /* of the file; NULL: none */
	dev_t device;
	ino_t inode; /* the file is not its own debug information */
	struct symbolize_alt alt;
	char *alt_from;	  /* the file with the link to it */
	bool has_symbols; /* what was found has a table of symbols */
	bool is_shared;	  /* symbolize_debug_share() was called */
	Dwarf *shared;	  /* what `alt` is, NULL: none, or not found */
	int shared_fd;
};

/* Of the file that was opened at `path` as `fd`. `alt` is the file's own. */
void symbolize_debug_init(struct symbolize_debug *d, struct symbolize_files *files,
			  const char *path, int fd, const struct stat *st,
			  const struct symbolize_alt *alt);

/* libdwfl's callback find_debuginfo; *userdata is a struct symbolize_debug. */
int symbolize_debug_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **found);

/* Attaches the debug information that several files share (dwz) to the module's, once. To be called
 * before any of it is read: libdw would look for it by itself. It unpacks all of the module's. */
void symbolize_debug_share(struct symbolize_debug *d, Dwfl_Module *module);

/* After the module's session has ended. */
void symbolize_debug_clear(struct symbolize_debug *d);

/* The directories of SCPROF_DEBUG_PATH, and /usr/lib/debug after them; *at is to be NULL first.
 * False: there are no more. Not to be kept. */
bool symbolize_debug_directory(const char **at, const char **directory, int *length);

/* A file by its build-id from the servers of DEBUGINFOD_URLS: an open descriptor and what it is, or
 * -1. `debug_only`: not the program or library itself. */
int symbolize_fetch(struct symbolize_files *f, const uint8_t *build_id, uint32_t bytes,
		    bool debug_only, struct stat *st);

#endif
