// SPDX-License-Identifier: GPL-3.0-or-later
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "report/symbols/symbolize_private.h"
#include "report/wording/utf8.h"

/* ELF_C_READ reads, and does not map. Where a file has very many sections or segments their number
 * stands elsewhere: no program or library has so many, and libelf would take memory for what a file
 * claims. */
static Elf *begin(int fd, GElf_Ehdr *head)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, head) &&
	    head->e_phnum != PN_XNUM &&
	    (head->e_shnum ? head->e_shoff >= head->e_ehsize : !head->e_shoff))
		return elf;
	elf_end(elf);
	return NULL;
}

bool symbolize_elf_has_build_id(int copy, const uint8_t *build_id, uint32_t bytes)
{
	GElf_Ehdr head;
	Elf *elf = begin(copy, &head);
	const void *found;
	bool same = elf && dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)bytes &&
		    !memcmp(found, build_id, bytes);

	elf_end(elf);
	return same;
}

/* The bytes that libelf adds when it decompresses a section: it believes what the section says. */
static uint64_t unpacked_bytes(Elf_Scn *section, const GElf_Shdr *shdr, const char *name)
{
	GElf_Chdr compressed;
	uint64_t bytes;
	Elf_Data *data;

	if (shdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
	if (strncmp(name, ".z", 2) != 0)
		return 0;
	data = elf_rawdata(section, NULL); /* "ZLIB" and the size */
	if (!data || !data->d_buf || data->d_size < 12)
		return 0;
	memcpy(&bytes, (const char *)data->d_buf + 4, sizeof(bytes));
	return be64toh(bytes);
}

/* libdw would open the path in a link to a shared file (dwz), wherever it leads. A small table of
 * symbols, compressed with LZMA, does not say how large it will be: that of another user's file is
 * not read. libdw unpacks the places of variables and macros as soon as it opens a file, and nobody
 * asks for them. */
static bool is_hidden(const char *name, const struct stat *st)
{
	if (!strcmp(name, ".gnu_debugdata"))
		return st->st_uid && st->st_uid != geteuid();
	return strstr(name, "gnu_debugaltlink") || strstr(name, "debug_loc") ||
	       strstr(name, "debug_macro");
}

/* Nobody finds a section without its name. */
static bool hide(int copy, Elf *elf, const GElf_Ehdr *head, Elf_Scn *section)
{
	static const uint32_t none;
	uint64_t at =
		head->e_shoff + elf_ndxscn(section) * gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);

	return pwrite(copy, &none, sizeof(none), (off_t)at) == sizeof(none);
}

static bool prepare(struct symbolize_files *f, int copy, const struct stat *st)
{
	GElf_Ehdr head;
	Elf *elf = begin(copy, &head);
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	size_t names;
	bool done = elf && elf_getshdrstrndx(elf, &names) == 0;

	while (done && (section = elf_nextscn(elf, section)) != NULL) {
		const char *name = NULL;

		if (gelf_getshdr(section, &shdr))
			name = elf_strptr(elf, names, shdr.sh_name);
		if (!name)
			continue;
		done = is_hidden(name, st)
			       ? hide(copy, elf, &head, section)
			       : symbolize_open_spend(f, unpacked_bytes(section, &shdr, name));
	}
	elf_end(elf);
	return done;
}

int symbolize_elf_copy(struct symbolize_files *f, int fd, const struct stat *st)
{
	uint64_t bytes = (uint64_t)st->st_size;
	GElf_Ehdr head;
	Elf *elf = begin(fd, &head);
	int copy = elf && symbolize_open_spend(f, bytes) ? symbolize_open_copy(f, fd, bytes) : -1;

	elf_end(elf);
	if (copy >= 0 && !prepare(f, copy, st)) {
		close(copy);
		return -1;
	}
	return copy;
}

/* The proof that a file is the right one: the build-id, or where there is none the CRC. */
struct proof {
	const unsigned char *build_id;
	int bytes; /* of it */
	GElf_Word crc;
};

static bool has_crc(int fd, GElf_Word wanted)
{
	uint8_t part[1 << 14];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, part, sizeof(part), at)) > 0) {
		crc = crc32(crc, part, (uInt)got);
		at += got;
	}
	return crc == wanted;
}

/* A copy of the open file, which is closed, if it is the right one; -1: it is not. */
static int copy_proven(const struct symbolize_debug *d, const struct proof *p, int fd,
		       const struct stat *st)
{
	int copy = -1;

	if (st->st_dev != d->device || st->st_ino != d->inode)
		copy = symbolize_elf_copy(d->files, fd, st);
	if (copy >= 0 &&
	    !(p->bytes > 0 ? symbolize_elf_has_build_id(copy, p->build_id, (uint32_t)p->bytes)
			   : has_crc(fd, p->crc))) {
		close(copy);
		copy = -1;
	}
	close(fd);
	return copy;
}

/* In the folder of the file itself, and in .debug/ there. */
static int try_beside(const struct symbolize_debug *d, const struct proof *p, const char *link)
{
	const char *name = base_name(d->path);
	int folder = (int)(name - d->path), copy = -1;
	struct stat st;

	for (int i = 0; folder >= 1 && i < 2 && copy < 0; i++) {
		int fd = symbolize_open(d->files, &st, "%.*s%s%s%s", folder, d->path,
					i ? ".debug/" : "", link ? link : name,
					link ? "" : ".debug");

		copy = fd < 0 ? -1 : copy_proven(d, p, fd, &st);
	}
	return copy;
}

int symbolize_debug_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **found)
{
	struct symbolize_debug *d = *userdata;
	struct proof p = {.crc = crc};
	GElf_Addr where;
	int fd = -1;

	if (!d->found) {
		p.bytes = dwfl_module_build_id(module, &p.build_id, &where);
		if ((p.bytes <= 0 && !link) || (link && strchr(link, '/')))
			return -1; /* nothing to prove it by, or a path that may lead anywhere */
		fd = try_beside(d, &p, link);
	}
	if (fd < 0 && symbolize_open_ask(d->files))
		fd = dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc,
						  found);
	if (fd >= 0 && p.bytes > 0 &&
	    !symbolize_elf_has_build_id(fd, p.build_id, (uint32_t)p.bytes)) {
		close(fd); /* a server's answer */
		return -1;
	}
	d->found |= fd >= 0;
	return fd;
}
