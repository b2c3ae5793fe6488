// SPDX-License-Identifier: GPL-3.0-or-later
/* Modules of several profiles under one name, and whether addresses in them mean the
 * same everywhere. A library's version and the program's name may differ between the
 * sides: what follows ".so" is cut, and the only program is "the program". */
#include "report/compare/match.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

static const char program_name[] = "(program)";

struct family {
	const struct prof_module *first;
	bool same_build, loaded, used;
	struct match_module as;
};

struct match_modules {
	struct string_index names; /* of the families, by number */
	struct family *family;
	uint32_t families, room;
	uint32_t **of; /* [profile][module] */
	uint32_t profiles;
};

/* NULL where there are several programs in the profile. */
static const char *only_program(const struct profile *p)
{
	for (uint32_t i = 1; i < p->processes; i++)
		if (strcmp(p->process[i].exe, p->process[0].exe) != 0)
			return NULL;
	return p->processes ? p->process[0].exe : NULL;
}

static char *family_name(const struct profile *p, const struct prof_module *m)
{
	const char *program = only_program(p), *slash = strrchr(m->path, '/'), *base, *so;

	if (program && !strcmp(program, m->path))
		return strdup(program_name);
	base = slash && slash[1] ? slash + 1 : m->path;
	so = strstr(base, ".so");
	return so ? strndup(base, (size_t)(so - base) + 3) : strdup(base);
}

static bool same_build(const struct prof_module *a, const struct prof_module *b)
{
	return a->build_id_bytes && a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes);
}

/* The number of its family. STRING_INDEX_NONE: out of memory. */
static uint32_t join_family(struct match_modules *modules, const struct profile *p,
			    const struct prof_module *m)
{
	char *name = family_name(p, m);
	uint32_t number = string_index_add(&modules->names, name);
	struct family *f;

	free(name);
	if (!array_reach((void **)&modules->family, &modules->room, number,
			 sizeof(*modules->family), 0))
		return STRING_INDEX_NONE;
	f = &modules->family[number];
	if (number < modules->families) {
		f->same_build = f->same_build && same_build(f->first, m);
		return number;
	}
	modules->families++;
	*f = (struct family){.first = m, .same_build = m->build_id_bytes > 0, .loaded = true};
	return number;
}

/* Looking up any address opens the module's file. */
static bool has_names(struct symbolizer *s, uint32_t module)
{
	struct prof_frame frame = {.module = module, .exact = true};
	size_t count;

	symbolize_frame(s, &frame, &count);
	return symbolize_module_state(s, module) == SYMBOLIZE_LOADED;
}

/* Files are opened only of modules that were rebuilt. */
static void choose_modes(struct match_modules *modules, const struct match *m)
{
	for (uint32_t i = 0; i < m->profiles; i++) {
		for (uint32_t k = 0; k < m->profile[i]->modules; k++) {
			struct family *f = &modules->family[modules->of[i][k]];

			if (!f->same_build && f->loaded)
				f->loaded = has_names(m->symbols[i], k);
		}
	}
	for (uint32_t i = 0; i < modules->families; i++) {
		struct family *f = &modules->family[i];

		f->as.name = modules->names.text[i];
		f->as.mode = f->same_build ? MATCH_BY_ADDRESS
			     : f->loaded   ? MATCH_BY_NAME
					   : MATCH_VAGUE;
	}
}

static uint32_t *join_all(struct match_modules *modules, const struct profile *p)
{
	uint32_t *of = calloc(p->modules + 1, sizeof(*of));

	for (uint32_t k = 0; of && k < p->modules; k++) {
		of[k] = join_family(modules, p, &p->module[k]);
		if (of[k] == STRING_INDEX_NONE) {
			free(of);
			return NULL;
		}
	}
	return of;
}

struct match_modules *match_modules_build(const struct match *m)
{
	struct match_modules *modules = calloc(1, sizeof(*modules));

	if (!modules)
		return NULL;
	modules->of = calloc(m->profiles, sizeof(uint32_t *));
	modules->profiles = modules->of ? m->profiles : 0;
	for (uint32_t i = 0; i < m->profiles; i++) {
		if (modules->of)
			modules->of[i] = join_all(modules, m->profile[i]);
		if (!modules->of || !modules->of[i]) {
			match_modules_free(modules);
			return NULL;
		}
	}
	choose_modes(modules, m);
	return modules;
}

void match_modules_free(struct match_modules *modules)
{
	if (!modules)
		return;
	for (uint32_t i = 0; i < modules->profiles; i++)
		free(modules->of[i]);
	free(modules->of);
	free(modules->family);
	string_index_clear(&modules->names);
	free(modules);
}

const struct match_module *match_modules_find(const struct match_modules *modules, uint32_t profile,
					      uint32_t module)
{
	static const struct match_module none = {"(no module)", MATCH_VAGUE};
	struct family *f;

	if (module == PROF_NO_MODULE)
		return &none;
	f = &modules->family[modules->of[profile][module]];
	f->used = true;
	return &f->as;
}

int match_modules_report(struct match *m)
{
	const struct match_modules *modules = m->modules;

	m->vague = calloc(modules->families + 1, sizeof(*m->vague));
	for (uint32_t i = 0; m->vague && i < modules->families; i++)
		if (modules->family[i].used && modules->family[i].as.mode == MATCH_VAGUE)
			m->vague[m->vagues++] = modules->family[i].as.name;
	return m->vague ? 0 : -1;
}
