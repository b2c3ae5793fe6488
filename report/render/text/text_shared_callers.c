// SPDX-License-Identifier: GPL-3.0-or-later
/* Sorted by what their frames print as, rows that share outer callers lie side
 * by side, and a row leaves all others at the lengths that it shares with its
 * neighbours, or at a smaller length met further away: the rising sequence of
 * those is all that one pass each way must keep. Frames count from the call site
 * outwards, since a row shows those; the ones inside of it come last. */
#define HASH_NONFATAL_OOM 1
#include "report/render/text/text.h"

#include "report/model/model.h"
#include "report/symbols/symbolize_source.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct line {
	struct {
		uint64_t offset;
		uint32_t module, kind; /* kind: exact, heuristic */
	} key;
	char *text;
	UT_hash_handle hh;
};

struct row {
	const struct report_site *site;
	unsigned char *mark; /* borrowed */
	uint32_t first;	     /* the frame that is the call site */
};

struct sorting {
	struct report *report;
	struct line *lines;
	struct row *row;
	uint32_t rows;
	uint32_t *shared; /* frames in common with the row before */
	bool failed;
};

static bool same_frame(const struct prof_frame *a, const struct prof_frame *b)
{
	return a->offset == b->offset && a->module == b->module && a->exact == b->exact &&
	       a->heuristic == b->heuristic;
}

/* Where the frame is that is compared as number `i`. */
static uint32_t place_of(const struct row *row, uint32_t i)
{
	uint32_t outer = row->site->frames - row->first;

	return i < outer ? row->first + i : i - outer;
}

static const char *line_of(struct sorting *s, const struct prof_frame *frame)
{
	struct line want, *found;

	memset(&want, 0, sizeof(want));
	want.key.offset = frame->offset;
	want.key.module = frame->module;
	want.key.kind = frame->exact | frame->heuristic << 1;
	HASH_FIND(hh, s->lines, &want.key, sizeof(want.key), found);
	if (found)
		return found->text;
	want.text = text_path_frame_line(s->report, frame, 0);
	found = want.text ? malloc(sizeof(*found)) : NULL;
	if (!found) {
		free(want.text);
		s->failed = true;
		return "";
	}
	*found = want;
	HASH_ADD(hh, s->lines, key, sizeof(found->key), found);
	if (found->hh.tbl)
		return found->text;
	free(found->text);
	free(found);
	s->failed = true;
	return "";
}

static int compare_lines(struct sorting *s, const struct row *left, const struct row *right,
			 uint32_t i)
{
	const struct prof_frame *a = &left->site->frame[place_of(left, i)];
	const struct prof_frame *b = &right->site->frame[place_of(right, i)];

	return same_frame(a, b) ? 0 : strcmp(line_of(s, a), line_of(s, b));
}

static bool same_kind(const struct report_site *a, const struct report_site *b)
{
	return a->function == b->function && a->outcome == b->outcome && a->overflow == b->overflow;
}

static int compare_rows(const void *left, const void *right, void *sorting)
{
	const struct report_site *a = ((const struct row *)left)->site;
	const struct report_site *b = ((const struct row *)right)->site;
	int c = 0;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->outcome != b->outcome)
		return a->outcome < b->outcome ? -1 : 1;
	if (a->overflow != b->overflow)
		return (int)a->overflow - (int)b->overflow;
	for (uint32_t i = 0; !c && i < a->frames && i < b->frames; i++)
		c = compare_lines(sorting, left, right, i);
	return c ? c : a->frames < b->frames ? -1 : a->frames > b->frames;
}

static uint32_t count_shared(struct sorting *s, const struct row *a, const struct row *b)
{
	uint32_t n = 0;

	while (n < a->site->frames && n < b->site->frames && !compare_lines(s, a, b, n))
		n++;
	return n;
}

static void mark_leaving(const struct row *row, const uint32_t *length, uint32_t lengths)
{
	for (uint32_t i = 0; i < lengths; i++)
		if (length[i] < row->site->frames)
			row->mark[place_of(row, length[i])] |= APART_SHOW;
}

/* Lengths shared with the rows met so far, rising; `at` comes `shared` after them. */
static uint32_t meet(uint32_t *length, uint32_t lengths, uint32_t shared)
{
	while (lengths && length[lengths - 1] > shared)
		lengths--;
	if (!lengths || length[lengths - 1] < shared)
		length[lengths++] = shared;
	return lengths;
}

