// SPDX-License-Identifier: GPL-3.0-or-later
/* A row's key: function, outcome, and the call path as text. Lines stand as eight
 * digits, so that keys of the same functions sort as the code does. */
#include "report/compare/match.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/model/sites.h"
#include "report/symbols/symbolize.h"
#include "report/wording/utf8.h"

/* ---- modules of several profiles under one name, and whether addresses in them mean the same
 * everywhere. A library's version and the program's name may differ between the sides: what follows
 * ".so" is cut, and the only program that the other side has not is "the program" ---- */

enum match_mode { MATCH_BY_ADDRESS, MATCH_BY_NAME, MATCH_VAGUE };

/* A module on both sides, and how frames in it are compared. */
struct match_family {
	const struct prof_module *first;
	const char *name;
	bool same_build, loaded, used;
	bool named[2], nameless[2]; /* frames with names and without, of BASE and of NEW */
	enum match_mode mode;
};

static const char program_name[] = "(program)";

/* Programs of a run; or source files, of interpreted languages. */
static uint32_t names_of(const struct profile *p, bool source)
{
	return source ? p->source_functions : p->processes;
}

static const char *name_at(const struct profile *p, bool source, uint32_t i)
{
	return source ? p->source_function[i].file : p->process[i].exe;
}

/* Names without their folders, and which sides have them: one bit each. */
struct naming {
	struct string_index names;
	uint8_t *sides;
	uint32_t room;
};

static int note_names(const struct match *m, bool source, struct naming *n)
{
	for (uint32_t i = 0; i < m->profiles; i++)
		for (uint32_t k = 0; k < names_of(m->profile[i], source); k++) {
			uint32_t number = string_index_add(
				&n->names, base_name(name_at(m->profile[i], source, k)));

			if (!array_reach((void **)&n->sides, &n->room, number, 1, 0))
				return -1;
			n->sides[number] |= i < m->bases ? 1 : 2;
		}
	return 0;
}

/* What a run has and the other side has not, where that is one: a shell may have started the
 * program, and a script has libraries. NULL: none, or several. */
static const char *own_name(const struct profile *p, bool source, struct naming *n)
{
	const char *own = NULL;

	for (uint32_t i = 0; i < names_of(p, source); i++) {
		const char *name = name_at(p, source, i);

		if (n->sides[string_index_add(&n->names, base_name(name))] == 3 ||
		    (own && !strcmp(name, own)) || (source && symbolize_source_library(name)))
			continue;
		if (own)
			return NULL;
		own = name;
	}
	return own;
}

/* Each profile's own name. NULL: out of memory. */
static const char **own_names(const struct match *m, bool source)
{
	const char **own = calloc(m->profiles, sizeof(*own));
	struct naming n = {0};
	bool noted = own && !note_names(m, source, &n);

	for (uint32_t i = 0; noted && i < m->profiles; i++)
		own[i] = own_name(m->profile[i], source, &n);
	string_index_clear(&n.names);
	free(n.sides);
	if (noted)
		return own;
	free(own);
	return NULL;
}

char *match_key_family(const struct match *m, uint32_t profile, const char *path)
{
	const char *program = m->program[profile], *base = base_name(path), *so;

	if (program && !strcmp(program, path))
		return strdup(program_name);
	so = strstr(base, ".so");
	return so ? strndup(base, (size_t)(so - base) + 3) : strdup(base);
}

static bool same_build(const struct prof_module *a, const struct prof_module *b)
{
	return a->build_id_bytes && a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes);
}

/* The number of its family. STRING_INDEX_NONE: out of memory. */
static uint32_t join_family(struct match *to, uint32_t profile, const struct prof_module *m)
{
	uint32_t number = string_index_take(&to->families, match_key_family(to, profile, m->path));

	if (!array_reach((void **)&to->family, &to->family_room, number, sizeof(*to->family), 0))
		return STRING_INDEX_NONE;
	struct match_family *f = &to->family[number];
	if (f->first)
		f->same_build = f->same_build && same_build(f->first, m);
	else
		*f = (struct match_family){
			.first = m, .same_build = m->build_id_bytes > 0, .loaded = true};
	return number;
}

