// SPDX-License-Identifier: GPL-3.0-or-later
/* A piece is a frame's part of the field, escaped for quotes; the texts of stacks are clean
 * already. */
#include "report/render/csv/csv_path.h"

#include <inttypes.h>
#include <stdlib.h>

#include "profile/base/array.h"

struct csv_piece {
	char *text;  /* NULL: not made yet */
	bool quoted; /* it needs quotes */
};

int csv_path_begin(struct csv_paths *p, struct report *r)
{
	*p = (struct csv_paths){0};
	return stacks_begin(&p->stacks, r);
}

void csv_path_end(struct csv_paths *p)
{
	for (uint32_t i = 0; i < p->room; i++)
		free(p->piece[i].text);
	free(p->piece);
	stacks_end(&p->stacks);
}

/* An element of a list separated by ';', where a spreadsheet may split, too. */
static void put_element(FILE *out, const char *text)
{
	if (csv_write_is_formula(text))
		putc_unlocked('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text == ';' ? ':' : *text, out);
	}
}

static void put_frame(FILE *out, const struct stacks *s, const struct stacks_frame *f, bool places)
{
	for (uint32_t i = 0; i < f->places; i++) {
		const struct stacks_place *p = &s->place[f->first + i];
		const char *name = stacks_name(s, p->function), *file = stacks_file(s, p->function);
		const char *module = stacks_module(s, p->function);

		if (i)
			putc_unlocked(';', out);
		put_element(out, !places ? name : file ? file : module ? module : "");
		if (places && file && p->line)
			fprintf(out, ":%d", p->line);
		else if (places && !file)
			fprintf(out, "%s0x%" PRIx64, module ? "+" : "", (uint64_t)f->frame.offset);
	}
}

static int make_piece(struct csv_piece *piece, const struct stacks *s, const struct stacks_frame *f,
		      bool places)
{
	size_t bytes;
	FILE *memory = open_memstream(&piece->text, &bytes);

	if (!memory)
		return -1;
	put_frame(memory, s, f, places);
	if (fclose(memory) == EOF) {
		free(piece->text);
		piece->text = NULL;
		return -1;
	}
	piece->quoted = csv_write_needs_quotes(piece->text);
	return 0;
}

/* NULL: out of memory. */
static const struct csv_piece *piece_of(struct csv_paths *p, const struct prof_frame *frame,
					bool places)
{
	uint32_t number = stacks_frame(&p->stacks, frame), index = 2 * number + places;

	if (number == STRING_INDEX_NONE ||
	    !array_reach((void **)&p->piece, &p->room, index, sizeof(*p->piece), 0))
		return NULL;
	if (!p->piece[index].text &&
	    make_piece(&p->piece[index], &p->stacks, &p->stacks.frame[number], places) < 0)
		return NULL;
	return &p->piece[index];
}

/* A path of several elements has a ';', which needs quotes. */
static bool is_quoted(const struct csv_piece *first, uint32_t frames)
{
	return frames > 1 || first->quoted;
}

void csv_path(struct csv *c, struct csv_paths *p, const struct report_site *site,
	      const char *column, bool places)
{
	bool quoted = false;

	if (!csv_write_begin(c, column))
		return;
	for (uint32_t i = 0; i < site->frames; i++) {
		const struct csv_piece *piece = piece_of(p, &site->frame[i], places);

		if (!piece) {
			c->failed = true;
			return;
		}
		if (i) {
			putc_unlocked(';', c->out);
		} else {
			quoted = is_quoted(piece, site->frames);
			fputs_unlocked(!quoted				   ? ""
				       : csv_write_is_formula(piece->text) ? "\"'"
									   : "\"",
				       c->out);
		}
		fputs_unlocked(piece->text, c->out);
	}
	if (quoted)
		putc_unlocked('"', c->out);
}
