// SPDX-License-Identifier: Apache-2.0
/* Which loaded object covers an address: glibc's _dl_find_object (2.35) is lock-free and
 * signal-safe. Elsewhere object_index.c has a list of its own. */
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include "preload/unwind/unwind.h"
#include "preload/system/util.h"

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *, struct dl_find_object *) __attribute__((weak));
#endif

void unwind_object_extent(const ElfW(Phdr) * p, uint64_t count, uint64_t base, uint64_t *start,
			  uint64_t *end)
{
	*start = ~UINT64_C(0);
	*end = 0;
	for (; count > 0; count--, p++) {
		uint64_t at = base + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		*start = at < *start ? at : *start;
		*end = at + p->p_memsz > *end ? at + p->p_memsz : *end;
	}
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Where a program's segments lie apart, the loader gives the one that was asked for: the tables lie
 * in another. Only the kernel loads objects so. */
static COLD void cover_program(struct unwind_object *o)
{
	const ElfW(Phdr) *p = (const void *)getauxval(AT_PHDR);
	uint64_t start, end;
	unwind_object_extent(p, p ? getauxval(AT_PHNUM) : 0, o->base, &start, &end);
	if (start > o->start || end < o->end || o->eh_frame_hdr < start || o->eh_frame_hdr >= end)
		return; /* of another object */
	o->start = start & ~UINT64_C(4095);
	o->end = end;
}
#endif

bool (*unwind_object_index)(uint64_t pc, struct unwind_object *object);

bool unwind_object_find_object(uint64_t pc, struct unwind_object *object)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	struct dl_find_object found;
	if (_dl_find_object) {
		if (_dl_find_object((void *)pc, &found) != 0)
			return false;
		*object = (struct unwind_object){
			(uint64_t)found.dlfo_map_start, (uint64_t)found.dlfo_map_end,
			found.dlfo_link_map->l_addr, (uint64_t)found.dlfo_eh_frame,
			found.dlfo_link_map->l_name};
		if (unlikely(object->eh_frame_hdr - object->start >= object->end - object->start))
			cover_program(object);
		return true;
	}
#endif
	return unwind_object_index && unwind_object_index(pc, object);
}

const ElfW(Phdr) * unwind_object_headers(const struct unwind_object *o, uint32_t *count)
{
	const ElfW(Ehdr) *e = (const void *)o->start;
	if (o->end - o->start < 4096 || !bytes_equal(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_phentsize != sizeof(ElfW(Phdr)) || e->e_phoff > 4096 ||
	    e->e_phoff + (uint64_t)e->e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return NULL;
	*count = e->e_phnum;
	return (const void *)(o->start + e->e_phoff);
}