/* Looking up any address opens the module's file. */
static bool has_names(struct symbolizer *s, uint32_t module)
{
	struct prof_frame frame = {.module = module, .exact = true};

	symbolize_frame(s, &frame, NULL);
	return symbolize_module_state(s, module) == SYMBOLIZE_LOADED;
}

/* Files are opened only of modules that were rebuilt. */
static void choose_modes(struct match *m)
{
	for (uint32_t i = 0; i < m->profiles; i++) {
		for (uint32_t k = 0; k < m->profile[i]->modules; k++) {
			struct match_family *f = &m->family[m->family_of[i][k]];

			if (!f->same_build && f->loaded)
				f->loaded = has_names(m->symbols[i], k);
		}
	}
	for (uint32_t i = 0; i < m->families.count; i++) {
		struct match_family *f = &m->family[i];

		f->name = m->families.text[i];
		f->mode = f->same_build ? MATCH_BY_ADDRESS
			  : f->loaded	? MATCH_BY_NAME
					: MATCH_VAGUE;
	}
}

static int join_all(struct match *m, uint32_t profile)
{
	const struct profile *p = m->profile[profile];
	uint32_t *of = m->family_of[profile] = calloc(p->modules + 1, sizeof(*of));

	for (uint32_t k = 0; of && k < p->modules; k++) {
		of[k] = join_family(m, profile, &p->module[k]);
		if (of[k] == STRING_INDEX_NONE)
			return -1;
	}
	return of ? 0 : -1;
}

void match_modules_clear(struct match *m)
{
	for (uint32_t i = 0; m->family_of && i < m->profiles; i++)
		free(m->family_of[i]);
	PROF_FREE(m, family_of, program, script, family);
	string_index_clear(&m->families);
}

int match_modules_build(struct match *m)
{
	m->family_of = calloc(m->profiles, sizeof(*m->family_of));
	m->program = own_names(m, false);
	m->script = own_names(m, true);
	if (!m->family_of || !m->program || !m->script)
		return -1;
	for (uint32_t i = 0; i < m->profiles; i++)
		if (join_all(m, i) < 0)
			return -1;
	choose_modes(m);
	return 0;
}

/* Never NULL; `module` may be PROF_NO_MODULE. */
static struct match_family *find_module(const struct match *m, uint32_t profile, uint32_t module)
{
	static struct match_family none = {.name = "(no module)", .mode = MATCH_VAGUE};

	if (module == PROF_NO_MODULE)
		return &none;
	struct match_family *f = &m->family[m->family_of[profile][module]];
	f->used = true;
	return f;
}

/* Stripped on one side, it has no function in common with itself. */
static bool is_vague(const struct match_family *f)
{
	return f->mode == MATCH_VAGUE || (f->named[0] && !f->named[1] && f->nameless[1]) ||
	       (f->named[1] && !f->named[0] && f->nameless[0]);
}

int match_modules_report(struct match *m)
{
	m->vague = calloc(m->families.count + 1, sizeof(*m->vague));
	for (uint32_t i = 0; m->vague && i < m->families.count; i++)
		if (m->family[i].used && is_vague(&m->family[i]))
			m->vague[m->vagues++] = m->family[i].name;
	return m->vague ? 0 : -1;
}

/* ---- keys ---- */

#define PART  "\x1f" /* between parts; not in any name */
#define VAGUE "?"

/* The full and the loose key, written in parallel. */
struct keys {
	FILE *full, *loose;
	const char *vague_in; /* the module of the frame before, if that was vague */
};

__attribute__((format(printf, 2, 3))) static void put(struct keys *k, const char *format, ...)
{
	FILE *const to[] = {k->full, k->loose};

	for (int i = 0; i < 2; i++) {
		va_list args;

		va_start(args, format);
		vfprintf(to[i], format, args);
		va_end(args);
	}
}

/* The number of frames in code without names may differ from build to build. */
static void put_vague(struct keys *k, const char *module)
{
	if (!k->vague_in || strcmp(k->vague_in, module) != 0)
		put(k, PART VAGUE "%s", module);
	k->vague_in = module;
}

