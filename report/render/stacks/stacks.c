// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions are equal when their names, files and modules are. A frame is known by the number of
 * its symbol. */
#include "report/render/stacks/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"
#include "profile/base/array.h"
#include "report/model/model.h"
#include "report/render/formats.h"

void stacks_end(struct stacks *s)
{
	string_index_clear(&s->keys);
	string_index_clear(&s->names);
	PROF_FREE(s, known, function, frame, place);
}

/* STRING_INDEX_NONE for NULL too: not known. */
static uint32_t clean_name(struct stacks *s, const char *raw)
{
	return raw ? string_index_take(&s->names, utf8_clean(raw, true)) : STRING_INDEX_NONE;
}

/* Line-based formats have no place for a function without a name. */
static uint32_t function_name(struct stacks *s, const char *raw)
{
	return clean_name(s, raw[0] ? raw : "(unnamed)");
}

static uint32_t add_function(struct stacks *s, const struct stacks_function *f)
{
	char key[64];

	if (f->name == STRING_INDEX_NONE)
		return STRING_INDEX_NONE;
	snprintf(key, sizeof(key), "%x %x %x %x", f->name, f->file, f->module,
		 (unsigned)f->declared);
	uint32_t number = string_index_add(&s->keys, key);
	if (!array_reach((void **)&s->function, &s->function_room, number, sizeof(*s->function), 0))
		return STRING_INDEX_NONE;
	if (number == s->functions)
		s->function[s->functions++] = *f;
	return number;
}

char *stacks_place_name(const struct symbol *s)
{
	return utf8_text("%s%s0x%" PRIx64, s->module ? s->module_name : "", s->module ? "+" : "",
			 s->offset);
}

static uint32_t function_of(struct stacks *s, const struct symbol *symbol)
{
	char *place = symbol->function ? NULL : stacks_place_name(symbol);
	struct stacks_function f = {
		.name = symbol->function ? function_name(s, symbol->function)
					 : clean_name(s, place),
		.file = clean_name(s, symbol->file),
		.module = clean_name(s, symbol->module),
		.declared = symbol->declared,
	};

	free(place);
	f.linker_name = symbol->linker_name ? function_name(s, symbol->linker_name) : f.name;
	return add_function(s, &f);
}

static uint32_t add_frame(struct stacks *s, const struct prof_frame *frame,
			  const struct symbol *symbol, size_t count)
{
	uint32_t first = s->places;

	for (size_t i = 0; i < count && i < STACKS_PLACES; i++) {
		const struct stacks_place place = {function_of(s, &symbol[i]), symbol[i].line};

		if (place.function == STRING_INDEX_NONE || !ARRAY_PUT(s->place, s->places, place))
			return STRING_INDEX_NONE;
	}
	const struct stacks_frame f = {*frame, first, s->places - first, symbol->function != NULL};

	return ARRAY_PUT(s->frame, s->frames, f) ? s->frames - 1 : STRING_INDEX_NONE;
}

uint32_t stacks_frame(struct stacks *s, const struct prof_frame *frame)
{
	size_t count;
	const struct symbol *symbol = frame_symbols_find(s->report, frame, &count);

	if (!array_reach((void **)&s->known, &s->known_room, symbol->number, sizeof(*s->known),
			 0xff))
		return STRING_INDEX_NONE;
	uint32_t *known = &s->known[symbol->number];
	if (*known == STRING_INDEX_NONE)
		*known = add_frame(s, frame, symbol, count);
	return *known;
}

/* One that no frame is in. */
static uint32_t add_named(struct stacks *s, const char *name, const char *module)
{
	struct stacks_function f = {.name = function_name(s, name),
				    .file = STRING_INDEX_NONE,
				    .module = clean_name(s, module)};

	f.linker_name = f.name;
	return add_function(s, &f);
}

/* The path of the module that a library's name means, if it is on any path itself. */
static const char *module_path(const struct profile *p, const char *library)
{
	for (uint32_t i = 0; i < p->modules; i++)
		if (!strcmp(base_name(p->module[i].path), library))
			return p->module[i].path;
	return library[0] ? library : NULL;
}

uint32_t stacks_leaf(struct stacks *s, const struct report_site *site, bool with_outcome)
{
	const struct profile *p = s->report->profile;
	const struct prof_function *f = &p->function[site->function];
	char *text = NULL;

	with_outcome = with_outcome && !site->overflow && site->outcome != SCP_COMPLETED;
	if (asprintf(&text, "%s%s%s%s", f->name, with_outcome ? " (" : "",
		     with_outcome ? report_names_outcome(site) : "", with_outcome ? ")" : "") < 0)
		return STRING_INDEX_NONE;
	uint32_t number = add_named(s, text, module_path(p, f->library));
	free(text);
	return number;
}

