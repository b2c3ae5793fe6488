// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/symbolize_private.h"

#include <endian.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>
#include <elfutils/libdwelf.h>

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

static void add_bytes(uint64_t *sum, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
}

/* What libelf reads to find a build-id: tables, and notes of any size. */
static uint64_t note_bytes(Elf *elf, const GElf_Ehdr *head)
{
	uint64_t sum = (head->e_phnum + UINT64_C(1) * head->e_shnum) * sizeof(GElf_Shdr);
	Elf_Scn *section = NULL;
	GElf_Phdr phdr;
	GElf_Shdr shdr;

	for (int i = 0; i < head->e_phnum; i++)
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_NOTE)
			add_bytes(&sum, phdr.p_filesz);
	while (!head->e_phnum && (section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == SHT_NOTE)
			add_bytes(&sum, shdr.sh_size);
	return sum;
}

int symbolize_elf_has_build_id(struct symbolize_files *f, int fd, const uint8_t *build_id,
			       uint32_t bytes)
{
	GElf_Ehdr head;
	Elf *elf = begin(fd, &head);
	const void *found;
	int same = -1;

	if (elf && symbolize_open_spend(f, note_bytes(elf, &head)))
		same = dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)bytes &&
		       !memcmp(found, build_id, bytes);
	elf_end(elf);
	return same;
}

/* The name of the file, a NUL, its build-id. */
static void read_alt(Elf_Scn *section, struct symbolize_alt *alt)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	size_t name = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0, id;

	if (!name || name >= sizeof(alt->name) || name == data->d_size)
		return;
	id = data->d_size - name - 1;
	if (!id || id > sizeof(alt->build_id))
		return;
	memcpy(alt->name, data->d_buf, name + 1);
	memcpy(alt->build_id, (const char *)data->d_buf + name + 1, id);
	alt->build_id_bytes = (uint32_t)id;
}

/* What a section will take more when libelf decompresses it: it believes what the section says. */
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

/* Of another user's file the small table of symbols that is compressed with LZMA is hidden: it does
 * not say how large it will be. */
static bool is_untold(const char *name, const struct stat *st)
{
	return !strcmp(name, ".gnu_debugdata") && st->st_uid && st->st_uid != geteuid();
}

/* Where variables lie and what macros are: libdw would unpack them as soon as it opens the file,
 * and nobody asks. */
static bool is_no_name(const char *name)
{
	return strstr(name, "debug_loc") || strstr(name, "debug_macro");
}

/* From the file to its copy. */
struct copy {
	struct symbolize_files *files;
	const struct stat *st;
	int from, to;
	GElf_Ehdr head;
	uint64_t section_bytes; /* of a section's header */
	struct symbolize_alt *alt;
};

static bool copy_part(const struct copy *c, uint64_t offset, uint64_t bytes)
{
	return !bytes ||
	       (offset <= (uint64_t)c->st->st_size && bytes <= (uint64_t)c->st->st_size - offset &&
		symbolize_open_copy(c->from, c->to, offset, bytes));
}

/* Of what is loaded with the program, only what names symbols and the build. */
static bool has_names(const GElf_Shdr *shdr)
{
	switch (shdr->sh_type) {
	case SHT_NULL:
	case SHT_NOBITS:
		return false;
	case SHT_NOTE:
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_DYNAMIC:
	case SHT_HASH:
	case SHT_GNU_HASH:
	case SHT_GNU_versym:
	case SHT_GNU_verdef:
	case SHT_GNU_verneed:
		return true;
	default:
		return !(shdr->sh_flags & SHF_ALLOC);
	}
}

typedef bool section_function(struct copy *c, Elf_Scn *section, const GElf_Shdr *shdr,
			      const char *name);

static bool copy_section(struct copy *c, Elf_Scn *section, const GElf_Shdr *shdr, const char *name)
{
	(void)section, (void)name;
	return !has_names(shdr) || (symbolize_open_spend(c->files, shdr->sh_size) &&
				    copy_part(c, shdr->sh_offset, shdr->sh_size));
}

/* Without its name nobody finds it. */
static bool hide(const struct copy *c, Elf_Scn *section)
{
	static const uint32_t none;
	uint64_t at = c->head.e_shoff + elf_ndxscn(section) * c->section_bytes;

	return pwrite(c->to, &none, sizeof(none), (off_t)at) == sizeof(none);
}

/* After all have been copied: sections may overlap. */
static bool prepare_section(struct copy *c, Elf_Scn *section, const GElf_Shdr *shdr,
			    const char *name)
{
	if (strstr(name, "gnu_debugaltlink")) {
		read_alt(section, c->alt);
		return hide(c, section);
	}
	if (is_untold(name, c->st) || is_no_name(name))
		return hide(c, section);
	return !has_names(shdr) ||
	       symbolize_open_spend(c->files, unpacked_bytes(section, shdr, name));
}

/* Of the copy, whose headers are what counts: the file's may change. */
static bool each_section(struct copy *c, section_function *act)
{
	Elf *elf = begin(c->to, &c->head);
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	size_t names;
	bool done = elf && elf_getshdrstrndx(elf, &names) == 0;

	while (done && (section = elf_nextscn(elf, section)) != NULL) {
		const char *name = "";

		done = gelf_getshdr(section, &shdr) != NULL;
		if (done && act == prepare_section) /* they are there */
			name = elf_strptr(elf, names, shdr.sh_name);
		done = done && act(c, section, &shdr, name ? name : "");
	}
	elf_end(elf);
	return done;
}

static bool copy_headers(struct copy *c)
{
	Elf *elf = begin(c->from, &c->head);
	uint64_t segments;

	if (!elf)
		return false;
	segments = c->head.e_phnum * (uint64_t)gelf_fsize(elf, ELF_T_PHDR, 1, EV_CURRENT);
	c->section_bytes = gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);
	elf_end(elf);
	return symbolize_open_spend(c->files, segments + c->head.e_shnum * c->section_bytes) &&
	       copy_part(c, 0, c->head.e_ehsize) && copy_part(c, c->head.e_phoff, segments) &&
	       copy_part(c, c->head.e_shoff, c->head.e_shnum * c->section_bytes);
}

static bool copy_file(struct copy *c)
{
	if (!copy_headers(c))
		return false;
	if (!c->head.e_shnum)
		return symbolize_open_spend(c->files, (uint64_t)c->st->st_size) &&
		       copy_part(c, 0, (uint64_t)c->st->st_size);
	return each_section(c, copy_section) && each_section(c, prepare_section);
}

bool symbolize_elf_has_symbols(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		const char *name =
			gelf_getshdr(section, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;

		if (name && ((head.sh_type == SHT_SYMTAB && head.sh_size > head.sh_entsize) ||
			     !strcmp(name, ".gnu_debugdata")))
			return true;
	}
	return false;
}

bool symbolize_elf_has_symbols_at(int fd)
{
	GElf_Ehdr head;
	Elf *elf = begin(fd, &head);
	bool has = symbolize_elf_has_symbols(elf);

	elf_end(elf);
	return has;
}

int symbolize_elf_copy(struct symbolize_files *f, int fd, const struct stat *st,
		       struct symbolize_alt *alt)
{
	struct copy c = {.files = f, .st = st, .from = fd, .alt = alt};

	c.to = symbolize_open_memory(f, (uint64_t)st->st_size);
	if (c.to >= 0 && !copy_file(&c)) {
		close(c.to);
		return -1;
	}
	return c.to;
}
