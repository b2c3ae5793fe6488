// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/live/live_rows.h"

#include <string.h>

#include "report/symbols/symbolize_source.h"

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	return h;
}

static uint64_t mix_source(uint64_t h, const struct profile *p, const struct prof_frame *frame)
{
	const struct prof_source_line *line;
	const struct prof_source_function *f = symbolize_source_find(p, frame, &line);

	if (!f)
		return h;
	h = mix(h, f->file, strlen(f->file) + 1);
	h = mix(h, f->name, strlen(f->name) + 1);
	h = mix(h, &f->first_line, sizeof(f->first_line));
	if (!line)
		return h;
	h = mix(h, &line->line, sizeof(line->line));
	h = mix(h, &line->instruction, sizeof(line->instruction));
	return mix(h, line->address, sizeof(line->address));
}

uint64_t row_key_of(const struct profile *p, const struct group_row *g, struct group_path path)
{
	const struct prof_function *function = &p->function[g->function];
	uint32_t outcome = g->outcome;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	h = mix(h, function->name, strlen(function->name) + 1);
	h = mix(h, function->library, strlen(function->library) + 1);
	h = mix(h, &outcome, sizeof(outcome));
	for (uint32_t i = 0; i < path.frames; i++) {
		const struct prof_frame *frame = &path.frame[i];
		uint64_t offset = frame->offset;

		if (frame->module == PROF_SOURCE) {
			h = mix_source(h, p, frame);
			continue;
		}
		if (frame->module != PROF_NO_MODULE)
			h = mix(h, p->module[frame->module].path,
				strlen(p->module[frame->module].path));
		h = mix(h, &offset, sizeof(offset));
	}
	return h;
}
