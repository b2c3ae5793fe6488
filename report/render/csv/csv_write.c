// SPDX-License-Identifier: GPL-3.0-or-later
/* Text is cleaned first, so that a row is always one line: line-based tools do not know that a
 * quoted field may contain line breaks. */
#include "report/render/csv/csv_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"

bool csv_write_begin(struct csv *c, const char *column)
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
	if (csv_write_begin(c, column) && isfinite(value))
		fprintf(c->out, "%.15g", value == 0 ? 0 : value);
}

void csv_write_count(struct csv *c, const char *column, uint64_t value)
{
	if (csv_write_begin(c, column))
		fprintf(c->out, "%" PRIu64, value);
}

void csv_write_flag(struct csv *c, const char *column, bool value)
{
	if (csv_write_begin(c, column))
		fputs(value ? "true" : "false", c->out);
}

void csv_write_nothing(struct csv *c, const char *column)
{
	csv_write_begin(c, column);
}

bool csv_write_is_formula(const char *text)
{
	return *text && strchr("=+-@", *text);
}

bool csv_write_needs_quotes(const char *clean)
{
	return csv_write_is_formula(clean) || clean[strcspn(clean, "\",;' \t")];
}

static void put_quoted(FILE *out, const char *text)
{
	putc_unlocked('"', out);
	if (csv_write_is_formula(text))
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

	if (!csv_write_begin(c, column) || !raw)
		return;
	clean = utf8_clean(raw, true);
	if (!clean)
		c->failed = true;
	else if (csv_write_needs_quotes(clean))
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
			csv_write_nothing(c, f->name);
}
