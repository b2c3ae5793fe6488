// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows are sorted by their frames, so that rows that share callers lie side by side. Each row shows
 * the frame at which it leaves its neighbours. Frames count from the call site outwards, since a
 * row shows those; the ones inside of it come last. */
#include "report/render/text/text.h"

#include "profile/base/array.h"
#include "report/model/model.h"
#include "report/symbols/symbolize.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
	struct report *report;
	char **text; /* of frames, by the number of their symbol; NULL: not asked for yet */
	uint32_t room;
	bool failed;
};

struct row {
	const struct report_site *site;
	unsigned char *mark; /* borrowed */
	uint32_t first;	     /* the frame that is the call site */
};

/* Where the frame is that is compared as number `i`. */
static uint32_t place_of(const struct row *row, uint32_t i)
{
	uint32_t outer = row->site->frames - row->first;

	return i >= row->site->frames ? i : i < outer ? row->first + i : i - outer;
}

static const char *text_of(struct sorting *s, const struct prof_frame *frame)
{
	uint32_t at =
		frame_symbols_number(frame_symbols_find(s->report, frame, NULL), frame->heuristic);

	if (array_reach((void **)&s->text, &s->room, at, sizeof(*s->text), 0) && !s->text[at])
		s->text[at] = text_path_frame_line(s->report, frame, 0);
	if (at < s->room && s->text[at])
		return s->text[at];
	s->failed = true;
	return "";
}

static int compare_frames(struct sorting *s, const struct prof_frame *a, const struct prof_frame *b)
{
	uint32_t kind_a = a->exact | a->heuristic << 1, kind_b = b->exact | b->heuristic << 1;
	int order = ARRAY_ORDER(a->module, b->module)
			    ?: ARRAY_ORDER(a->offset, b->offset) ?: ARRAY_ORDER(kind_a, kind_b);

	return order ? strcmp(text_of(s, a), text_of(s, b)) ?: order : 0;
}

/* Frames that both rows begin with. */
static uint32_t count_shared(struct sorting *s, const struct row *a, const struct row *b)
{
	uint32_t n = 0;

	while (n < a->site->frames && n < b->site->frames &&
	       !compare_frames(s, &a->site->frame[place_of(a, n)], &b->site->frame[place_of(b, n)]))
		n++;
	return n;
}

static int compare_kinds(const struct report_site *a, const struct report_site *b)
{
	return PROF_ORDER(a, b, function, outcome, overflow);
}

static int compare_rows(const void *left, const void *right, void *sorting)
{
	const struct row *l = left, *r = right;
	const struct report_site *a = l->site, *b = r->site;
	int kind = compare_kinds(a, b);
	uint32_t n = kind ? 0 : count_shared(sorting, l, r);

	if (kind)
		return kind;
	if (n < a->frames && n < b->frames)
		return compare_frames(sorting, &a->frame[place_of(l, n)],
				      &b->frame[place_of(r, n)]);
	return ARRAY_ORDER(a->frames, b->frames);
}

/* The names of two frames may be the same: then their addresses are shown, and what else differs;
 * they may lie in files, or modules, of the same name. */
static unsigned char marks_of(const struct profile *p, const struct prof_frame *a,
			      const struct prof_frame *b)
{
	const struct prof_source_line *line[2];
	unsigned char mark = APART_SHOW | APART_OFFSET;

	if (a->module != PROF_SOURCE || b->module != PROF_SOURCE)
		return a->module != b->module ? mark | APART_MODULE : mark;
	const struct prof_source_function *f = symbolize_source_find(p, a, &line[0]);
	const struct prof_source_function *g = symbolize_source_find(p, b, &line[1]);
	if (f && g && strcmp(f->file, g->file) != 0)
		mark |= APART_MODULE;
	if (line[0] && line[1] && line[0]->column == line[1]->column)
		mark |= APART_INSTRUCTION;
	return mark;
}

static void mark_neighbours(struct sorting *s, const struct row *a, const struct row *b)
{
	uint32_t n = count_shared(s, a, b), at_a = place_of(a, n), at_b = place_of(b, n);
	const struct prof_frame *left = &a->site->frame[at_a], *right = &b->site->frame[at_b];
	unsigned char mark = APART_SHOW;

	if (n < a->site->frames && n < b->site->frames &&
	    !strcmp(text_of(s, left), text_of(s, right)))
		mark = marks_of(s->report->profile, left, right);
	a->mark[at_a] |= mark;
	b->mark[at_b] |= mark;
}

int text_shared_callers_begin(struct text_apart *a, struct report *r, const uint32_t *site,
			      uint32_t rows)
{
	struct row *row = calloc((size_t)rows + 1, sizeof(*row));
	struct sorting s = {.report = r};

	*a = (struct text_apart){.mark = calloc((size_t)rows + 1, sizeof(*a->mark)), .rows = rows};
	s.failed = !row || !a->mark;
	for (uint32_t i = 0; !s.failed && i < rows; i++) {
		const struct report_site *of = &r->site[site ? site[i] : i];

		a->mark[i] = calloc((size_t)of->frames + 1, 1);
		row[i] = (struct row){of, a->mark[i], path_site_find(of->frame, of->frames)};
		s.failed = !a->mark[i];
	}
	if (!s.failed)
		qsort_r(row, rows, sizeof(*row), compare_rows, &s);
	for (uint32_t i = 1; !s.failed && i < rows; i++)
		if (!compare_kinds(row[i - 1].site, row[i].site))
			mark_neighbours(&s, &row[i - 1], &row[i]);
	for (uint32_t i = 0; i < s.room; i++)
		free(s.text[i]);
	free(s.text);
	free(row);
	return s.failed ? -1 : 0;
}

void text_shared_callers_end(struct text_apart *a)
{
	for (uint32_t i = 0; a->mark && i < a->rows; i++)
		free(a->mark[i]);
	free(a->mark);
	*a = (struct text_apart){0};
}
