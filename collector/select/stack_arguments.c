// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/select/stack_arguments.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "include/scprof_selected.h"

/* A symbol of the library that is looked at, by its address. */
struct wanted {
	uint64_t address;
	struct stack_arguments *found;
};

struct search {
	struct wanted *wanted; /* in the order of addresses */
	size_t count;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int by_address(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* The first symbol at `from` or above. */
static size_t first_at(const struct search *s, uint64_t from)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->wanted[middle].address < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_wanted(const struct search *s, Dwarf_Die *unit)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &from, &to)) > 0) {
		size_t i = first_at(s, from);

		if (i < s->count && s->wanted[i].address < to)
			return true;
	}
	return false;
}

static void take_function(const struct search *s, Dwarf_Die *function)
{
	Dwarf_Addr at;
	uint32_t words;

	if (dwarf_lowpc(function, &at))
		return;
	size_t i = first_at(s, at);
	if (i == s->count || s->wanted[i].address != at || !stack_types_words(function, &words))
		return;
	for (; i < s->count && s->wanted[i].address == at; i++)
		*s->wanted[i].found = (struct stack_arguments){
			SCP_SELECTED_STACK | SCP_SELECTED_STACK_HERE, words};
}

/* Functions are children of the unit, or of a namespace. */
static void take_functions(const struct search *s, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	for (int more = dwarf_child(parent, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			take_function(s, &die);
		else if (dwarf_tag(&die) == DW_TAG_namespace && depth < 32)
			take_functions(s, &die, depth + 1);
	}
}

static void search_units(const struct search *s, Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		if (has_wanted(s, &die))
			take_functions(s, &die, 0);
}

static void search_library(const struct search *s, const char *path)
{
	char *urls = getenv("DEBUGINFOD_URLS");
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl)
		return;
	urls = urls ? strdup(urls) : NULL;
	unsetenv("DEBUGINFOD_URLS"); /* the command is to start, not to wait for a server */
	dwfl_report_begin(dwfl);
	Dwfl_Module *module = dwfl_report_offline(dwfl, "", path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module)
		search_units(s, module);
	dwfl_end(dwfl);
	if (urls)
		setenv("DEBUGINFOD_URLS", urls, 1);
	free(urls);
}

static bool is_settled(const struct selected_symbol *s, struct stack_arguments *found)
{
	if (stack_names_has_none(s->name, s->shown))
		found->flags = SCP_SELECTED_STACK;
	else if (stack_names_has_none_in(s->name, s->library->soname))
		found->flags = SCP_SELECTED_STACK | SCP_SELECTED_STACK_HERE;
	return found->flags || !s->address;
}

void stack_arguments_find(const struct selection *c, struct stack_arguments *found)
{
	struct wanted *wanted = calloc(c->count + 1, sizeof(*wanted));

	for (size_t l = 0; wanted && l < c->libraries; l++) {
		struct search s = {.wanted = wanted};

		for (size_t i = 0; i < c->count; i++)
			if (c->symbol[i].library == &c->library[l] &&
			    !is_settled(&c->symbol[i], &found[i]))
				wanted[s.count++] =
					(struct wanted){c->symbol[i].address, &found[i]};
		qsort(wanted, s.count, sizeof(*wanted), by_address);
		/* the rules of another processor are others */
		if (s.count && c->program.machine == EM_X86_64)
			search_library(&s, c->library[l].path);
	}
	free(wanted);
}
