// SPDX-License-Identifier: GPL-3.0-or-later
/* The versions that libc.so.6 of the process defines are read from its memory: its file may be
 * another by now. Nothing there is trusted: numbers are bounded, texts cut. Where nothing can be
 * read, the loader is left to say no. */
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "collector/attach/refusal/refusal_private.h"

#define VERSION_BYTES 32
#define MOST_VERSIONS 256
#define MOST_HEADERS  64
#define MOST_DYNAMIC  512

struct versions {
	char name[MOST_VERSIONS][VERSION_BYTES];
	size_t count;
};

static bool read_memory(pid_t pid, uint64_t from, void *to, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

struct tables {
	uint64_t definitions, count, strings;
};

/* The loader turns some of the addresses into absolute ones, in place. */
static uint64_t absolute(uint64_t base, uint64_t value)
{
	return value < base ? base + value : value;
}

static bool find_tables(pid_t pid, uint64_t base, struct tables *t)
{
	Elf64_Ehdr header;
	Elf64_Phdr p;
	Elf64_Dyn d = {.d_tag = DT_NULL};
	uint64_t dynamic = 0;

	*t = (struct tables){0};
	if (!read_memory(pid, base, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG))
		return false;
	for (unsigned i = 0; i < header.e_phnum && i < MOST_HEADERS && !dynamic; i++)
		if (read_memory(pid, base + header.e_phoff + i * sizeof(p), &p, sizeof(p)) &&
		    p.p_type == PT_DYNAMIC)
			dynamic = base + p.p_vaddr;
	for (unsigned i = 0; dynamic && i < MOST_DYNAMIC; i++) {
		if (!read_memory(pid, dynamic + i * sizeof(d), &d, sizeof(d)) || d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_VERDEF)
			t->definitions = absolute(base, d.d_un.d_ptr);
		else if (d.d_tag == DT_VERDEFNUM)
			t->count = d.d_un.d_val;
		else if (d.d_tag == DT_STRTAB)
			t->strings = absolute(base, d.d_un.d_ptr);
	}
	return t->definitions && t->strings;
}

static void read_versions(pid_t pid, uint64_t base, struct versions *v)
{
	struct tables t;
	Elf64_Verdef definition;
	Elf64_Verdaux name;

	v->count = 0;
	if (!find_tables(pid, base, &t))
		return;
	for (uint64_t i = 0, at = t.definitions; i < t.count && v->count < MOST_VERSIONS; i++) {
		char *text = v->name[v->count];

		if (!read_memory(pid, at, &definition, sizeof(definition)) ||
		    !read_memory(pid, at + definition.vd_aux, &name, sizeof(name)) ||
		    !read_memory(pid, t.strings + name.vda_name, text, VERSION_BYTES - 1))
			break;
		text[VERSION_BYTES - 1] = '\0';
		v->count++;
		if (!definition.vd_next)
			break;
		at += definition.vd_next;
	}
}

static bool has_version(const struct versions *v, const char *name)
{
	for (size_t i = 0; i < v->count; i++)
		if (!strcmp(v->name[i], name))
			return true;
	return false;
}

/* GLIBC_2.35 as 2035; 0: no such number. */
static unsigned rank(const char *version)
{
	unsigned major = 0, minor = 0;

	return sscanf(version, "GLIBC_%3u.%3u", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

static unsigned newest(const struct versions *v)
{
	unsigned most = 0;

	for (size_t i = 0; i < v->count; i++)
		if (rank(v->name[i]) > most)
			most = rank(v->name[i]);
	return most;
}

/* The newest version that the library needs of libc.so.6 and that is not there, or "". */
static void find_missing(Elf *elf, const GElf_Shdr *header, Elf_Data *data,
			 const struct versions *v, char missing[VERSION_BYTES])
{
	GElf_Verneed need;
	GElf_Vernaux one;

	for (int at = 0; data && gelf_getverneed(data, at, &need); at += (int)need.vn_next) {
		const char *file = elf_strptr(elf, header->sh_link, need.vn_file);
		int aux = at + (int)need.vn_aux;

		for (int i = 0; file && !strcmp(file, "libc.so.6") && i < need.vn_cnt &&
				gelf_getvernaux(data, aux, &one);
		     i++, aux += (int)one.vna_next) {
			const char *name = elf_strptr(elf, header->sh_link, one.vna_name);

			if (name && !(one.vna_flags & VER_FLG_WEAK) && !has_version(v, name) &&
			    rank(name) >= rank(missing))
				snprintf(missing, VERSION_BYTES, "%s", name);
		}
		if (!need.vn_next)
			break;
	}
}

int refusal_library_versions(const struct refusal_process *p, uint64_t libc, int library,
			     struct profile_error *err)
{
	struct versions *v = malloc(sizeof(*v));
	Elf *elf = elf_version(EV_CURRENT) ? elf_begin(library, ELF_C_READ, NULL) : NULL;
	char missing[VERSION_BYTES] = "";
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	unsigned has = 0;

	if (v)
		read_versions(p->pid, libc, v);
	while (v && v->count && elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_verneed)
			find_missing(elf, &header, elf_getdata(section, NULL), v, missing);
	if (v)
		has = newest(v);
	elf_end(elf);
	free(v);
	if (!*missing)
		return 0;
	return refusal_say(p, err,
			   "its glibc is older than this libscprof.so needs: it has symbols up to "
			   "GLIBC_%u.%u, not %s: use a scprof that was built on a system as old",
			   has / 1000, has % 1000, missing);
}
