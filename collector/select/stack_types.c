// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/select/stack_arguments.h"

#include <dwarf.h>

struct used {
	unsigned general, vector; /* registers: 6 (AArch64: 8) and 8 */
	uint64_t bytes;
};

/* Where an argument goes: into one register of either kind; or into registers of either kind
 * (AArch64: up to four vectors, and after what does not fit no register is used), or into memory,
 * or behind a hidden pointer. */
enum place { UNKNOWN, GENERAL, VECTOR, EITHER };

/* At most as aligned as this, since a size is a multiple of the alignment. */
static void add_memory(struct used *u, uint64_t size)
{
	uint64_t align = size & -size;

	align = align < 8 ? 8 : align > 64 ? 64 : align;
	u->bytes = (u->bytes + align - 1) / align * align + (size + 7) / 8 * 8;
}

static void add(struct used *u, enum place place, uint64_t size)
{
	if (place == GENERAL && u->general < 6) {
		u->general++;
	} else if (place == VECTOR && u->vector < 8) {
		u->vector++;
	} else if (place != EITHER) {
		add_memory(u, size);
	} else {
		u->general = u->general < 4 ? u->general + 2 : 6;
		u->vector = u->vector < 4 ? u->vector + 4 : 8;
		add_memory(u, size);
	}
}

static enum place place_of_base(Dwarf_Die *type, Dwarf_Word size)
{
	Dwarf_Attribute a;
	Dwarf_Word encoding = 0;

	dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &a), &encoding);
	switch (encoding) {
	case DW_ATE_float:
	case DW_ATE_complex_float:
		return size <= 8 ? VECTOR : EITHER;
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return size <= 8 ? GENERAL : EITHER;
	}
	return UNKNOWN;
}

static bool is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_array_type; /* a vector */
}

static enum place place_of(Dwarf_Die *type, Dwarf_Word *size)
{
	int tag = dwarf_tag(type);

	*size = tag == DW_TAG_ptr_to_member_type ? 16 : 8;
	switch (tag) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_unspecified_type: /* of nullptr */
		return GENERAL;
	case DW_TAG_ptr_to_member_type:
		return EITHER;
	}
	if (dwarf_aggregate_size(type, size) || !*size || *size > UINT32_MAX / 64)
		return UNKNOWN;
	if (tag == DW_TAG_base_type)
		return place_of_base(type, *size);
	if (tag == DW_TAG_enumeration_type)
		return GENERAL;
	return is_aggregate(tag) ? EITHER : UNKNOWN;
}

/* The type of a parameter, or of a result, without its qualifiers. 1: there is none; -1: it cannot
 * be read. */
static int type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute a;

	if (!dwarf_attr_integrate(die, DW_AT_type, &a))
		return 1;
	return dwarf_formref_die(&a, type) && dwarf_peel_type(type, type) == 0 ? 0 : -1;
}

static bool is_c(Dwarf_Die *function)
{
	Dwarf_Die unit;

	switch (dwarf_diecu(function, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	}
	return false;
}

/* The result's place is a hidden parameter. */
static bool begin(struct used *u, Dwarf_Die *function)
{
	Dwarf_Die type;
	int result = type_of(function, &type);

	*u = (struct used){0};
	u->general += result == 0 && is_aggregate(dwarf_tag(&type));
	return result >= 0;
}

bool stack_types_words(Dwarf_Die *function, uint32_t *words)
{
	Dwarf_Attribute a;
	Dwarf_Die origin = *function, child, type;
	Dwarf_Word size;
	struct used u;
	bool found = false;

	/* all parameters, even those that the code does not use */
	if (dwarf_attr(function, DW_AT_abstract_origin, &a) && !dwarf_formref_die(&a, &origin))
		return false;
	if (!is_c(&origin) || !begin(&u, &origin))
		return false;
	for (int more = dwarf_child(&origin, &child); more == 0;
	     more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			return false;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		enum place place = type_of(&child, &type) ? UNKNOWN : place_of(&type, &size);
		if (place == UNKNOWN)
			return false;
		add(&u, place, place == GENERAL ? 8 : size);
		found = true;
	}
	if (!found && !dwarf_hasattr_integrate(&origin, DW_AT_prototyped))
		return false; /* perhaps they are left out (-g1) */
	*words = (uint32_t)((u.bytes + 7) / 8);
	return u.bytes <= UINT32_MAX;
}
