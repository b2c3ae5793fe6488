// SPDX-License-Identifier: GPL-3.0-or-later
/* The call path of a row, as far as the grouping keeps it: its names, and each frame as a line of
 * text. The row stands for paths of several profiles; one of them is shown. */
#include "report/compare/diff.h"

#include <inttypes.h>

#include "report/wording/utf8.h"
#include "report/compare/match.h"
#include "report/model/model.h"
#include "report/model/sites.h"
#include "report/symbols/symbolize.h"

static const struct prof_path *path_of(const struct diff *d, const struct diff_site *s)
{
	const struct profile *p = d->profile[s->profile];
	uint32_t path = p->entry[s->entry].path;

	return path < p->paths ? &p->path[path] : NULL;
}

static struct group_path kept(const struct diff *d, const struct diff_site *s,
			      struct prof_frame *function)
{
	return groups_keep(d->profile[s->profile], d->options.by, path_of(d, s), function);
}

uint32_t diff_path_frames(const struct diff *d, const struct diff_site *s)
{
	struct prof_frame function;

	return kept(d, s, &function).frames;
}

uint32_t diff_path_site(const struct diff *d, const struct diff_site *s)
{
	const struct prof_path *path = path_of(d, s);

	return path && d->options.by == REPORT_BY_PATH ? path_site_of(d->profile[s->profile], path)
						       : 0;
}

/* One of those that the grouping keeps. */
static struct prof_frame frame_of(const struct diff *d, const struct diff_site *s, uint32_t frame)
{
	struct prof_frame function;

	return kept(d, s, &function).frame[frame];
}

const struct symbol *diff_path_symbols(const struct diff *d, const struct diff_site *s,
				       uint32_t frame, size_t *count)
{
	const struct prof_frame of = frame_of(d, s, frame);

	return symbolize_frame(d->match->symbols[s->profile], &of, count);
}

bool diff_path_heuristic(const struct diff *d, const struct diff_site *s, uint32_t frame)
{
	return frame_of(d, s, frame).heuristic;
}

static void put_symbols(FILE *out, const struct symbol *symbol, size_t count)
{
	if (symbol->language)
		symbolize_source_put(out, symbol, 0);
	else if (!symbol->module)
		fprintf(out, "0x%" PRIx64, symbol->offset);
	else if (count == 1 && !symbol->brief)
		fprintf(out, "%s+0x%" PRIx64, symbol->module_name, symbol->offset);
	else
		for (size_t i = 0; i < count; i++)
			fprintf(out, "%s%s", i ? " < " : "",
				symbol[i].brief ? symbol[i].brief : "?");
	if (symbol->module && symbol->file)
		fprintf(out, " at %s:%d", base_name(symbol->file), symbol->line);
	else if (symbol->module && symbol->brief)
		fprintf(out, " (%s)", symbol->module_name);
}

char *diff_path_frame_line(const struct diff *d, const struct diff_site *s, uint32_t frame)
{
	size_t count;
	const struct symbol *symbol = diff_path_symbols(d, s, frame, &count);
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	if (memory.to && diff_path_heuristic(d, s, frame))
		fputs(REPORT_HEURISTIC_MARK " ", memory.to);
	if (memory.to)
		put_symbols(memory.to, symbol, count);
	return utf8_memory_end(&memory);
}
