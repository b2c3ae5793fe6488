// SPDX-License-Identifier: GPL-3.0-or-later
/* Private copies of ELF files, changed so that libdw, which reads them, opens nothing by itself.
 * Private to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_ELF_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_ELF_H

#include <libelf.h>

#include "report/symbols/symbolize_open.h"
#include "include/scprof_format.h"

/* A file that holds what several files' debug information has in common (dwz). */
struct symbolize_alt {
	char name[512]; /* a whole path, or one from the folder of the file with the link */
	uint8_t build_id[SCP_BUILD_ID_MAX];
	uint32_t build_id_bytes; /* 0: none is needed */
};

/* Does the file have this build-id? Few bytes are read, none mapped. -1: it is no ELF file, or
 * beyond the bound. */
int symbolize_elf_has_build_id(struct symbolize_files *f, int fd, const uint8_t *build_id,
			       uint32_t bytes);

/* A table of symbols, or what Fedora keeps of one? NULL: no. */
bool symbolize_elf_has_symbols(Elf *elf);
bool symbolize_elf_has_symbols_at(int fd);

/* Copies the parts of a file with names into memory that libdwfl can map: a descriptor, or -1 where
 * the file is no ELF file, exceeds the limit, is truncated while it is read, or out of memory. Code
 * and data, which have no names, are zeroes. Its link to a file of dwz is removed, since libdw
 * would follow it; *alt is set where there is one. */
int symbolize_elf_copy(struct symbolize_files *f, int fd, const struct stat *st,
		       struct symbolize_alt *alt);

#endif
