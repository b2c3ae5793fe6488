// SPDX-License-Identifier: GPL-3.0-or-later
/* By section headers, which every linker's output has: strip keeps those of the dynamic symbols. */
#include "collector/select/exports.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/base/given_file.h"
#include "profile/base/array.h"
#include "profile/model/call_sums.h"
#include "profile/base/kernel_file.h"

struct tables {
	Elf *elf;
	uint16_t machine;
	Elf_Data *symbols, *versions, *definitions;
	size_t count, strings, version_strings, version_count;
};

static int replace(char **text, const char *with)
{
	free(*text);
	*text = strdup(with);
	return *text ? 0 : -1;
}

int exports_add_name(struct names *n, const char *name)
{
	char **to = ARRAY_APPEND(n->name, n->count);

	return to && (*to = strdup(name)) ? 0 : -1;
}

void exports_free_names(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct names){0};
}

static int read_dynamic(const struct tables *t, Elf_Data *data, size_t strings, struct exports *out)
{
	GElf_Dyn d;
	int failed = 0;

	for (int i = 0; !failed && data && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
		bool named = d.d_tag == DT_SONAME || d.d_tag == DT_NEEDED || d.d_tag == DT_RPATH ||
			     d.d_tag == DT_RUNPATH;
		const char *text = named ? elf_strptr(t->elf, strings, d.d_un.d_val) : NULL;

		if (text && d.d_tag == DT_NEEDED)
			failed = exports_add_name(&out->needed, text);
		else if (text)
			failed = replace(d.d_tag == DT_SONAME  ? &out->soname
					 : d.d_tag == DT_RPATH ? &out->rpath
							       : &out->runpath,
					 text);
	}
	return failed;
}

static int find_tables(struct tables *t, struct exports *out)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	int failed = 0;

	while (!failed && (section = elf_nextscn(t->elf, section))) {
		if (!gelf_getshdr(section, &h))
			continue;
		if (h.sh_type == SHT_DYNSYM && h.sh_entsize) {
			t->symbols = elf_getdata(section, NULL);
			t->count = h.sh_size / h.sh_entsize;
			t->strings = h.sh_link;
		} else if (h.sh_type == SHT_GNU_versym) {
			t->versions = elf_getdata(section, NULL);
		} else if (h.sh_type == SHT_GNU_verdef) {
			t->definitions = elf_getdata(section, NULL);
			t->version_strings = h.sh_link;
			t->version_count = h.sh_info;
		} else if (h.sh_type == SHT_DYNAMIC) {
			failed = read_dynamic(t, elf_getdata(section, NULL), h.sh_link, out);
		}
	}
	return failed;
}

/* Name of the version with this index; NULL: the file itself, or none. */
static const char *version_name(const struct tables *t, unsigned index)
{
	int at = 0;
	GElf_Verdef d;
	GElf_Verdaux a;

	for (size_t i = 0; t->definitions && i < t->version_count; i++) {
		if (!gelf_getverdef(t->definitions, at, &d))
			return NULL;
		if (d.vd_ndx == index && !(d.vd_flags & VER_FLG_BASE) &&
		    gelf_getverdaux(t->definitions, at + (int)d.vd_aux, &a))
			return elf_strptr(t->elf, t->version_strings, a.vda_name);
		if (!d.vd_next)
			return NULL;
		at += (int)d.vd_next;
	}
	return NULL;
}

static void add_function(const struct tables *t, size_t i, const GElf_Sym *s, const char *name,
			 struct exports *out)
{
	GElf_Versym v = 1;
	struct export *e = &out->function[out->functions];

	if (t->versions && !gelf_getversym(t->versions, (int)i, &v))
		v = 1;
	if (!(v & 0x7fff)) /* local */
		return;
	*e = (struct export){.name = name,
			     .version = version_name(t, v & 0x7fff),
			     .address = GELF_ST_TYPE(s->st_info) == STT_FUNC ? s->st_value : 0,
			     .is_default = !(v & 0x8000),
			     .variant_call = t->machine == EM_AARCH64 &&
					     (s->st_other & STO_AARCH64_VARIANT_PCS)};
	out->functions++;
}

static bool is_exported_function(const GElf_Sym *s)
{
	unsigned type = GELF_ST_TYPE(s->st_info), bind = GELF_ST_BIND(s->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(s->st_other);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && s->st_shndx != SHN_UNDEF &&
	       (bind == STB_GLOBAL || bind == STB_WEAK) &&
	       (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static int read_symbols(const struct tables *t, struct exports *out)
{
	GElf_Sym s;

	out->function = calloc(t->count + 1, sizeof(*out->function));
	if (!out->function)
		return -1;
	for (size_t i = 1; i < t->count; i++) {
		const char *name = gelf_getsym(t->symbols, (int)i, &s)
					   ? elf_strptr(t->elf, t->strings, s.st_name)
					   : NULL;
		if (!name || !*name)
			continue;
		if (s.st_shndx == SHN_UNDEF && exports_add_name(&out->import, name))
			return -1;
		if (is_exported_function(&s))
			add_function(t, i, &s, name, out);
	}
	return 0;
}

int exports_read(const char *path, struct exports *out)
{
	struct tables t = {0};
	GElf_Ehdr header;
	int result = -1, root = 0;

	*out = (struct exports){.path = strdup(path)};
	sscanf(path, "/proc/%*d/root%n", &root);
	out->path_within = out->path ? out->path + root : NULL;
	int fd = given_file_open(path, 0, NULL, NULL);
	if (fd >= 0 && out->path && elf_version(EV_CURRENT) != EV_NONE) {
		t.elf = out->elf = elf_begin(fd, ELF_C_READ, NULL);
		errno = ENOEXEC;
	}
	if (elf_kind(t.elf) == ELF_K_ELF && gelf_getehdr(t.elf, &header)) {
		out->machine = t.machine = header.e_machine;
		out->type = header.e_type;
		result = replace(&out->soname, basename(path)) || find_tables(&t, out) ||
					 read_symbols(&t, out)
				 ? -1
				 : 0;
	}
	elf_cntl(t.elf, ELF_C_FDDONE); /* all that is needed has been read */
	kernel_file_close(&fd);
	return result;
}

void exports_free(struct exports *e)
{
	elf_end(e->elf);
	exports_free_names(&e->import);
	exports_free_names(&e->needed);
	PROF_FREE(e, function, rpath, runpath, path, soname);
	*e = (struct exports){0};
}
