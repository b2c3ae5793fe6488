// SPDX-License-Identifier: GPL-3.0-or-later
/* Modules of several profiles under one name, and whether addresses in them mean the
 * same everywhere. A library's version and the program's name may differ between the
 * sides: what follows ".so" is cut, and the only program is "the program". */
#define HASH_NONFATAL_OOM 1
#include "report/compare/match.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

static const char program_name[] = "(program)";

/* All modules of one name. */
struct family {
	char *name;
	const struct prof_module *first;
	bool same_build, loaded, used;
	struct match_module as;
	UT_hash_handle hh;
};

struct match_modules {
	struct family *families;
	struct family ***of; /* [profile][module] */
	uint32_t profiles;
	struct match_module none; /* code without a module */
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

static struct family *join_family(struct match_modules *modules, const struct profile *p,
				  const struct prof_module *m)
{
	char *name = family_name(p, m);
	struct family *f;

	if (!name)
		return NULL;
	HASH_FIND_STR(modules->families, name, f);
	if (f) {
		free(name);
		f->same_build = f->same_build && same_build(f->first, m);
		return f;
	}
	f = calloc(1, sizeof(*f));
	if (!f) {
		free(name);
		return NULL;
	}
	f->name = name;
	f->first = m;
	f->same_build = m->build_id_bytes > 0;
	f->loaded = true;
	HASH_ADD_KEYPTR(hh, modules->families, f->name, strlen(f->name), f);
	if (f->hh.tbl)
		return f;
	free(f->name);
	free(f);
	return NULL;
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
			struct family *f = modules->of[i][k];

			if (!f->same_build && f->loaded)
				f->loaded = has_names(m->symbols[i], k);
		}
	}
	for (struct family *f = modules->families; f; f = f->hh.next) {
		f->as.name = f->name;
		f->as.mode = f->same_build ? MATCH_BY_ADDRESS
			     : f->loaded   ? MATCH_BY_NAME
					   : MATCH_VAGUE;
	}
}

struct match_modules *match_modules_build(const struct match *m)
{
	struct match_modules *modules = calloc(1, sizeof(*modules));

	if (!modules)
		return NULL;
	modules->none = (struct match_module){"(no module)", MATCH_VAGUE};
	modules->of = calloc(m->profiles, sizeof(struct family **));
	modules->profiles = modules->of ? m->profiles : 0;
	for (uint32_t i = 0; i < modules->profiles; i++) {
		const struct profile *p = m->profile[i];

		modules->of[i] = calloc(p->modules + 1, sizeof(struct family *));
		for (uint32_t k = 0; modules->of[i] && k < p->modules; k++) {
			modules->of[i][k] = join_family(modules, p, &p->module[k]);
			if (!modules->of[i][k])
				goto fail;
		}
		if (!modules->of[i])
			goto fail;
	}
	if (!modules->of)
		goto fail;
	choose_modes(modules, m);
	return modules;
fail:
	match_modules_free(modules);
	return NULL;
}

void match_modules_free(struct match_modules *modules)
{
	struct family *f, *next;

	if (!modules)
		return;
	HASH_ITER(hh, modules->families, f, next)
	{
		HASH_DEL(modules->families, f);
		free(f->name);
		free(f);
	}
	for (uint32_t i = 0; i < modules->profiles; i++)
		free(modules->of[i]);
	free(modules->of);
	free(modules);
}

const struct match_module *match_modules_find(const struct match_modules *modules, uint32_t profile,
					      uint32_t module)
{
	struct family *f = module == PROF_NO_MODULE ? NULL : modules->of[profile][module];

	if (!f)
		return &modules->none;
	f->used = true;
	return &f->as;
}

int match_modules_report(const struct match_modules *modules, struct match *m)
{
	m->vague = calloc(HASH_COUNT(modules->families) + 1, sizeof(*m->vague));
	if (!m->vague)
		return -1;
	for (struct family *f = modules->families; f; f = f->hh.next) {
		if (!f->used || f->as.mode != MATCH_VAGUE)
			continue;
		m->vague[m->vagues] = strdup(f->name);
		if (!m->vague[m->vagues])
			return -1;
		m->vagues++;
	}
	return 0;
}
