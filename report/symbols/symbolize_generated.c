// SPDX-License-Identifier: GPL-3.0-or-later
#define HASH_NONFATAL_OOM 1
#include "report/symbols/generated.h"
#include "report/wording/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

struct generated_names {
	char *whole; /* function and place: the key */
	struct generated_name name;
	UT_hash_handle hh;
};

static void free_name(struct generated_names *n)
{
	if (!n)
		return;
	free(n->name.text);
	free(n->whole);
	free(n);
}

static struct generated_names *make_name(const char *text)
{
	struct generated_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->name = generated_name_parse(text);
	if (n->name.text &&
	    asprintf(&n->whole, n->name.file ? "%s %s:%d:%d" : "%s", n->name.function, n->name.file,
		     n->name.line, n->name.column) >= 0)
		return n;
	n->whole = NULL;
	free_name(n);
	return NULL;
}

/* The one that is equal, if there is one, in the place of `n`. NULL: out of memory. */
static struct generated_names *keep_name(struct generated_names **names, struct generated_names *n)
{
	struct generated_names *known = NULL;

	HASH_FIND_STR(*names, n->whole, known);
	if (!known) {
		HASH_ADD_KEYPTR(hh, *names, n->whole, strlen(n->whole), n);
		known = n->hh.tbl ? n : NULL;
	}
	if (known != n)
		free_name(n);
	return known;
}

bool symbolize_generated_fill(struct generated_names **names, const struct jit_name *found,
			      struct symbol *out)
{
	struct generated_names *n = make_name(found->name);

	out->module = found->map ? found->map : SYMBOLIZE_GENERATED_MODULE;
	out->module_name = base_name(out->module);
	if (n && !n->name.language && !strcmp(n->name.function, found->name)) {
		free_name(n);
		return false;
	}
	n = n ? keep_name(names, n) : NULL;
	if (!n)
		return false;
	out->linker_name = n->whole;
	out->function = n->name.function;
	out->brief = n->name.brief;
	out->language = n->name.language;
	out->library = generated_name_is_library(&n->name);
	out->file = n->name.file; /* the place is the function's */
	out->line = out->declared = n->name.line;
	out->column = n->name.column;
	return true;
}

void symbolize_generated_free(struct generated_names *names)
{
	struct generated_names *n, *next;

	HASH_ITER(hh, names, n, next)
	{
		HASH_DEL(names, n);
		free_name(n);
	}
}
