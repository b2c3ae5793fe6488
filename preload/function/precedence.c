// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>

#include "preload/function/function.h"
#include "preload/unwind/unwind.h"
#include "preload/function/selected.h"
#include "preload/process/libc.h"

#define MOST_OBJECTS 32u
#define MOST_NAMED   4u

/* The objects before the first of ours. */
struct before {
	uint64_t start[MOST_OBJECTS], end[MOST_OBJECTS];
	unsigned count;
	unsigned found; /* index of the one that is reported; `count`: none yet */
	unsigned named;
	char *text;
	size_t room, at;
};

static bool is_ours(const struct dl_phdr_info *info)
{
	uint64_t own = (uint64_t)is_ours, stubs = (uint64_t)selected_table();
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && (own - at < p->p_memsz || stubs - at < p->p_memsz))
			return true;
	}
	return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct before *b = data;
	uint64_t start = ~UINT64_C(0), end = 0;
	(void)size;
	if (b->count == MOST_OBJECTS || is_ours(info))
		return 1;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		start = at < start ? at : start;
		end = at + p->p_memsz > end ? at + p->p_memsz : end;
	}
	b->start[b->count] = start;
	b->end[b->count++] = end;
	return 0;
}

/* A program at a fixed address has an address for functions of libraries, too: that of its way
 * to them. */
static bool is_defined_there(void *function)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;
	return dladdr1 && dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
	       (!symbol || symbol->st_shndx != SHN_UNDEF);
}

static void tell(struct before *b, unsigned object, void *function, const char *name)
{
	struct unwind_object o;
	if (b->found == b->count) {
		const char *file = object && unwind_object_find_object((uint64_t)function, &o)
					   ? text_basename(o.name)
					   : "the program itself";
		b->found = object;
		b->at = text_append(b->text, b->room, 0, file);
	}
	b->at = text_append(b->text, b->room, b->at, b->named ? ", " : " (");
	b->at = text_append(b->text, b->room, b->at, b->named < MOST_NAMED ? name : "...");
	b->named++;
}

/* `first`: what callers are bound to. */
static void consider(struct before *b, void *first, const char *name)
{
	for (unsigned i = 0; first && i < b->count; i++)
		if ((uint64_t)first >= b->start[i] && (uint64_t)first < b->end[i] &&
		    (b->found == b->count || b->found == i) && is_defined_there(first))
			tell(b, i, first, name);
}

void precedence_read(uint32_t groups, char *text, size_t room)
{
	struct before b = {.text = text, .room = room};
	const char *name;
	dl_iterate_phdr(visit, &b);
	b.found = b.count;
	for (unsigned i = 0; i < FN_COUNT && b.named <= MOST_NAMED; i++)
		if ((name = function_name(i, groups)))
			consider(&b, dlsym ? dlsym(RTLD_DEFAULT, name) : NULL, name);
	for (uint32_t i = 0; i < selected_count() && b.named <= MOST_NAMED; i++) {
		void *first = selected_first(i, &name);
		consider(&b, first, name);
	}
	text_append(text, room, b.at, b.named ? ")" : "");
}