static void put_named(struct keys *k, struct match_family *module, const struct symbol *s,
		      size_t count, bool lines, int side)
{
	for (size_t i = 0; i < count; i++) {
		*(s[i].function ? &module->named[side] : &module->nameless[side]) = true;
		if (!s[i].function) {
			put_vague(k, module->name);
			continue;
		}
		k->vague_in = NULL;
		/* the next build may have a copy of it, or none */
		put(k, PART "%s:%.*s", module->name, (int)symbolize_stem(s[i].function),
		    s[i].function);
		if (lines && s[i].line)
			fprintf(k->full, "@%08d", s[i].line - s[i].declared);
	}
}

/* Files of interpreted languages move: a release has a folder of its own, another host another
 * home, and the next interpreter another library. So a file of a library is called by its path
 * below the library's folder, another one by its last part; and the only one that the other side
 * has not is "the program". */
static const char *source_file(const struct match *m, uint32_t profile, const char *file)
{
	const char *library = symbolize_source_library(file), *script = m->script[profile];

	if (script && !strcmp(script, file))
		return program_name;
	return library ? library : base_name(file);
}

/* Lines count from the function's first, as in machine code; several calls may be made in one. */
static void put_source(struct keys *k, struct match *m, uint32_t profile,
		       const struct prof_frame *frame)
{
	const struct prof_source_line *line;
	const struct prof_source_function *f =
		symbolize_source_find(m->profile[profile], frame, &line);

	k->vague_in = NULL;
	put(k, PART "%s:%s", f ? source_file(m, profile, f->file) : "", f ? f->name : "");
	if (line && line->line)
		fprintf(k->full, "@%08" PRId64 ".%08" PRIu32,
			(int64_t)line->line - (int64_t)f->first_line, line->column);
}

static void put_frame(struct keys *k, struct match *m, uint32_t profile,
		      const struct prof_frame *frame)
{
	const struct symbol *symbol;
	size_t count;

	if (frame->module == PROF_SOURCE) {
		put_source(k, m, profile, frame);
		return;
	}
	struct match_family *module = find_module(m, profile, frame->module);
	if (module->mode == MATCH_VAGUE) {
		put_vague(k, module->name);
	} else if (module->mode == MATCH_BY_NAME || frame->exact) {
		symbol = symbolize_frame(m->symbols[profile], frame, &count);
		put_named(k, module, symbol, count, !frame->exact, profile >= m->bases);
	} else {
		k->vague_in = NULL;
		put(k, PART "%s+%016" PRIx64, module->name, (uint64_t)frame->offset);
	}
}

/* Functions of the same name from two libraries are distinct; else the library does not matter:
 * the same function may come from another one after an update. */
static bool needs_library(const struct match *m, const char *name)
{
	for (uint32_t i = 0; i < m->profiles; i++) {
		uint32_t found = 0;

		for (uint32_t f = 0; f < m->profile[i]->functions; f++)
			found += !strcmp(m->profile[i]->function[f].name, name);
		if (found > 1)
			return true;
	}
	return false;
}

static void put_all(struct keys *k, struct match *m, enum report_by by, uint32_t profile,
		    const struct prof_entry *e)
{
	const struct profile *p = m->profile[profile];
	const struct prof_function *f = &p->function[e->function];
	struct prof_frame function;
	struct group_path path =
		groups_keep(p, by, e->path < p->paths ? &p->path[e->path] : NULL, &function);

	put(k, "%s" PART "%s" PART "%" PRIu32, f->name, needs_library(m, f->name) ? f->library : "",
	    e->outcome);
	for (uint32_t i = 0; i < path.frames; i++)
		put_frame(k, m, profile, &path.frame[i]);
}

int match_key_make(struct match *m, enum report_by by, uint32_t profile, const struct prof_entry *e,
		   char **key, char **loose)
{
	struct utf8_memory full, without_lines;

	utf8_memory_begin(&full);
	utf8_memory_begin(&without_lines);
	struct keys k = {full.to, without_lines.to, NULL};
	if (k.full && k.loose)
		put_all(&k, m, by, profile, e);
	*key = utf8_memory_end(&full);
	*loose = utf8_memory_end(&without_lines);
	if (*key && *loose)
		return 0;
	free(*key);
	free(*loose);
	return -1;
}
