// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows are matched by key; then rows of one side only, with the same functions but other lines,
 * are paired in their order. */
#include "report/compare/match.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* ---- modules of several profiles under one name, and whether addresses in them mean the same
 * everywhere. A library's version and the program's name may differ between the sides: what follows
 * ".so" is cut, and the only program is "the program" ---- */

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

static void modules_free(struct match_modules *modules)
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

static struct match_modules *modules_build(const struct match *m)
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
			modules_free(modules);
			return NULL;
		}
	}
	choose_modes(modules, m);
	return modules;
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

static int modules_report(struct match *m)
{
	const struct match_modules *modules = m->modules;

	m->vague = calloc(modules->families + 1, sizeof(*m->vague));
	for (uint32_t i = 0; m->vague && i < modules->families; i++)
		if (modules->family[i].used && modules->family[i].as.mode == MATCH_VAGUE)
			m->vague[m->vagues++] = modules->family[i].as.name;
	return m->vague ? 0 : -1;
}

/* ---- rows ---- */

static void clear_row(const struct match *m, struct match_row *r)
{
	for (uint32_t i = 0; r->sums && i < m->profiles; i++)
		sums_clear(&r->sums[i]);
	free(r->sums);
}

/* The row of an entry. NULL: out of memory. */
static struct match_row *row_of(struct match *m, enum report_by by, uint32_t profile,
				const struct prof_entry *e)
{
	struct match_row *r;
	char *key, *loose;
	uint32_t number, loose_number;

	if (match_key_make(m, by, profile, e, &key, &loose) < 0)
		return NULL;
	number = string_index_add(&m->keys, key);
	loose_number = string_index_add(&m->loose_keys, loose);
	free(key);
	free(loose);
	if (loose_number == STRING_INDEX_NONE ||
	    !array_reach((void **)&m->row, &m->room, number, sizeof(*m->row), 0))
		return NULL;
	r = &m->row[number];
	if (number < m->rows)
		return r;
	m->rows++;
	r->key = m->keys.text[number];
	r->loose = m->loose_keys.text[loose_number];
	r->sums = calloc(m->profiles, sizeof(*r->sums));
	return r->sums ? r : NULL;
}

static int add_entry(struct match *m, enum report_by by, uint32_t profile, uint32_t entry)
{
	const struct prof_entry *e = &m->profile[profile]->entry[entry];
	struct match_row *r;

	/* begun, but not yet returned; or no call of --below */
	if (!e->sums.calls || profile_leaves_out(m->profile[profile], e->path))
		return 0;
	r = row_of(m, by, profile, e);
	if (!r)
		return -1;
	*(profile < m->bases ? &r->in_base : &r->in_new) = true;
	r->profile = profile;
	r->entry = entry;
	return sums_add(&r->sums[profile], &e->sums);
}

/* Matched rows last; the others by loose key, side and key, so that candidates are adjacent, each
 * side's in the order of the code. */
static int by_loose_key(const void *left, const void *right)
{
	const struct match_row *a = left, *b = right;

	return ARRAY_ORDER(a->in_base && a->in_new, b->in_base && b->in_new)
		       ?: strcmp(a->loose, b->loose)
		       ?: ARRAY_ORDER(a->in_new, b->in_new) ?: strcmp(a->key, b->key);
}

static void join_rows(struct match *m, struct match_row *base, struct match_row *new)
{
	for (uint32_t i = m->bases; i < m->profiles; i++) {
		base->sums[i] = new->sums[i];
		new->sums[i] = (struct prof_sums){0};
	}
	base->in_new = base->moved = true;
	base->profile = new->profile;
	base->entry = new->entry;
	clear_row(m, new);
	new->key = NULL; /* to be dropped */
}

/* From the row `first` on: those of its loose key on one side only. Returns the first
 * row of another kind. */
static uint32_t pair_group(struct match *m, uint32_t first)
{
	const char *loose = m->row[first].loose;
	uint32_t base = first, end;

	while (base < m->rows && !m->row[base].in_new && !strcmp(m->row[base].loose, loose))
		base++;
	end = base;
	while (end < m->rows && !m->row[end].in_base && !strcmp(m->row[end].loose, loose))
		end++;
	if (base > first && base - first == end - base)
		for (uint32_t i = first; i < base; i++)
			join_rows(m, &m->row[i], &m->row[i + (base - first)]);
	return end > first ? end : first + 1;
}

static void pair_moved(struct match *m)
{
	uint32_t kept = 0;

	qsort(m->row, m->rows, sizeof(*m->row), by_loose_key);
	for (uint32_t i = 0; i < m->rows && !(m->row[i].in_base && m->row[i].in_new);)
		i = pair_group(m, i);
	for (uint32_t i = 0; i < m->rows; i++)
		if (m->row[i].key)
			m->row[kept++] = m->row[i];
	m->rows = kept;
}

static int fill(struct match *m, enum report_by by)
{
	for (uint32_t i = 0; i < m->profiles; i++) {
		m->symbols[i] = symbolize_new(m->profile[i]);
		if (!m->symbols[i])
			return -1;
	}
	m->modules = modules_build(m);
	if (!m->modules)
		return -1;
	for (uint32_t i = 0; i < m->profiles; i++)
		for (uint32_t k = 0; k < m->profile[i]->entries; k++)
			if (add_entry(m, by, i, k) < 0)
				return -1;
	if (m->rows)
		pair_moved(m);
	return modules_report(m);
}

struct match *match_build(const struct profile *const *profile, uint32_t profiles, uint32_t bases,
			  enum report_by by)
{
	struct match *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->profile = profile;
	m->profiles = profiles;
	m->bases = bases;
	m->symbols = calloc(profiles, sizeof(struct symbolizer *));
	if (m->symbols && fill(m, by) == 0)
		return m;
	match_free(m);
	return NULL;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->rows; i++)
		clear_row(m, &m->row[i]);
	free(m->row);
	for (uint32_t i = 0; m->symbols && i < m->profiles; i++)
		if (m->symbols[i])
			symbolize_free(m->symbols[i]);
	free(m->symbols);
	modules_free(m->modules);
	string_index_clear(&m->keys);
	string_index_clear(&m->loose_keys);
	free(m->vague);
	free(m);
}
