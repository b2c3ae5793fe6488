// SPDX-License-Identifier: GPL-3.0-or-later
/* Keyed by the address of the name and not by its text: a symbol table or a section of debug
 * information mostly has each name once. */
#define HASH_NONFATAL_OOM 1
#include "report/symbols/symbolize_names.h"

#include <stdlib.h>
#include <uthash.h>

#include "profile/base/demangle.h"

struct symbol_names {
	const char *linker_name;
	char *function, *brief;
	UT_hash_handle hh;
};

static void free_name(struct symbol_names *n)
{
	free(n->function);
	free(n->brief);
	free(n);
}

static struct symbol_names *new_name(struct symbol_names **names, const char *linker_name)
{
	struct symbol_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->linker_name = linker_name;
	n->function = demangle_full(linker_name);
	n->brief = demangle_brief(linker_name);
	HASH_ADD_PTR(*names, linker_name, n);
	if (n->hh.tbl)
		return n;
	free_name(n);
	return NULL;
}

struct symbol_name symbolize_names_add(struct symbol_names **names, const char *linker_name)
{
	struct symbol_names *n = NULL;

	if (linker_name)
		HASH_FIND_PTR(*names, &linker_name, n);
	if (linker_name && !n)
		n = new_name(names, linker_name);
	return n ? (struct symbol_name){n->function, n->brief} : (struct symbol_name){NULL, NULL};
}

void symbolize_names_free(struct symbol_names *names)
{
	struct symbol_names *n, *next;

	HASH_ITER(hh, names, n, next)
	{
		HASH_DEL(names, n);
		free_name(n);
	}
}
