// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/generated_frames.h"

#include "report/symbols/symbolize.h"
#include "report/symbols/symbolize_source.h"

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
	size_t count;
	const struct symbol *s = symbolize_frame(names, frame, &count);
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

void generated_frames_name(struct profile *p)
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
