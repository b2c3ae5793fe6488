// SPDX-License-Identifier: GPL-3.0-or-later
/* A row's key: function, outcome, and the call path as text. Lines stand as eight
 * digits, so that keys of the same functions sort as the code does. */
#include "report/compare/match.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/symbols/symbolize_source.h"
#include "report/wording/utf8.h"

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

static void put_named(struct keys *k, const struct match_module *module, const struct symbol *s,
		      size_t count, bool lines)
{
	for (size_t i = 0; i < count; i++) {
		if (!s[i].function) {
			put_vague(k, module->name);
			continue;
		}
		k->vague_in = NULL;
		put(k, PART "%s:%s", module->name, s[i].function);
		if (lines && s[i].line)
			fprintf(k->full, "@%08d", s[i].line - s[i].declared);
	}
}

/* Files of interpreted languages move: a release has a folder of its own, another host another
 * home, and the next interpreter another library. So a file of a library is called by its path
 * below the library's folder, another one by its last part. */
static const char *source_file(const char *file)
{
	const char *library = symbolize_source_library(file);

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
	put(k, PART "%s:%s", f ? source_file(f->file) : "", f ? f->name : "");
	if (line && line->line)
		fprintf(k->full, "@%08" PRId64 ".%08" PRIu32,
			(int64_t)line->line - (int64_t)f->first_line, line->column);
}

static void put_frame(struct keys *k, struct match *m, uint32_t profile,
		      const struct prof_frame *frame)
{
	const struct match_module *module;
	const struct symbol *symbol;
	size_t count;

	if (frame->module == PROF_SOURCE) {
		put_source(k, m, profile, frame);
		return;
	}
	module = match_modules_find(m->modules, profile, frame->module);
	if (module->mode == MATCH_VAGUE) {
		put_vague(k, module->name);
	} else if (module->mode == MATCH_BY_NAME || frame->exact) {
		symbol = symbolize_frame(m->symbols[profile], frame, &count);
		put_named(k, module, symbol, count, !frame->exact);
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

static void put_path(struct keys *k, struct match *m, enum report_by by, uint32_t profile,
		     const struct prof_path *path)
{
	const struct profile *p = m->profile[profile];
	uint32_t first = by == REPORT_BY_SITE ? path_site_of(p, path) : 0;
	uint32_t end = by == REPORT_BY_SITE && path->frames ? first + 1 : path->frames;

	if (by == REPORT_BY_FUNCTION) {
		uint32_t function = path_site_function(p, path);
		struct prof_frame of = symbolize_source_function(function);

		if (function != PROF_NONE)
			put_source(k, m, profile, &of);
		return;
	}
	for (uint32_t i = first; i < end; i++)
		put_frame(k, m, profile, &path->frame[i]);
}

static void put_all(struct keys *k, struct match *m, enum report_by by, uint32_t profile,
		    const struct prof_entry *e)
{
	const struct profile *p = m->profile[profile];
	const struct prof_function *f = &p->function[e->function];

	put(k, "%s" PART "%s" PART "%" PRIu32, f->name, needs_library(m, f->name) ? f->library : "",
	    e->outcome);
	if (e->path < p->paths)
		put_path(k, m, by, profile, &p->path[e->path]);
}

int match_key_make(struct match *m, enum report_by by, uint32_t profile, const struct prof_entry *e,
		   char **key, char **loose)
{
	struct utf8_memory full, without_lines;
	struct keys k;

	utf8_memory_begin(&full);
	utf8_memory_begin(&without_lines);
	k = (struct keys){full.to, without_lines.to, NULL};
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
