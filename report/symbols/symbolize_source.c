// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/symbolize.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "report/wording/utf8.h"

const struct prof_source_function *symbolize_source_find(const struct profile *p,
							 const struct prof_frame *frame,
							 const struct prof_source_line **line)
{
	uint64_t function = frame->offset;

	*line = NULL;
	if (!frame->exact) {
		if (frame->offset >= p->source_lines)
			return NULL;
		*line = &p->source_line[frame->offset];
		function = (*line)->function;
	}
	return function < p->source_functions ? &p->source_function[function] : NULL;
}

uint64_t symbolize_source_address(const struct profile *p, const struct prof_frame *frame)
{
	const struct prof_source_line *line;

	symbolize_source_find(p, frame, &line);
	return line ? (uint64_t)line->address[1] << 32 | line->address[0] : 0;
}

static const char *language_of(const struct prof_source_function *f)
{
	static const char *const names[] = {[SCP_LANGUAGE_PYTHON] = "python",
					    [SCP_LANGUAGE_JAVASCRIPT] = "javascript",
					    [SCP_LANGUAGE_JAVA] = "java"};
	uint32_t language = f ? f->language : 0;

	return language && language < sizeof(names) / sizeof(*names) ? names[language] : "unknown";
}

uint32_t symbolize_source_language(const char *name)
{
	for (uint32_t i = 1; i <= SCP_LANGUAGE_JAVA; i++)
		if (!strcmp(name, language_of(&(struct prof_source_function){.language = i})))
			return i;
	return SCP_LANGUAGE_NONE;
}

static int as_line(uint32_t line)
{
	return line > INT_MAX ? 0 : (int)line;
}

void symbolize_source_fill(const struct profile *p, const struct prof_frame *frame,
			   struct symbol *out)
{
	const struct prof_source_line *line;
	const struct prof_source_function *f = symbolize_source_find(p, frame, &line);

	*out = (struct symbol){.into = SYMBOL_START_UNKNOWN};
	out->language = language_of(f);
	out->function = out->brief = out->linker_name = f && f->name[0] ? f->name : "(unnamed)";
	out->source = f && f->language > SCP_LANGUAGE_PYTHON ? SYMBOL_FROM_PERF_MAP
							     : SYMBOL_FROM_INTERPRETER;
	if (!f)
		return;
	out->file = f->file[0] ? f->file : NULL;
	out->declared = as_line(f->first_line);
	out->library = symbolize_source_library(f->file) != NULL;
	if (!line)
		return;
	out->offset = out->into = line->instruction;
	out->line = as_line(line->line);
	out->column = as_line(line->column);
}

/* "python3.11", where the standard library lies, or "python311.zip". */
static bool is_python(const char *part, size_t length)
{
	size_t at = 6;

	if (length < 7 || strncmp(part, "python", 6) != 0)
		return false;
	while (at < length && (isdigit((unsigned char)part[at]) || part[at] == '.'))
		at++;
	return at == length || (length - at == 3 && !strncmp(part + at, "zip", 3));
}

static bool is_part(const char *part, size_t length, const char *name)
{
	return strlen(name) == length && !strncmp(part, name, length);
}

/* Packages may lie within the standard library's folder: the innermost folder counts. */
const char *symbolize_source_library(const char *file)
{
	bool below_lib = false;
	const char *found = strncmp(file, "<frozen ", 8) ? NULL : file;

	/* The last part is the file itself. */
	for (const char *slash; (slash = strchr(file, '/')) != NULL; file = slash + 1) {
		size_t length = (size_t)(slash - file);

		if (is_part(file, length, "site-packages") ||
		    is_part(file, length, "dist-packages") ||
		    (below_lib && is_python(file, length)))
			found = slash + 1;
		below_lib = length >= 3 && length <= 5 && !strncmp(file, "lib", 3);
	}
	return found;
}

void symbolize_source_put(FILE *out, const struct symbol *s, unsigned detail)
{
	bool whole = s->into == SYMBOL_START_UNKNOWN, place = detail & SYMBOLIZE_SOURCE_COLUMN;
	bool generated = s->source == SYMBOL_FROM_PERF_MAP; /* no bytecode */
	bool into = !whole &&
		    ((place && (!s->column || generated)) || detail & SYMBOLIZE_SOURCE_INSTRUCTION);
	const char *comma = "";

	fputs(s->brief, out);
	if (generated && into)
		fprintf(out, "+0x%" PRIx64, s->into);
	into &= !generated;
	whole &= place && s->declared;
	if (!s->file && !s->line && !into && !whole)
		return;
	fputs(" (", out);
	if (s->file || s->line) {
		fputs(!s->file			       ? ""
		      : detail & SYMBOLIZE_SOURCE_PATH ? s->file
						       : base_name(s->file),
		      out);
		if (s->line)
			fprintf(out, s->file ? ":%d" : "line %d", s->line);
		if (place && s->line && s->column)
			fprintf(out, ":%d", s->column);
		comma = ", ";
	}
	if (whole)
		fprintf(out, "%sfrom line %d", comma, s->declared);
	if (into)
		fprintf(out, "%sinstruction %" PRIu64, comma, s->into);
	putc(')', out);
}
