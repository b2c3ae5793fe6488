// SPDX-License-Identifier: GPL-3.0-or-later
/* The chain of inlined functions at an address, from DWARF.
 *
 * The line table knows the place of the innermost function. Each
 * DW_TAG_inlined_subroutine around the address says from where it was called,
 * which is the place of the next one out; the subprogram ends the chain. */
#include "symbolize_inline.h"

#include <dwarf.h>
#include <stdlib.h>
#include <elfutils/libdw.h>

/* The unit that covers an address. Compilers that write no .debug_aranges
 * (clang, rustc) leave only a search through all units. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)) != NULL)
		if (dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	return NULL;
}

static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

/* The linker name tells namespaces and parameters, so it comes first. */
static const char *name_of(Dwarf_Die *die)
{
	const char *name = string_of(die, DW_AT_linkage_name);

	if (!name)
		name = string_of(die, DW_AT_MIPS_linkage_name);
	return name ? name : dwarf_diename(die);
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

/* The scopes around the address as they lie in the code. dwarf_getscopes would
 * leave an inlined function by way of its declaration instead of its caller,
 * so only its innermost answer is used. */
static int code_scopes(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *found = NULL, innermost;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	int count = dwarf_getscopes(unit, pc, &found);
	int ok = count > 0 && dwarf_offdie(dwarf, dwarf_dieoffset(&found[0]), &innermost) != NULL;

	if (count > 0)
		free(found);
	return ok ? dwarf_getscopes_die(&innermost, scopes) : 0;
}

static size_t walk_scopes(Dwarf_Die *unit, Dwarf_Die *scope, int scopes, const char *file, int line,
			  struct inline_level *level)
{
	size_t n = 0;

	for (int i = 0; i < scopes && n < INLINE_LEVELS; i++) {
		int tag = dwarf_tag(&scope[i]);
		bool inlined = tag == DW_TAG_inlined_subroutine;

		if (!inlined && tag != DW_TAG_subprogram && tag != DW_TAG_entry_point)
			continue;
		level[n++] = (struct inline_level){name_of(&scope[i]), file, line, inlined};
		if (!inlined)
			break;
		call_place(unit, &scope[i], &file, &line);
	}
	return n;
}

size_t inline_levels(Dwfl_Module *module, Dwarf_Addr address, struct inline_level *level)
{
	Dwarf_Die *scopes = NULL, *unit;
	Dwarf_Addr bias = 0;
	Dwarf_Line *row;
	const char *file = NULL;
	int line = 0, count;
	size_t n = 0;

	unit = find_unit(module, address, &bias);
	if (!unit)
		return 0;
	row = dwarf_getsrc_die(unit, address - bias);
	if (row) {
		file = dwarf_linesrc(row, NULL, NULL);
		dwarf_lineno(row, &line);
	}
	count = code_scopes(module, unit, address - bias, &scopes);
	if (count > 0) {
		n = walk_scopes(unit, scopes, count, file, line, level);
		free(scopes);
	}
	if (!n && file)
		level[n++] = (struct inline_level){NULL, file, line, false};
	return n;
}
