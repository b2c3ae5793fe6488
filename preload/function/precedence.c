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

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct before *b = data;
	uint64_t own = (uint64_t)visit, stubs = (uint64_t)selected_now, start, end;
	(void)size;
	unwind_object_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &start, &end);
	if (b->count == MOST_OBJECTS || own - start < end - start || stubs - start < end - start)
		return 1;
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
		if (function_info[i].group & groups && dlsym)
			consider(&b, dlsym(RTLD_DEFAULT, function_info[i].symbol),
				 function_info[i].symbol);
	for (uint32_t i = 0; i < selected_count() && b.named <= MOST_NAMED; i++) {
		void *first = selected_first(i, &name);
		consider(&b, first, name);
	}
	text_append(text, room, b.at, b.named ? ")" : "");
}
