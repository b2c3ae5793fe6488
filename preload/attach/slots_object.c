// SPDX-License-Identifier: Apache-2.0
/* The loader's list, program headers and dynamic sections. */
#include <sys/auxv.h>

#include "preload/attach/slots.h"
#include "preload/process/arena.h"

struct visit {
	struct slots_list *objects;
	struct slots_loads loads;
	bool failed;
};

void slots_object_read(struct slots_object *o, const Elf64_Dyn *d)
{
	uint64_t soname = 0;
	o->names.base = o->base;
	for (; d->d_tag != DT_NULL; d++) {
		uint64_t v = d->d_un.d_val;
		bool data = d->d_tag == DT_RELA || d->d_tag == DT_RELASZ;
		unsigned table = data ? SLOTS_DATA : SLOTS_CALLS;

		if (d->d_tag == DT_RELA || d->d_tag == DT_JMPREL)
			o->rela[table] = (const void *)symbols_address(&o->names, v);
		else if (d->d_tag == DT_RELASZ || d->d_tag == DT_PLTRELSZ)
			o->relocations[table] = v / sizeof(Elf64_Rela);
		else if (d->d_tag == DT_SONAME)
			soname = v;
		else
			symbols_take(&o->names, d);
		o->has_rpath |= d->d_tag == DT_RPATH;
	}
	if (!soname || !o->names.string)
		return;
	const char *name = o->names.string + soname;
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
	for (const Elf64_Phdr *p = o->header; p < o->header + o->headers; p++) {
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
	o->is_kept |= !o->names.symbol || !o->names.string;
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

uint64_t slots_object_find(const struct slots_object *o, const char *name, uint32_t hash,
			   bool *several)
{
	const Elf64_Sym *s = symbols_find(&o->names, name, hash, NULL, several);
	return s ? o->base + s->st_value : 0;
}

bool slots_object_has(const struct slots_object *o, uint64_t address, uint64_t bytes,
		      uint32_t flags)
{
	for (const Elf64_Phdr *p = o->header; p < o->header + o->headers; p++) {
		uint64_t at = address - (o->base + p->p_vaddr);
		if (p->p_type == PT_LOAD && at < p->p_memsz && bytes <= p->p_memsz - at)
			return (p->p_flags & flags) == flags;
	}
	return false;
}

#define LEAST_BYTES 16384u

bool slots_memory_reserve(struct slots_list *list, uint64_t bytes, uint64_t wanted)
{
	uint64_t room = list->room ? list->room : LEAST_BYTES / bytes;
	if (wanted <= list->room)
		return true;
	while (room < wanted)
		room *= 2;
	void *p = room <= UINT32_MAX ? arena_map(room * bytes) : NULL;
	if (!p)
		return false;
	void *before = list->at;
	uint64_t before_bytes = list->room * bytes;
	bytes_copy(p, before, list->count * bytes);
	__atomic_store_n(&list->at, p, __ATOMIC_RELEASE); /* first: a fork may come between */
	list->room = (uint32_t)room;
	if (before)
		arena_unmap(before, before_bytes);
	return true;
}

void *slots_memory_add(struct slots_list *list, uint64_t bytes)
{
	if (!slots_memory_reserve(list, bytes, (uint64_t)list->count + 1))
		return NULL;
	uint8_t *p = (uint8_t *)list->at + list->count * bytes;
	for (uint64_t i = 0; i < bytes; i++)
		p[i] = 0;
	__atomic_store_n(&list->count, list->count + 1, __ATOMIC_RELEASE);
	return p;
}
