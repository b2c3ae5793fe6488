// SPDX-License-Identifier: GPL-3.0-or-later
/* What an ELF executable says about how it will be loaded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_facts {
	uint16_t machine;      /* e_machine */
	int class;	       /* ELFCLASS32, ELFCLASS64 */
	bool is_static;	       /* the kernel starts it without a loader; static-pie too */
	bool is_go;	       /* built by the Go tool chain */
	char interpreter[256]; /* the loader it names; "" if static */
	char asan[64];	       /* soname of the address sanitizer's library it needs, or "" */
};

/* Reads the file behind `fd` (at any offset; closing it stays with the caller).
 * 0, or -1 if it is no intact ELF executable. */
int elf_facts_read(int fd, struct elf_facts *facts);

/* Whether a loader may be run to ask it about a program: a file can name any program as its loader.
 * True for a file of root's or the user's own that nobody else can write. */
bool elf_facts_loader_is_trusted(const char *interpreter);

/* Is it glibc's loader, by the name of its file: ld-linux-x86-64.so.2, ld64.so.1, ld-2.31.so,
 * ld.so.1? */
bool elf_facts_is_loader(const char *path);

/* Is it musl, whose loader and C library are one file: ld-musl-x86_64.so.1? */
bool elf_facts_is_musl(const char *path);

/* A copy of the section of that name of a file, which is not empty, with a NUL behind it; free with
 * free(). NULL: there is none, or out of memory. */
char *elf_facts_copy_section(const char *path, const char *name, size_t *bytes);
