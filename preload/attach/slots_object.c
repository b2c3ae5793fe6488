// SPDX-License-Identifier: Apache-2.0
/* Hash tables: System V ABI, chapter 5 (DT_HASH), and the format of GNU ld (DT_GNU_HASH). */
#include <sys/auxv.h>

#include "preload/attach/slots_object.h"

struct visit {
	struct slots_list *objects;
	struct slots_loads loads;
	bool failed;
};

/* The loader makes addresses of them in place, but for some objects. */
static uint64_t address(const struct slots_object *o, uint64_t value)
{
	return value < o->base ? value + o->base : value;
}

void slots_object_read(struct slots_object *o, const Elf64_Dyn *d)
{
	uint64_t soname = 0;
	for (; d->d_tag != DT_NULL; d++) {
		uint64_t v = d->d_un.d_val;
		switch (d->d_tag) {
		case DT_RELA:
			o->rela[SLOTS_DATA] = (const void *)address(o, v);
			break;
		case DT_RELASZ:
			o->relocations[SLOTS_DATA] = v / sizeof(Elf64_Rela);
			break;
		case DT_JMPREL:
			o->rela[SLOTS_CALLS] = (const void *)address(o, v);
			break;
		case DT_PLTRELSZ:
			o->relocations[SLOTS_CALLS] = v / sizeof(Elf64_Rela);
			break;
		case DT_SYMTAB:
			o->symbol = (const void *)address(o, v);
			break;
		case DT_STRTAB:
			o->string = (const void *)address(o, v);
			break;
		case DT_GNU_HASH:
			o->gnu_hash = (const void *)address(o, v);
			break;
		case DT_HASH:
			o->hash = (const void *)address(o, v);
			break;
		case DT_RPATH:
			o->has_rpath = true;
			break;
		case DT_SONAME:
			soname = v;
			break;
		default:
			break;
		}
	}
	if (!soname || !o->string)
		return;
	const char *name = o->string + soname;
	o->is_kept |= text_equal(name, "libscprof-unwind.so") ||
		      text_equal(name, "scprof-symbols.so") ||
		      text_begins_with(name, "libunwind"); /* it checks our paths */
	o->is_libc = text_equal(name, "libc.so.6") || text_equal(name, "libpthread.so.0") ||
		     text_equal(name, "libdl.so.2");
}

static void read_headers(struct slots_object *o)
{
	uint64_t page = getauxval(AT_PAGESZ), own = (uint64_t)slots_object_collect;
	const Elf64_Dyn *dynamic = NULL;
	for (uint32_t i = 0; i < o->headers; i++) {
		const Elf64_Phdr *p = &o->header[i];
		uint64_t at = o->base + p->p_vaddr;
		if (p->p_type == PT_LOAD && own - at < p->p_memsz)
			o->is_own = o->is_kept = true;
		if (p->p_type == PT_DYNAMIC)
			dynamic = (const void *)at;
		if (p->p_type != PT_GNU_RELRO)
			continue;
		o->relro = at & ~(page - 1); /* as the loader rounds them */
		o->relro_end = (at + p->p_memsz) & ~(page - 1);
	}
	o->dynamic = (uint64_t)dynamic;
	if (dynamic)
		slots_object_read(o, dynamic);
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct visit *v = data;
	(void)size;
	v->loads = (struct slots_loads){info->dlpi_adds, info->dlpi_subs};
	if (!v->objects)
		return 1;
	struct slots_object *o = slots_memory_add(v->objects, sizeof *o);
	if (!o) {
		v->failed = true;
		return 1;
	}
	o->base = info->dlpi_addr;
	o->header = info->dlpi_phdr;
	o->headers = info->dlpi_phnum;
	o->is_kept = o->base && o->base == getauxval(AT_BASE);
	read_headers(o);
	o->is_kept |= !o->symbol || !o->string;
	return 0;
}

bool slots_object_collect(struct slots_list *objects, struct slots_loads *loads)
{
	struct visit v = {.objects = objects};
	objects->count = 0;
	dl_iterate_phdr(visit, &v);
	*loads = v.loads;
	return !v.failed;
}

struct slots_loads slots_object_loads(void)
{
	struct visit v = {.objects = NULL};
	dl_iterate_phdr(visit, &v);
	return v.loads;
}

/* Adds what the symbol defines, if it is of that name. */
static void take(const struct slots_object *o, uint32_t index, const char *name, uint64_t *found,
		 bool *several)
{
	const Elf64_Sym *s = &o->symbol[index];
	if (s->st_shndx == SHN_UNDEF || !s->st_value || !text_equal(o->string + s->st_name, name))
		return;
	*several |= *found && *found != o->base + s->st_value;
	*found = o->base + s->st_value;
}

static void search_gnu(const struct slots_object *o, const char *name, uint32_t hash,
		       uint64_t *found, bool *several)
{
	const uint32_t *t = o->gnu_hash;
	uint32_t buckets = t[0], first = t[1], words = t[2], shift = t[3];
	const uint64_t *bloom = (const uint64_t *)(t + 4);
	const uint32_t *bucket = t + 4 + 2 * (uint64_t)words, *chain = bucket + buckets;
	uint64_t bits = UINT64_C(1) << hash % 64 | UINT64_C(1) << (hash >> shift) % 64;
	if (!buckets || !words || (bloom[hash / 64 & (words - 1)] & bits) != bits)
		return;
	uint32_t i = bucket[hash % buckets];
	if (i < first)
		return;
	for (;; i++) {
		uint32_t h = chain[i - first];
		if ((h | 1) == (hash | 1))
			take(o, i, name, found, several);
		if (h & 1)
			return;
	}
}

static void search_old(const struct slots_object *o, const char *name, uint64_t *found,
		       bool *several)
{
	uint32_t h = 0, buckets = o->hash[0];
	for (const char *at = name; *at; at++) {
		h = (h << 4) + (uint8_t)*at;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	const uint32_t *bucket = o->hash + 2, *chain = bucket + buckets;
	for (uint32_t i = buckets ? bucket[h % buckets] : 0; i; i = chain[i])
		take(o, i, name, found, several);
}

uint64_t slots_object_find(const struct slots_object *o, const char *name, uint32_t hash,
			   bool *several)
{
	uint64_t found = 0;
	*several = false;
	if (!o->symbol || !o->string)
		return 0;
	if (o->gnu_hash)
		search_gnu(o, name, hash, &found, several);
	else if (o->hash)
		search_old(o, name, &found, several);
	return found;
}

bool slots_object_has(const struct slots_object *o, uint64_t address, uint64_t bytes,
		      uint32_t flags)
{
	for (uint32_t i = 0; i < o->headers; i++) {
		const Elf64_Phdr *p = &o->header[i];
		uint64_t at = address - (o->base + p->p_vaddr);
		if (p->p_type == PT_LOAD && at < p->p_memsz && bytes <= p->p_memsz - at)
			return (p->p_flags & flags) == flags;
	}
	return false;
}
