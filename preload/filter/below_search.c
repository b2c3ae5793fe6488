// SPDX-License-Identifier: Apache-2.0
/* Without `scprof run`: the functions of --below from the symbol tables of the objects that the
 * program has at its start. Names are as the tables have them, not demangled; symbols in separate
 * debug files, and libraries that come later, are not seen. */
#include <elf.h>
#include <link.h>

#include "preload/process/arena.h"
#include "preload/filter/below.h"
#include "preload/system/glob.h"
#include "preload/process/settings.h"
#include "preload/system/sys.h"

#define OBJECTS_MAX 64u
#define RANGES_MAX  4096u
#define TEXTS_MAX   (64u << 10)

struct search {
	const char *patterns;
	struct scp_below_object object[OBJECTS_MAX];
	struct scp_below_range range[RANGES_MAX];
	char text[TEXTS_MAX];
	uint32_t objects, ranges, text_bytes;
};

/* A whole file, for reading. */
struct image {
	const uint8_t *bytes;
	uint64_t size;
};

static bool open_image(const char *path, struct image *out)
{
	long fd = sys_open_given(path, O_RDONLY, 1);
	if (fd < 0)
		return false;
	long size = sys3(SYS_lseek, fd, 0, 2 /* SEEK_END */);
	out->size = size > 0 ? (uint64_t)size : 0;
	out->bytes = size > 0 ? sys_mmap(out->size, PROT_READ, MAP_PRIVATE, (int)fd, 0) : NULL;
	sys_close((int)fd);
	return size > 0 && !sys_failed(out->bytes);
}

static bool fits(const struct image *m, uint64_t at, uint64_t bytes)
{
	return at <= m->size && bytes <= m->size - at;
}

/* Does LIBRARY of a pattern mean this object? */
static bool names_object(const char *library, size_t length, const char *path)
{
	bool whole = false;
	for (size_t k = 0; k < length; k++)
		whole |= library[k] == '/';
	return glob_matches(library, length, whole ? path : text_basename(path));
}

static bool is_python(const char *path)
{
	const char *base = text_basename(path);
	return text_begins_with(base, "python") || text_begins_with(base, "libpython");
}

/* "main" is the program's of an interpreter, not its own; what a C API calls _Py or Py is. */
static bool is_own_name(const char *symbol)
{
	return text_begins_with(symbol + (*symbol == '_'), "Py");
}

static bool is_wanted(const char *list, const char *symbol, const char *path)
{
	bool wanted = false, hidden = is_python(path) && !is_own_name(symbol);
	while (*list) {
		size_t n = 0;
		while (list[n] && list[n] != ',')
			n++;
		const char *p = list + (*list == '!'), *end = list + n,
			   *name = glob_name_part(p, end);
		bool of_object = name != p && names_object(p, (size_t)(name - 1 - p), path);
		if ((of_object || (name == p && !hidden)) &&
		    glob_matches(name, (size_t)(end - name), symbol))
			wanted = *list != '!';
		list += n + (list[n] == ',');
	}
	return wanted;
}

static void add_range(struct search *s, uint64_t start, uint64_t end)
{
	uint32_t at = s->ranges, first = s->object[s->objects].first;
	if (s->ranges == RANGES_MAX)
		return;
	for (uint32_t i = first; i < s->ranges; i++) /* aliases have one place */
		if (s->range[i].start == start)
			return;
	for (; at > first && s->range[at - 1].start > start; at--)
		s->range[at] = s->range[at - 1];
	s->range[at] = (struct scp_below_range){start, end};
	s->ranges++;
}

static void search_table(struct search *s, const struct image *m, const ElfW(Shdr) * table,
			 const ElfW(Shdr) * strings, const char *path)
{
	if (!fits(m, table->sh_offset, table->sh_size) || !strings->sh_size ||
	    !fits(m, strings->sh_offset, strings->sh_size) ||
	    m->bytes[strings->sh_offset + strings->sh_size - 1])
		return;
	const ElfW(Sym) *symbol = (const void *)(m->bytes + table->sh_offset);
	for (uint64_t i = 0; i < table->sh_size / sizeof *symbol; i++, symbol++)
		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
		    symbol->st_size && symbol->st_name < strings->sh_size &&
		    is_wanted(s->patterns,
			      (const char *)m->bytes + strings->sh_offset + symbol->st_name, path))
			add_range(s, symbol->st_value, symbol->st_value + symbol->st_size);
}

static void search_image(struct search *s, const struct image *m, const char *path)
{
	const ElfW(Ehdr) *e = (const void *)m->bytes;
	if (!fits(m, 0, sizeof *e) || e->e_ident[0] != 0x7f || e->e_ident[1] != 'E' ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_shentsize != sizeof(ElfW(Shdr)) ||
	    !fits(m, e->e_shoff, (uint64_t)e->e_shnum * sizeof(ElfW(Shdr))))
		return;
	const ElfW(Shdr) *section = (const void *)(m->bytes + e->e_shoff);
	for (unsigned i = 0; i < e->e_shnum; i++)
		if ((section[i].sh_type == SHT_SYMTAB || section[i].sh_type == SHT_DYNSYM) &&
		    section[i].sh_link < e->e_shnum)
			search_table(s, m, &section[i], &section[section[i].sh_link], path);
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	struct image m;
	const char *path = *info->dlpi_name ? info->dlpi_name : settings.exe;
	(void)size;
	uint64_t length = text_length(path) + 1;
	if (s->objects == OBJECTS_MAX || length > TEXTS_MAX - s->text_bytes ||
	    !open_image(path, &m))
		return 0;
	struct scp_below_object *o = &s->object[s->objects];
	*o = (struct scp_below_object){.first = s->ranges, .path = s->text_bytes};
	search_image(s, &m, path);
	sys_munmap((void *)(uintptr_t)m.bytes, m.size);
	o->count = s->ranges - o->first;
	if (!o->count)
		return 0;
	bytes_copy(s->text + s->text_bytes, path, length);
	s->text_bytes += (uint32_t)length;
	s->objects++;
	return 0;
}

static const struct scp_below_file *pack(const struct search *s)
{
	uint64_t tables = sizeof(struct scp_below_file) + s->objects * sizeof s->object[0] +
			  s->ranges * sizeof s->range[0];
	struct scp_below_file *f = sys_mmap(tables + s->text_bytes, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(f))
		return NULL;
	bytes_copy(f->magic, SCP_BELOW_MAGIC, sizeof f->magic);
	f->bytes = tables + s->text_bytes;
	f->objects = s->objects;
	f->ranges = s->ranges;
	struct scp_below_object *o = (struct scp_below_object *)(f + 1);
	bytes_copy(o, s->object, s->objects * sizeof *o);
	for (uint32_t i = 0; i < s->objects; i++)
		o[i].path += (uint32_t)tables;
	bytes_copy(o + s->objects, s->range, s->ranges * sizeof s->range[0]);
	bytes_copy((uint8_t *)f + tables, s->text, s->text_bytes);
	return f;
}

const struct scp_below_file *below_search(const char *patterns)
{
	size_t bytes = (sizeof(struct search) + 4095) & ~(size_t)4095;
	struct search *s = arena_map(bytes);
	if (!s)
		return NULL;
	s->patterns = patterns;
	dl_iterate_phdr(visit, s);
	const struct scp_below_file *f = s->objects ? pack(s) : NULL;
	arena_unmap(s, bytes);
	return f;
}

static int visit_python(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	return is_python(*info->dlpi_name ? info->dlpi_name : settings.exe);
}

bool below_search_is_python(void)
{
	return dl_iterate_phdr(visit_python, NULL) != 0;
}
