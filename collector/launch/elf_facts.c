// SPDX-License-Identifier: GPL-3.0-or-later
/* Program headers first: they are what the kernel and the loader go by, and a
 * stripped file has nothing else. */
#include "collector/launch/elf_facts.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"

/* NUL-terminated text at a file offset, cut to its room; false if it runs out of the file. libelf
 * would read all of a file for it. */
static bool read_text(int fd, uint64_t offset, char *text, size_t room)
{
	ssize_t got = pread(fd, text, room - 1, (off_t)offset);

	text[got > 0 ? got : 0] = '\0';
	return got > 0 && ((size_t)got == room - 1 || memchr(text, '\0', (size_t)got));
}

/* File offset of an address, by the PT_LOAD that maps it; UINT64_MAX: none. */
static uint64_t offset_of(Elf *elf, size_t headers, uint64_t address)
{
	GElf_Phdr p;

	for (size_t i = 0; i < headers; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz)
			return p.p_offset + (address - p.p_vaddr);
	return UINT64_MAX;
}

bool elf_facts_is_loader(const char *path)
{
	static const char *const names[] = {"ld-linux", "ld64.so", "ld-2.", "ld.so"};
	const char *name = basename(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

bool elf_facts_is_musl(const char *path)
{
	const char *name = basename(path);

	return !strncmp(name, "ld-musl-", 8) || !strncmp(name, "libc.musl-", 10);
}

static void read_dynamic(int fd, Elf *elf, size_t headers, const GElf_Phdr *segment,
			 struct elf_facts *facts)
{
	char text[sizeof(facts->interpreter)];
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_DYN);
	uint64_t strings = UINT64_MAX;
	GElf_Dyn d;

	for (int i = 0; data && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++)
		if (d.d_tag == DT_STRTAB)
			strings = offset_of(elf, headers, d.d_un.d_ptr);
	if (strings == UINT64_MAX)
		return;
	for (int i = 0; gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
		if ((d.d_tag != DT_NEEDED && d.d_tag != DT_SONAME) ||
		    !read_text(fd, strings + d.d_un.d_val, text, sizeof(text)))
			continue;
		if (d.d_tag == DT_SONAME && (elf_facts_is_loader(text) || elf_facts_is_musl(text)))
			facts->is_static = false; /* run as a command, it loads, too */
		else if (!strncmp(text, "libasan.so", 10) || !strncmp(text, "libclang_rt.asan", 16))
			snprintf(facts->asan, sizeof(facts->asan), "%.*s",
				 (int)sizeof(facts->asan) - 1, text);
	}
}

/* The data of the section of that name; NULL: there is none. `elf` may be NULL. */
static Elf_Data *find_section(Elf *elf, const char *name)
{
	size_t names;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *its = gelf_getshdr(section, &header)
					  ? elf_strptr(elf, names, header.sh_name)
					  : NULL;

		if (its && !strcmp(its, name))
			return elf_getdata(section, NULL);
	}
	return NULL;
}

char *elf_facts_copy_section(const char *path, const char *name, size_t *bytes)
{
	int fd = given_file_open(path, 0, NULL, NULL);
	Elf *elf = fd < 0 || elf_version(EV_CURRENT) == EV_NONE ? NULL
								: elf_begin(fd, ELF_C_READ, NULL);
	const Elf_Data *data = find_section(elf, name);
	char *copy = data && data->d_buf && data->d_size ? calloc(1, data->d_size + 1) : NULL;

	if (copy) {
		memcpy(copy, data->d_buf, data->d_size);
		*bytes = data->d_size;
	}
	elf_end(elf);
	kernel_file_close(&fd);
	return copy;
}

static int read_elf(int fd, Elf *elf, struct elf_facts *facts)
{
	GElf_Ehdr header;
	GElf_Phdr p;
	size_t headers;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN) ||
	    elf_getphdrnum(elf, &headers) || !headers)
		return -1;
	*facts = (struct elf_facts){
		.machine = header.e_machine, .class = header.e_ident[EI_CLASS], .is_static = true};
	for (size_t i = 0; i < headers; i++) {
		if (!gelf_getphdr(elf, (int)i, &p))
			return -1;
		if (p.p_type == PT_DYNAMIC) {
			read_dynamic(fd, elf, headers, &p, facts);
		} else if (p.p_type == PT_INTERP) {
			facts->is_static = false;
			if (!read_text(fd, p.p_offset, facts->interpreter,
				       sizeof(facts->interpreter)))
				strcpy(facts->interpreter, "?");
		}
	}
	/* the Go linker writes them, and strip leaves them */
	facts->is_go = find_section(elf, ".go.buildinfo") || find_section(elf, ".note.go.buildid");
	return 0;
}

int elf_facts_read(int fd, struct elf_facts *facts)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	int result = elf ? read_elf(fd, elf, facts) : -1;

	elf_end(elf);
	return result;
}

bool elf_facts_loader_is_trusted(const char *interpreter)
{
	struct stat st;

	return !stat(interpreter, &st) && S_ISREG(st.st_mode) && !(st.st_mode & S_IWOTH) &&
	       (!(st.st_mode & S_IWGRP) || !st.st_gid) && (!st.st_uid || st.st_uid == geteuid());
}
