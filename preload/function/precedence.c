// SPDX-License-Identifier: Apache-2.0

#include <link.h>
#include <sys/auxv.h>

#include "preload/function/function.h"
#include "preload/unwind/unwind.h"
#include "preload/function/selected.h"
#include "preload/process/symbols.h"

#define MOST_OBJECTS 16u
#define MOST_NAMED   4u

/* The objects before the first of ours. */
struct before {
	struct symbols symbols[MOST_OBJECTS];
	const char *file[MOST_OBJECTS];
	unsigned count;
	unsigned found; /* index of the one that is reported; `count`: none yet */
	unsigned named;
	char *text;
	size_t room, at;
};

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct before *b = data;
	uint64_t own = (uint64_t)visit, stubs = (uint64_t)selected_table(), start, end;
	(void)size;
	unwind_object_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &start, &end);
	if (b->count == MOST_OBJECTS || own - start < end - start || stubs - start < end - start)
		return 1;
	b->symbols[b->count] = (struct symbols){.base = info->dlpi_addr};
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR); /* nobody is bound to it */
	const ElfW(Dyn) *d = symbols_dynamic(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
	if (d && (!vdso || vdso != info->dlpi_addr))
		b->symbols[b->count] = symbols_read(info->dlpi_addr, d);
	b->file[b->count++] = info->dlpi_name;
	return 0;
}

static void tell(struct before *b, unsigned object, const char *name)
{
	if (b->found == b->count) {
		b->found = object;
		b->at = text_append(b->text, b->room, 0,
				    object ? text_basename(b->file[object]) : "the program itself");
	}
	b->at = text_append(b->text, b->room, b->at, b->named ? ", " : " (");
	b->at = text_append(b->text, b->room, b->at, b->named < MOST_NAMED ? name : "...");
	b->named++;
}

/* Callers are bound to the first that defines it. */
static void consider(struct before *b, const char *name)
{
	uint32_t hash = symbols_hash(name);
	unsigned i = 0;
	while (i < b->count && !symbols_find(&b->symbols[i], name, hash, NULL, NULL))
		i++;
	if (i < b->count && (b->found == b->count || b->found == i))
		tell(b, i, name);
}

void precedence_read(uint32_t groups, char *text, size_t room)
{
	struct before b = {.text = text, .room = room};
	dl_iterate_phdr(visit, &b);
	b.found = b.count;
	for (unsigned i = 0; i < FN_COUNT && b.named <= MOST_NAMED; i++)
		if (function_info[i].group & groups)
			consider(&b, function_info[i].symbol);
	const struct scp_selected_table *t = selected_table();
	for (uint32_t i = 0; t && i < t->count && b.named <= MOST_NAMED; i++) {
		const struct scp_selected *s = selected_symbol(t, i);
		if (!(s->flags & SCP_SELECTED_SPARE))
			consider(&b, selected_text(s, s->name));
	}
	text_append(text, room, b.at, b.named ? ")" : "");
}
