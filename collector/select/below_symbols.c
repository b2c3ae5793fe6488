// SPDX-License-Identifier: GPL-3.0-or-later
/* libdwfl reads the symbols: it finds separate debug files and compressed tables as debuggers do. A
 * function can have several symbols: the compiler splits off what is seldom executed, and copies it
 * for constant arguments. All are the function. */
#include "collector/select/below.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "collector/select/selection.h"

struct file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
	struct exports names; /* path and soname only */
	bool python;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

size_t below_symbols_stem(const char *symbol)
{
	static const char *const parts[] = {".cold",	  ".part.", ".isra.",	  ".constprop.",
					    ".lto_priv.", ".llvm.", ".localalias"};
	size_t stem = strlen(symbol);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *at = strstr(symbol, parts[i]);

		if (at && at > symbol && (size_t)(at - symbol) < stem)
			stem = (size_t)(at - symbol);
	}
	return stem;
}

static bool open_file(const char *path, struct file *f)
{
	const char *slash = strrchr(path, '/');

	*f = (struct file){.dwfl = dwfl_begin(&callbacks)};
	f->names.path = (char *)(uintptr_t)path;
	f->names.soname = (char *)(uintptr_t)(slash ? slash + 1 : path);
	if (!f->dwfl)
		return false;
	dwfl_report_begin(f->dwfl);
	f->module = dwfl_report_offline(f->dwfl, "", path, -1);
	dwfl_report_end(f->dwfl, NULL, NULL);
	if (f->module && dwfl_module_getelf(f->module, &f->bias))
		return true;
	dwfl_end(f->dwfl);
	return false;
}

/* The name of symbol i, if it is a function that is defined here; else NULL. */
static const char *function_at(const struct file *f, int i, GElf_Sym *symbol, GElf_Addr *at)
{
	GElf_Word section;
	const char *name = dwfl_module_getsym_info(f->module, i, symbol, at, &section, NULL, NULL);

	if (!name || !*name || section == SHN_UNDEF || GELF_ST_TYPE(symbol->st_info) != STT_FUNC)
		return NULL;
	*at -= f->bias;
	return name;
}

/* Assembly may give no size: up to what comes next. */
static GElf_Addr end_of(const struct file *f, GElf_Addr at, const GElf_Sym *symbol, int symbols)
{
	GElf_Addr next = at + 1, other;
	GElf_Sym s;

	if (symbol->st_size)
		return at + symbol->st_size;
	for (int i = 1; i < symbols; i++)
		if (function_at(f, i, &s, &other) && other > at && (next == at + 1 || other < next))
			next = other;
	return next;
}

/* Does the last pattern that matches take it in? */
static bool is_wanted(const struct file *f, struct symbol_patterns *patterns, const char *symbol)
{
	char *name = strndup(symbol, below_symbols_stem(symbol));
	char *full = name && !strncmp(name, "_Z", 2) ? selection_demangle(name, true) : NULL;
	char *brief = full ? selection_demangle(name, false) : NULL;
	/* an unqualified "main" of an interpreter is its program's */
	bool wanted = false, hidden = f->python && strncmp(symbol + (*symbol == '_'), "Py", 2) != 0;

	for (size_t i = 0; name && i < patterns->count; i++) {
		struct symbol_pattern *p = &patterns->list[i];

		if ((hidden && !p->library) || !symbol_pattern_has_library(p, &f->names) ||
		    (!symbol_pattern_has_name(p, name, full, brief) && strcmp(p->name, symbol)))
			continue;
		p->matches++;
		wanted = !p->takes_out;
	}
	free(name);
	free(full);
	free(brief);
	return wanted;
}

static int add_range(struct below_object *o, GElf_Addr start, GElf_Addr end)
{
	/* in steps of powers of two */
	if (!(o->ranges & (o->ranges - 1))) {
		size_t room = o->ranges ? 2 * o->ranges : 1;
		struct scp_below_range *grown = realloc(o->range, room * sizeof(*grown));

		if (!grown)
			return -1;
		o->range = grown;
	}
	o->range[o->ranges++] = (struct scp_below_range){start, end};
	return 0;
}

static void take_build_id(const struct file *f, struct below_object *o)
{
	const unsigned char *bits;
	GElf_Addr where;
	int bytes = dwfl_module_build_id(f->module, &bits, &where);

	if (bytes <= 0 || (size_t)bytes > sizeof(o->build_id))
		return;
	memcpy(o->build_id, bits, (size_t)bytes);
	o->build_id_bytes = (uint32_t)bytes;
}

static bool any_means(const struct symbol_patterns *patterns, const struct file *f)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (!patterns->list[i].takes_out &&
		    symbol_pattern_has_library(&patterns->list[i], &f->names))
			return true;
	return false;
}

int below_symbols_search(const char *path, bool python, struct symbol_patterns *patterns,
			 struct below_object *found, size_t *functions)
{
	struct file f;
	GElf_Sym symbol;
	GElf_Addr at;
	int failed = 0;

	if (!open_file(path, &f))
		return 0;
	f.python = python;
	int symbols = any_means(patterns, &f) ? dwfl_module_getsymtab(f.module) : 0;
	for (int i = 1; i < symbols && !failed; i++) {
		const char *name = function_at(&f, i, &symbol, &at);

		if (!name || !is_wanted(&f, patterns, name))
			continue;
		failed = add_range(found, at, end_of(&f, at, &symbol, symbols));
		++*functions;
	}
	take_build_id(&f, found);
	dwfl_end(f.dwfl);
	return failed;
}
