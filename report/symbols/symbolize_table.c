// SPDX-License-Identifier: GPL-3.0-or-later
/* libdwfl's rule, in its order: of the global symbols those whose bytes hold the address, else of
 * the local ones; else the nearest symbol without a size (a label of assembly), unless another
 * symbol's bytes lie between. Which of several symbols around one address is taken depends on their
 * order in the file, so they are brought into that order first. */
#include "report/symbols/symbolize_private.h"

#include <stdint.h>
#include <stdlib.h>

struct entry {
	GElf_Addr value;
	GElf_Xword size;
	uint32_t index; /* in the module */
	uint8_t rank;	/* of its binding */
	bool exact;	/* in no section: means its own address only */
};

/* The global or the local symbols, by value, those of one value by index. */
struct part {
	struct entry *entry;
	GElf_Addr *reach; /* the farthest end of this symbol and those before */
	uint32_t count;
};

struct symbol_table {
	Dwfl_Module *module;
	struct part global, local;
	uint32_t *found; /* room for a search */
};

static uint8_t rank_of(const GElf_Sym *s)
{
	switch (GELF_ST_BIND(s->st_info)) {
	case STB_GLOBAL:
		return 3;
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

/* False: no place in the program's code or data. */
static bool read_entry(Dwfl_Module *module, int index, struct entry *e)
{
	GElf_Sym s;
	GElf_Word section;
	const char *name =
		dwfl_module_getsym_info(module, index, &s, &e->value, &section, NULL, NULL);
	int type;

	if (!name || !*name || s.st_shndx == SHN_UNDEF)
		return false;
	type = GELF_ST_TYPE(s.st_info);
	if (type == STT_SECTION || type == STT_FILE || type == STT_TLS)
		return false;
	e->size = s.st_size;
	e->index = (uint32_t)index;
	e->rank = rank_of(&s);
	e->exact = section >= SHN_LORESERVE;
	return true;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* The symbols from `first` on, before `end`. -1: out of memory. */
static int read_part(struct part *p, Dwfl_Module *module, int first, int end)
{
	size_t room = end > first ? (size_t)(end - first) : 1;
	GElf_Addr farthest = 0;

	p->entry = malloc(room * sizeof(*p->entry));
	p->reach = malloc(room * sizeof(*p->reach));
	if (!p->entry || !p->reach)
		return -1;
	for (int i = first; i < end; i++)
		p->count += read_entry(module, i, &p->entry[p->count]);
	if (p->count)
		qsort(p->entry, p->count, sizeof(*p->entry), compare_entries);
	for (uint32_t i = 0; i < p->count; i++) {
		GElf_Addr reach;

		if (__builtin_add_overflow(p->entry[i].value, p->entry[i].size, &reach))
			reach = UINT64_MAX;
		farthest = reach > farthest ? reach : farthest;
		p->reach[i] = farthest;
	}
	return 0;
}

struct symbol_table *symbolize_table_new(Dwfl_Module *module)
{
	struct symbol_table *t = calloc(1, sizeof(*t));
	int symbols = dwfl_module_getsymtab(module);
	int first_global = symbols > 0 ? dwfl_module_getsymtab_first_global(module) : -1;
	size_t most;

	if (!t)
		return NULL;
	t->module = module;
	if (first_global < 0)
		return t;
	if (read_part(&t->global, module, first_global ? first_global : 1, symbols) == 0 &&
	    read_part(&t->local, module, 1, first_global) == 0) {
		most = t->global.count > t->local.count ? t->global.count : t->local.count;
		t->found = malloc((most ? most : 1) * sizeof(*t->found));
	}
	if (t->found)
		return t;
	symbolize_table_free(t);
	return NULL;
}

void symbolize_table_free(struct symbol_table *t)
{
	if (!t)
		return;
	free(t->global.entry);
	free(t->global.reach);
	free(t->local.entry);
	free(t->local.reach);
	free(t->found);
	free(t);
}

/* How many symbols begin at `address` or before. */
static uint32_t count_until(const struct part *p, GElf_Addr address)
{
	uint32_t low = 0, high = p->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->entry[middle].value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int compare_indices(const void *left, const void *right, void *part)
{
	const struct entry *entry = ((const struct part *)part)->entry;
	uint32_t a = entry[*(const uint32_t *)left].index;
	uint32_t b = entry[*(const uint32_t *)right].index;

	return (a > b) - (a < b);
}

/* The nearer beginning, or the stronger binding; of equal ones the nearer end. That is no
 * order: of three symbols the last in the file may win only because of the second. */
static bool is_better(const struct entry *e, const struct entry *than)
{
	return e->value > than->value || e->rank > than->rank ||
	       (e->value == than->value && e->rank == than->rank && e->size < than->size);
}

/* Of the symbols whose bytes hold the address. */
static const struct entry *find_around(const struct part *p, uint32_t *found, GElf_Addr address)
{
	const struct entry *best = NULL;
	uint32_t count = 0;

	for (uint32_t i = count_until(p, address); i-- > 0 && p->reach[i] > address;)
		if (address - p->entry[i].value < p->entry[i].size)
			found[count++] = i;
	if (count > 1)
		qsort_r(found, count, sizeof(*found), compare_indices, (void *)p);
	for (uint32_t i = 0; i < count; i++)
		if (!best || is_better(&p->entry[found[i]], best))
			best = &p->entry[found[i]];
	return best;
}

static bool same_section(const struct symbol_table *t, GElf_Addr a, GElf_Addr b)
{
	Dwarf_Addr bias;

	return a == b || dwfl_module_address_section(t->module, &a, &bias) ==
				 dwfl_module_address_section(t->module, &b, &bias);
}

/* The last symbol in the file that has no size, begins at `value`, and may mean `address`. */
static const struct entry *find_label(const struct symbol_table *t, const struct part *p,
				      GElf_Addr value, GElf_Addr address)
{
	for (uint32_t i = count_until(p, value); i-- > 0 && p->entry[i].value == value;) {
		const struct entry *e = &p->entry[i];

		if (!e->size && (e->exact ? value == address : same_section(t, value, address)))
			return e;
	}
	return NULL;
}

/* Where the last symbol ends that lies before the address, if none is around it. */
static GElf_Addr end_before(const struct part *p, GElf_Addr address)
{
	uint32_t count = count_until(p, address);

	return count ? p->reach[count - 1] : 0;
}

static const struct entry *find_nearest_label(const struct symbol_table *t, GElf_Addr address)
{
	GElf_Addr global = end_before(&t->global, address), local = end_before(&t->local, address);
	GElf_Addr nearest = global > local ? global : local;
	const struct entry *e = find_label(t, &t->local, nearest, address);

	return e ? e : find_label(t, &t->global, nearest, address);
}

const char *symbolize_table_find(struct symbol_table *t, GElf_Addr address, GElf_Off *into)
{
	const struct entry *e = find_around(&t->global, t->found, address);
	GElf_Addr value;
	GElf_Sym symbol;

	if (!e)
		e = find_label(t, &t->global, address, address);
	if (!e)
		e = find_around(&t->local, t->found, address);
	if (!e)
		e = find_nearest_label(t, address);
	if (!e)
		return NULL;
	*into = address - e->value;
	return dwfl_module_getsym_info(t->module, (int)e->index, &symbol, &value, NULL, NULL, NULL);
}
