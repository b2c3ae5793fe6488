// SPDX-License-Identifier: GPL-3.0-or-later
/* What the dynamic linker sees of an ELF file: the functions that it exports, with their versions,
 * the names that it imports, and the libraries that it needs. */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct export
{
	const char *name;
	const char *version; /* NULL: none */
	bool is_default;     /* the version that a new program would be linked with */
	uint64_t address;    /* as in the file; 0: of an IFUNC, which stands for another function */
	/* AArch64: it uses registers in another way than most (STO_AARCH64_VARIANT_PCS) */
	bool variant_call;
};

struct names {
	char **name;
	size_t count;
};

/* Add a copy. 0, or -1 when out of memory. */
int exports_add_name(struct names *n, const char *name);
void exports_free_names(struct names *n);

struct exports {
	char *path;
	const char *path_within; /* that a process itself has it at (library_closure_read_maps) */
	char *soname;		 /* or the file's name */
	uint16_t machine, type;	 /* e_machine, e_type */
	Elf *elf;		 /* holds the names of the functions */
	struct export *function;
	size_t functions;
	struct names import;   /* undefined symbols, without versions */
	struct names needed;   /* sonames, in order */
	char *rpath, *runpath; /* where they are looked for; NULL */
};

/* 0, or -1 with errno where the file cannot be read as ELF (ENOEXEC) or out of memory.
 * Free with exports_free either way. */
int exports_read(const char *path, struct exports *out);
void exports_free(struct exports *e);
