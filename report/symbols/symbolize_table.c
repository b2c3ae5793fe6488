// SPDX-License-Identifier: GPL-3.0-or-later
/* An address belongs to the symbol whose bytes hold it and that begins nearest; else to the nearest
 * symbol without a size (a label of assembly), unless another symbol's bytes lie between. */
#include "report/symbols/symbolize_private.h"

#include <gelf.h>
#include <stdlib.h>

#include "profile/base/array.h"

struct entry {
	GElf_Addr value, end;
	GElf_Addr reach; /* the farthest end of this symbol and those before */
	int index;	 /* in the module */
	uint8_t rank;	 /* of its name and binding */
};

/* Ascending; of those with the same value the best is the last. */
struct symbol_table {
	Dwfl_Module *module;
	struct entry *entry;
	uint32_t count;
	bool exported_only;
};

static uint8_t rank_of(const GElf_Sym *s)
{
	int bind = GELF_ST_BIND(s->st_info);

	return bind == STB_GLOBAL ? 3 : bind == STB_WEAK ? 2 : bind == STB_LOCAL;
}

static bool has_symbols(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

/* False: no place in the program's code or data. */
static bool read_entry(Dwfl_Module *module, int index, struct entry *e, Elf **elf)
{
	GElf_Sym s;
	GElf_Word section;
	const char *name =
		dwfl_module_getsym_info(module, index, &s, &e->value, &section, elf, NULL);
	int type = name ? GELF_ST_TYPE(s.st_info) : STT_FILE;

	if (!name || !*name || section == SHN_UNDEF || section >= SHN_LORESERVE)
		return false;
	if (__builtin_add_overflow(e->value, s.st_size, &e->end))
		e->end = UINT64_MAX;
	e->index = index;
	e->rank = rank_of(&s) + (*name == '_' ? 0 : 4); /* open64, not __libc_open64 */
	return type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

ARRAY_COMPARE(compare_entries, struct entry,
	      PROF_ORDER(a, b, value, rank) ?: PROF_ORDER(b, a, end) ?: b->index - a->index)

static void read_entries(struct symbol_table *t, int symbols)
{
	GElf_Addr farthest = 0;
	Elf *elf, *last = NULL;

	for (int i = 1; i < symbols; i++) {
		elf = last;
		t->count += read_entry(t->module, i, &t->entry[t->count], &elf);
		if (elf != last)
			t->exported_only &= !has_symbols(elf);
		last = elf;
	}
	ARRAY_SORT(t->entry, t->count, compare_entries);
	for (uint32_t i = 0; i < t->count; i++) {
		farthest = t->entry[i].end > farthest ? t->entry[i].end : farthest;
		t->entry[i].reach = farthest;
	}
}

struct symbol_table *symbolize_table_new(Dwfl_Module *module)
{
	struct symbol_table *t = calloc(1, sizeof(*t));
	int symbols = dwfl_module_getsymtab(module);

	if (!t)
		return NULL;
	t->module = module;
	t->exported_only = true;
	t->entry = calloc((size_t)(symbols > 0 ? symbols : 1), sizeof(*t->entry));
	if (t->entry) {
		read_entries(t, symbols);
		return t;
	}
	symbolize_table_free(t);
	return NULL;
}

void symbolize_table_free(struct symbol_table *t)
{
	if (t)
		free(t->entry);
	free(t);
}

bool symbolize_table_is_stripped(const struct symbol_table *t)
{
	return t->exported_only;
}

static bool same_section(const struct symbol_table *t, GElf_Addr a, GElf_Addr b)
{
	Dwarf_Addr bias;

	return a == b || dwfl_module_address_section(t->module, &a, &bias) ==
				 dwfl_module_address_section(t->module, &b, &bias);
}

static const struct entry *find(const struct symbol_table *t, GElf_Addr address)
{
	size_t count;

	BISECT(count, t->count, t->entry[count].value <= address);
	const struct entry *nearest = count ? &t->entry[count - 1] : NULL;
	for (uint32_t i = count; i-- > 0 && t->entry[i].reach > address;)
		if (address < t->entry[i].end)
			return &t->entry[i];
	return nearest && nearest->reach <= nearest->value &&
			       same_section(t, nearest->value, address)
		       ? nearest
		       : NULL;
}

const char *symbolize_table_find(const struct symbol_table *t, GElf_Addr address, GElf_Off *into)
{
	const struct entry *e = find(t, address);
	GElf_Addr value;
	GElf_Sym symbol;

	if (!e)
		return NULL;
	*into = address - e->value;
	return dwfl_module_getsym_info(t->module, e->index, &symbol, &value, NULL, NULL, NULL);
}
