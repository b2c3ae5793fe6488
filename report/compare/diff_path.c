// SPDX-License-Identifier: GPL-3.0-or-later
/* The call path of a row, as far as the grouping keeps it: its names, and each frame as a line of
 * text. The row stands for paths of several profiles; one of them is shown. */
#include "report/compare/diff.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/wording/utf8.h"
#include "report/compare/match.h"
#include "report/model/model.h"
#include "report/symbols/symbolize_source.h"

static const struct prof_path *path_of(const struct diff *d, const struct diff_site *s)
{
	const struct profile *p = d->profile[s->profile];
	uint32_t path = p->entry[s->entry].path;

	return path < p->paths ? &p->path[path] : NULL;
}

uint32_t diff_path_frames(const struct diff *d, const struct diff_site *s)
{
	const struct prof_path *path = path_of(d, s);
	uint32_t frames = path ? path->frames : 0;

	if (d->options.by == REPORT_BY_FUNCTION)
		return path && path_site_function(d->profile[s->profile], path) != PROF_NONE;
	return d->options.by == REPORT_BY_SITE && frames > 1 ? 1 : frames;
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
	const struct profile *p = d->profile[s->profile];
	const struct prof_path *path = path_of(d, s);

	if (d->options.by == REPORT_BY_FUNCTION)
		return symbolize_source_function(path_site_function(p, path));
	return path->frame[frame + (d->options.by == REPORT_BY_SITE ? path_site_of(p, path) : 0)];
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

char *diff_path_frame_line(const struct diff *d, const struct diff_site *s, uint32_t frame)
{
	size_t count, bytes;
	const struct symbol *symbol = diff_path_symbols(d, s, frame, &count);
	char *line = NULL;
	FILE *memory = open_memstream(&line, &bytes);

	if (!memory)
		return NULL;
	if (diff_path_heuristic(d, s, frame))
		fputs(REPORT_HEURISTIC_MARK " ", memory);
	if (symbol->language)
		symbolize_source_put(memory, symbol, 0);
	else if (!symbol->module)
		fprintf(memory, "0x%" PRIx64, symbol->offset);
	else if (count == 1 && !symbol->brief)
		fprintf(memory, "%s+0x%" PRIx64, symbol->module_name, symbol->offset);
	else
		for (size_t i = 0; i < count; i++)
			fprintf(memory, "%s%s", i ? " < " : "",
				symbol[i].brief ? symbol[i].brief : "?");
	if (symbol->module && symbol->file)
		fprintf(memory, " at %s:%d", base_name(symbol->file), symbol->line);
	else if (symbol->module && symbol->brief)
		fprintf(memory, " (%s)", symbol->module_name);
	if (fclose(memory) == 0)
		return line;
	free(line);
	return NULL;
}