uint32_t stacks_outer(struct stacks *s, const struct report_site *site)
{
	const char *end = report_names_path_end(site);

	if (computing_is(site) && !site->frames && !end)
		end = "(no frames)";
	return end ? add_named(s, end, NULL) : STRING_INDEX_NONE;
}

uint32_t stacks_rows(struct stacks *s, const struct report_options *o)
{
	if (computing_find(s->report))
		return STRING_INDEX_NONE;
	s->sites = rows_of_top(s->report->sites, o->top);
	return s->sites + rows_of_top(computing_paths(s->report), o->top);
}

const struct report_site *stacks_row(struct stacks *s, uint32_t i)
{
	if (i < s->sites)
		return &s->report->site[i];
	s->computing = computing_site(s->report, i - s->sites);
	return &s->computing;
}

static uint32_t program_of(struct stacks *s, const struct report_site *site)
{
	const struct report *r = s->report;
	const struct report_program *p = &r->program[site->program];

	return r->apart && site->program < r->programs ? add_named(s, p->name, p->first->exe)
						       : STRING_INDEX_NONE;
}

static int visit_frame(struct stacks *s, const struct prof_frame *frame, stacks_visit *visit,
		       void *to)
{
	uint32_t number = stacks_frame(s, frame);

	if (number == STRING_INDEX_NONE)
		return -1;
	for (uint32_t i = s->frame[number].places; i-- > 0;) {
		const struct stacks_place p = s->place[s->frame[number].first + i];

		if (visit(to, p.function, p.line) < 0)
			return -1;
	}
	return 0;
}

int stacks_walk(struct stacks *s, const struct report_site *site, stacks_visit *visit, void *to)
{
	const uint32_t outer[] = {program_of(s, site), stacks_outer(s, site)};

	for (unsigned i = 0; i < 2; i++)
		if (outer[i] != STRING_INDEX_NONE && visit(to, outer[i], 0) < 0)
			return -1;
	for (uint32_t i = site->frames; i-- > 0;)
		if (visit_frame(s, &site->frame[i], visit, to) < 0)
			return -1;
	if (computing_is(site))
		return 0;
	uint32_t leaf = stacks_leaf(s, site, true);
	return leaf == STRING_INDEX_NONE ? -1 : visit(to, leaf, 0);
}

const char *stacks_name(const struct stacks *s, uint32_t function)
{
	return s->names.text[s->function[function].name];
}

static const char *text_or_null(const struct stacks *s, uint32_t name)
{
	return name == STRING_INDEX_NONE ? NULL : s->names.text[name];
}

const char *stacks_file(const struct stacks *s, uint32_t function)
{
	return text_or_null(s, s->function[function].file);
}

const char *stacks_module(const struct stacks *s, uint32_t function)
{
	return text_or_null(s, s->function[function].module);
}

/* ---- the report as folded stacks, one line a call path: "outermost;...;innermost;function N", as
 * FlameGraph, inferno and speedscope read it. N is what options.weight says; a path with 0 has no
 * line. A ';' in a name is written as ':', since it would end the frame. ---- */

struct line {
	FILE *out;
	const struct stacks *stacks;
	bool begun;
};

static int put_function(void *line, uint32_t function, int number)
{
	struct line *l = line;

	(void)number;
	if (l->begun)
		putc_unlocked(';', l->out);
	l->begun = true;
	for (const char *name = stacks_name(l->stacks, function); *name; name++)
		putc_unlocked(*name == ';' ? ':' : *name, l->out);
	return 0;
}

int stacks_folded(struct report *r, const struct report_options *o, FILE *out)
{
	struct stacks s = {.report = r};
	uint32_t rows = stacks_rows(&s, o);
	int status = rows == STRING_INDEX_NONE ? -1 : 0;

	for (uint32_t i = 0; status == 0 && i < rows; i++) {
		struct line line = {out, &s, false};
		const struct report_site *row = stacks_row(&s, i);
		uint64_t value = report_weight_of(o->weight, row);

		if (!value)
			continue;
		status = stacks_walk(&s, row, put_function, &line);
		fprintf(out, " %" PRIu64 "\n", value);
	}
	stacks_end(&s);
	return status;
}
