// SPDX-License-Identifier: GPL-3.0-or-later
/* The chain of inlined functions at an address, from DWARF. The line table knows the place of the
 * innermost function. Each DW_TAG_inlined_subroutine around the address says from where it was
 * called, which is the place of the next one out; the subprogram ends the chain. */
#include "report/symbols/symbolize_private.h"

#include <dwarf.h>
#include <string.h>
#include <elfutils/libdw.h>

/* The unit that covers an address. libdwfl gives the nearest one below, which may have ended before
 * it (assembly without debug information follows). And compilers that write no .debug_aranges
 * (clang, rustc) leave only a search through all units. */
static Dwarf_Die *find_unit(struct symbolize_files *files, Dwfl_Module *module, Dwarf_Addr address,
			    Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit && dwarf_haspc(unit, address - *bias) > 0)
		return unit;
	unit = NULL;
	while (symbolize_open_step(files, 1) &&
	       (unit = dwfl_module_nextcu(module, unit, bias)) != NULL)
		if (dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	return NULL;
}

/* The row of the line table for an address: none where the nearest one below
 * only says where its sequence ends. */
static void find_line(Dwarf_Die *unit, Dwarf_Addr pc, const char **file, int *line)
{
	Dwarf_Line *row = dwarf_getsrc_die(unit, pc);
	bool ends = true;

	if (!row || dwarf_lineendsequence(row, &ends) != 0 || ends)
		return;
	*file = dwarf_linesrc(row, NULL, NULL);
	dwarf_lineno(row, line);
}

static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

/* The linker name tells namespaces and parameters, so it comes first. */
static const char *name_of(Dwarf_Die *die)
{
	return string_of(die, DW_AT_linkage_name) ?: string_of(die, DW_AT_MIPS_linkage_name)
						  ?: dwarf_diename(die);
}

static void call_place(Dwarf_Die *unit, Dwarf_Die *die, const char **file, int *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word value;
	size_t count;

	*file = NULL;
	*line = 0;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &value) == 0)
		*line = (int)value;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &value) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &count) == 0 && value < count)
		*file = dwarf_filesrc(files, value, NULL, NULL);
}

#define DEEPEST 200 /* nesting that a compiler may make; a contrived file may not go on */

/* The functions around an address as their code is nested: the subprogram
 * first, then what was inlined into it. */
struct chain {
	struct symbolize_files *files;
	Dwarf_Addr pc;
	bool everywhere; /* look into functions elsewhere too: they may hold local ones */
	size_t count;
	Dwarf_Die die[INLINE_LEVELS];
};

static bool is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_entry_point;
}

/* Scopes without addresses of their own, which own functions. */
static bool is_container(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* dwarf_getscopes does not look into namespaces, where all of Rust and much of
 * C++ lies, and leaves an inlined function by way of its declaration instead
 * of its caller. Types are not asked for addresses. Returns whether a function was found. */
static bool find_chain(Dwarf_Die *parent, struct chain *chain, int depth)
{
	Dwarf_Die child;

	if (depth > DEEPEST || dwarf_child(parent, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool here = (is_function(tag) || tag == DW_TAG_lexical_block) &&
			    dwarf_haspc(&child, chain->pc) > 0;

		if (here && is_function(tag)) {
			if (chain->count == INLINE_LEVELS)
				return true;
			chain->die[chain->count++] = child;
			find_chain(&child, chain, depth + 1);
			return true;
		}
		if ((here || is_container(tag) || chain->everywhere) &&
		    find_chain(&child, chain, depth + 1))
			return true;
	} while (symbolize_open_step(chain->files, 1) && dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* A line within a function is better known by how far it is from the function's own: that stays
 * when the file changes elsewhere. */
static int declared_line(Dwarf_Die *die, const char *file)
{
	const char *declared = dwarf_decl_file(die);
	int line = 0;

	if (!file || !declared || strcmp(file, declared) != 0 || dwarf_decl_line(die, &line) != 0)
		return 0;
	return line;
}

static size_t walk_chain(Dwarf_Die *unit, struct chain *chain, const char *file, int line,
			 struct inline_level *level)
{
	size_t n = 0;

	for (size_t i = chain->count; i-- > 0;) {
		Dwarf_Die *die = &chain->die[i];
		bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;

		level[n++] = (struct inline_level){name_of(die), file, line,
						   declared_line(die, file), inlined};
		if (!inlined)
			break;
		call_place(unit, die, &file, &line);
	}
	return n;
}

size_t symbolize_inline_levels(struct symbolize_files *files, Dwfl_Module *module,
			       Dwarf_Addr address, struct inline_level *level)
{
	struct chain chain = {.files = files};
	Dwarf_Addr bias = 0;
	const char *file = NULL;
	int line = 0;

	Dwarf_Die *unit = find_unit(files, module, address, &bias);
	if (!unit)
		return 0;
	find_line(unit, address - bias, &file, &line);
	chain.pc = address - bias;
	if (!find_chain(unit, &chain, 0)) {
		chain.everywhere = true;
		find_chain(unit, &chain, 0);
	}
	if (!symbolize_open_step(files, 1))
		return 0; /* what was found may be a part */
	size_t n = walk_chain(unit, &chain, file, line, level);
	if (!n && file)
		level[n++] = (struct inline_level){NULL, file, line, 0, false};
	return n;
}
