// SPDX-License-Identifier: GPL-3.0-or-later
/* Instrumented functions are looked up like frames of their modules. Functions of a language whose
 * code was generated become frames like those of an interpreted one: so there is one rule for the
 * call site, and one kind of row by function. */
#include "report/symbols/function_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/symbols/symbolize.h"
#include "profile/base/array.h"
#include "report/symbols/generated.h"
#include "report/wording/utf8.h"

static bool is_generated(const struct prof_frame *f)
{
	return f->module == PROF_NO_MODULE && !f->exact && f->offset;
}

static bool has_generated(const struct profile *p)
{
	for (uint32_t i = 0; i < p->paths; i++)
		for (uint32_t k = 0; k < p->path[i].frames; k++)
			if (is_generated(&p->path[i].frame[k]))
				return true;
	return false;
}

/* PROF_NONE: it has no name of a language, or out of memory. */
static uint32_t line_of(struct profile *p, struct symbolizer *names, const struct prof_frame *frame)
{
	const struct symbol *s = symbolize_frame(names, frame, NULL);
	uint32_t language = s->language ? symbolize_source_language(s->language) : 0;
	struct prof_source_line line = {
		.address = {(uint32_t)frame->offset, (uint32_t)(frame->offset >> 32)}};

	if (!language)
		return PROF_NONE;
	line.function = source_add_function(
		p, &(struct prof_source_function){.name = (char *)s->brief,
						  .file = (char *)(s->file ? s->file : ""),
						  .first_line = (uint32_t)s->declared,
						  .language = language});
	line.line = (uint32_t)s->line;
	line.column = (uint32_t)s->column;
	return line.function == PROF_NONE ? PROF_NONE : source_add_line(p, &line);
}

/* Frames of no module that have a name of such a language become frames of PROF_SOURCE, with a line
 * for each address. Out of memory the rest stay as they are. */
static void name_generated(struct profile *p)
{
	struct symbolizer *names = has_generated(p) ? symbolize_new(p) : NULL;

	for (uint32_t i = 0; names && i < p->paths; i++)
		for (uint32_t k = 0; k < p->path[i].frames; k++) {
			struct prof_frame *frame = &p->path[i].frame[k];
			uint32_t line = is_generated(frame) ? line_of(p, names, frame) : PROF_NONE;

			if (line == PROF_NONE)
				continue;
			frame->module = PROF_SOURCE;
			frame->offset = line;
		}
	symbolize_free(names);
}

/* NULL: not found. Inlined levels do not matter: at its first byte a function is itself,
 * and that is the last level. */
static const char *find_name(const struct profile *p, struct symbolizer *s,
			     const struct prof_function *f, uint64_t offset)
{
	struct prof_frame frame = {.offset = offset, .exact = true};

	for (frame.module = 0; frame.module < p->modules; frame.module++) {
		size_t count;

		if (strcmp(base_name(p->module[frame.module].path), f->library) != 0)
			continue;
		const struct symbol *symbol = symbolize_frame(s, &frame, &count);

		if (symbol[count - 1].brief)
			return symbol[count - 1].brief;
	}
	return NULL;
}

void function_names_fill(struct profile *p)
{
	struct symbolizer *s = NULL;

	for (struct prof_function *f = p->function; f < p->function + p->functions; f++) {
		char *end;
		uint64_t offset = strtoull(f->name, &end, 16);

		if (!(f->group & SCP_GROUP_FUNCTIONS) || strncmp(f->name, "0x", 2) != 0 || *end)
			continue;
		if (!s && !(s = symbolize_new(p)))
			return;
		const char *found = find_name(p, s, f, offset);
		char *name = found ? strdup(found) : NULL;

		if (name) {
			free(f->name);
			f->name = name;
		}
	}
	symbolize_free(s);
	name_generated(p);
	below_mark(p);
}

struct addresses {
	uint64_t *address; /* in the call instruction, where the frame is a return address */
	uint32_t count;
};

static bool add_path(struct addresses *a, const struct prof_path *path)
{
	for (const struct prof_frame *f = path->frame; f < path->frame + path->frames; f++) {
		uint64_t at = f->offset - (f->exact || !f->offset ? 0 : 1);

		if (f->module == PROF_NO_MODULE && !ARRAY_PUT(a->address, a->count, at))
			return false;
	}
	return true;
}

/* Ascending, each once. */
static struct addresses collect(const struct profile *p)
{
	struct addresses a = {0};

	for (uint32_t i = 0; i < p->paths && add_path(&a, &p->path[i]); i++)
		;
	a.count = code_map_sort(a.address, a.count);
	return a;
}

void generated_keep(struct profile *p)
{
	struct symbolize_files files = {.guarded = p->foreign && !geteuid()};
	struct addresses a = collect(p);
	struct jit jit = {.profile = p, .files = &files};

	for (uint32_t i = 0; i < a.count; i++) {
		struct jit_name found = symbolize_jit_look_up(&jit, a.address[i]);

		if (found.name && found.map)
			source_add_generated(p, &(struct prof_generated){found.start, found.bytes,
									 found.pid,
									 (char *)found.name});
	}
	symbolize_jit_clear(&jit);
	free(a.address);
}