static void mark_both_ways(struct sorting *s, uint32_t *length)
{
	uint32_t lengths = 0;

	for (uint32_t i = 1; i < s->rows; i++) {
		bool same = same_kind(s->row[i - 1].site, s->row[i].site);

		lengths = same ? meet(length, lengths, s->shared[i]) : 0;
		mark_leaving(&s->row[i], length, lengths);
	}
	lengths = 0;
	for (uint32_t i = s->rows; i-- > 1;) {
		bool same = same_kind(s->row[i - 1].site, s->row[i].site);

		lengths = same ? meet(length, lengths, s->shared[i]) : 0;
		mark_leaving(&s->row[i - 1], length, lengths);
	}
}

/* What must be shown of frames that print the same: they may lie in files, or modules, of the same
 * name. */
static unsigned char mark_frames(const struct profile *p, const struct prof_frame *a,
				 const struct prof_frame *b)
{
	const struct prof_source_line *line[2];
	const struct prof_source_function *f, *g;
	unsigned char mark = APART_OFFSET;

	if (a->module != PROF_SOURCE || b->module != PROF_SOURCE)
		return a->module != b->module ? mark | APART_MODULE : mark;
	f = symbolize_source_find(p, a, &line[0]);
	g = symbolize_source_find(p, b, &line[1]);
	if (f && g && strcmp(f->file, g->file) != 0)
		mark |= APART_MODULE;
	if (line[0] && line[1] && line[0]->column == line[1]->column)
		mark |= APART_INSTRUCTION;
	return mark;
}

static void mark_twins(const struct profile *p, const struct row *a, const struct row *b)
{
	uint32_t i = 0;
	unsigned char mark = APART_SHOW;

	while (i < a->site->frames && same_frame(&a->site->frame[i], &b->site->frame[i]))
		i++;
	if (i < a->site->frames)
		mark |= mark_frames(p, &a->site->frame[i], &b->site->frame[i]);
	a->mark[i] |= mark; /* the end of the path when no frame differs */
	b->mark[i] |= mark;
}

static bool are_twins(const struct sorting *s, uint32_t i)
{
	const struct report_site *a = s->row[i - 1].site, *b = s->row[i].site;

	return same_kind(a, b) && a->frames == b->frames && s->shared[i] == a->frames;
}

/* Rows that print the same to the last frame. */
static void mark_all_twins(struct sorting *s)
{
	for (uint32_t first = 0, i = 1; i <= s->rows; i++) {
		if (i < s->rows && are_twins(s, i))
			continue;
		for (uint32_t a = first; a < i; a++)
			for (uint32_t b = a + 1; b < i; b++)
				mark_twins(s->report->profile, &s->row[a], &s->row[b]);
		first = i;
	}
}

static void sort_and_mark(struct sorting *s)
{
	uint32_t deepest = 0, *length;

	for (uint32_t i = 0; i < s->rows; i++)
		if (s->row[i].site->frames > deepest)
			deepest = s->row[i].site->frames;
	length = calloc((size_t)deepest + 2, sizeof(*length));
	if (!length) {
		s->failed = true;
		return;
	}
	qsort_r(s->row, s->rows, sizeof(*s->row), compare_rows, s);
	for (uint32_t i = 1; i < s->rows; i++)
		s->shared[i] = count_shared(s, &s->row[i - 1], &s->row[i]);
	mark_both_ways(s, length);
	mark_all_twins(s);
	free(length);
}

static void free_lines(struct sorting *s)
{
	struct line *line, *next;

	HASH_ITER(hh, s->lines, line, next)
	{
		HASH_DEL(s->lines, line);
		free(line->text);
		free(line);
	}
}

int text_shared_callers_begin(struct text_apart *a, struct report *r, const uint32_t *site,
			      uint32_t rows)
{
	size_t n = rows ? rows : 1;
	struct sorting s = {.report = r, .rows = rows};

	*a = (struct text_apart){.mark = calloc(n, sizeof(*a->mark)), .rows = rows};
	s.row = calloc(n, sizeof(*s.row));
	s.shared = calloc(n, sizeof(*s.shared));
	s.failed = !a->mark || !s.row || !s.shared;
	for (uint32_t i = 0; !s.failed && i < rows; i++) {
		const struct report_site *of = &r->site[site ? site[i] : i];

		a->mark[i] = calloc((size_t)of->frames + 1, 1);
		s.row[i] = (struct row){of, a->mark[i], path_site_find(of->frame, of->frames)};
		s.failed = !a->mark[i];
	}
	if (!s.failed)
		sort_and_mark(&s);
	free_lines(&s);
	free(s.row);
	free(s.shared);
	return s.failed ? -1 : 0;
}

void text_shared_callers_end(struct text_apart *a)
{
	for (uint32_t i = 0; a->mark && i < a->rows; i++)
		free(a->mark[i]);
	free(a->mark);
	*a = (struct text_apart){0};
}
