// SPDX-License-Identifier: GPL-3.0-or-later
/* Text is cleaned first, so that a row is always one line: line-based tools do not know that a
 * quoted field may contain line breaks. */
#include "report/render/csv/csv_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"

static bool begin(struct csv *c, const char *column)
{
	if (c->inside)
		putc_unlocked(',', c->out);
	c->inside = true;
	if (c->names)
		fputs(column, c->out);
	return !c->names;
}

void csv_write_number(struct csv *c, const char *column, double value)
{
	if (begin(c, column) && isfinite(value))
		fprintf(c->out, "%.15g", value == 0 ? 0 : value);
}

void csv_write_count(struct csv *c, const char *column, uint64_t value)
{
	if (begin(c, column))
		fprintf(c->out, "%" PRIu64, value);
}

void csv_write_flag(struct csv *c, const char *column, bool value)
{
	if (begin(c, column))
		fputs(value ? "true" : "false", c->out);
}

static bool is_formula(const char *text)
{
	return *text && strchr("=+-@", *text);
}

static bool needs_quotes(const char *clean)
{
	return is_formula(clean) || clean[strcspn(clean, "\",;' \t")];
}

static void put_quoted(FILE *out, const char *text)
{
	putc_unlocked('"', out);
	if (is_formula(text))
		putc_unlocked('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text, out);
	}
	putc_unlocked('"', out);
}

void csv_write_text(struct csv *c, const char *column, const char *raw)
{
	char *clean;

	if (!begin(c, column) || !raw)
		return;
	clean = utf8_clean(raw, true);
	if (!clean)
		c->failed = true;
	else if (needs_quotes(clean))
		put_quoted(c->out, clean);
	else
		fputs(clean, c->out);
	free(clean);
}

void csv_write_end(struct csv *c)
{
	fputs("\r\n", c->out);
	c->inside = false;
	c->names = false;
}

static void put_field(struct csv *c, const struct row_field *f, const void *value)
{
	switch (f->type) {
	case ROW_NUMBER:
		csv_write_number(c, f->name, *(const double *)value);
		break;
	case ROW_COUNT:
		csv_write_count(c, f->name, *(const uint64_t *)value);
		break;
	case ROW_COUNT32:
		csv_write_count(c, f->name, *(const uint32_t *)value);
		break;
	case ROW_FLAG:
		csv_write_flag(c, f->name, *(const bool *)value);
		break;
	case ROW_TEXT:
		csv_write_text(c, f->name, *(const char *const *)value);
		break;
	}
}

void csv_write_fields(struct csv *c, const struct row_field *fields, const void *row, bool known)
{
	for (const struct row_field *f = fields; f->name; f++)
		if (known)
			put_field(c, f, (const char *)row + f->offset);
		else
			begin(c, f->name);
}

/* ---- call paths; the texts of stacks are clean already ---- */

/* An element of a list separated by ';', where a spreadsheet may split, too. */
static void put_element(FILE *out, const char *text)
{
	if (is_formula(text))
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

void csv_write_path(struct csv *c, struct stacks *s, const struct report_site *site,
		    const char *column, bool places)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory;

	if (!begin(c, column))
		return;
	memory = open_memstream(&text, &bytes);
	for (uint32_t i = 0; memory && i < site->frames; i++) {
		uint32_t number = stacks_frame(s, &site->frame[i]);

		if (number == STRING_INDEX_NONE) {
			c->failed = true;
			break;
		}
		if (i)
			putc_unlocked(';', memory);
		put_frame(memory, s, &s->frame[number], places);
	}
	if (!memory || fclose(memory) == EOF)
		c->failed = true;
	else /* a ';' needs quotes */
		fprintf(c->out, site->frames > 1 || needs_quotes(text) ? "\"%s\"" : "%s", text);
	free(text);
}
