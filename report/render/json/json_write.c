// SPDX-License-Identifier: GPL-3.0-or-later
/* JSON text: separators, numbers and escaping in both dialects. */
#include "report/render/json/json_write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/wording/utf8.h"

static bool has_lines(const struct json_writer *w)
{
	return w->indent ? w->depth > 0 : w->lines >> w->depth & 1;
}

static void new_line(struct json_writer *w)
{
	putc_unlocked('\n', w->out);
	for (unsigned i = 0; i < w->depth; i++)
		fputs_unlocked("  ", w->out);
}

static void begin(struct json_writer *w, const char *key)
{
	if (w->filled)
		putc_unlocked(',', w->out);
	if (has_lines(w))
		new_line(w);
	else if (w->page && key)
		putc_unlocked('\n', w->out);
	else if (w->filled && !w->page)
		putc_unlocked(' ', w->out);
	w->filled = true;
	if (!key)
		return;
	putc_unlocked('"', w->out);
	fputs_unlocked(key, w->out);
	fputs_unlocked(w->page ? "\":" : "\": ", w->out);
}

static void put_value(struct json_writer *w, const char *key, const char *json)
{
	begin(w, key);
	fputs_unlocked(json, w->out);
}

void json_write_null(struct json_writer *w, const char *key)
{
	put_value(w, key, "null");
}

void json_write_flag(struct json_writer *w, const char *key, bool value)
{
	put_value(w, key, value ? "true" : "false");
}

/* With 7 digits, one value in a thousand would round to other 4 digits than in the text. */
#define PAGE_DIGITS 10

/* Between two numbers of fewer digits, as 21.205 and 123450; the value may be 21.205000000000002.
 */
static bool is_halfway(const char *text)
{
	size_t length = strcspn(text, "e");

	while (length > 1 && text[length - 1] == '0')
		length--;
	return length < PAGE_DIGITS && text[length - 1] == '5';
}

static void put_real(struct json_writer *w, const char *key, double value, int digits)
{
	char text[64];

	if (!isfinite(value)) {
		json_write_null(w, key);
		return;
	}
	snprintf(text, sizeof(text) - 2, "%.*g", digits, value == 0 ? 0 : value);
	if (digits == PAGE_DIGITS && is_halfway(text))
		snprintf(text, sizeof(text) - 2, "%.17g", value);
	if (!w->page && !strpbrk(text, ".e")) /* that makes it real, not an integer */
		strcat(text, ".0");
	put_value(w, key, text);
}

void json_write_number(struct json_writer *w, const char *key, double value)
{
	put_real(w, key, value, w->page ? PAGE_DIGITS : 15);
}

void json_write_rough(struct json_writer *w, const char *key, double value)
{
	put_real(w, key, value, 3);
}

void json_write_integer(struct json_writer *w, const char *key, int64_t n)
{
	begin(w, key);
	fprintf(w->out, "%" PRId64, n);
}

void json_write_count(struct json_writer *w, const char *key, uint64_t n)
{
	if (n <= INT64_MAX)
		json_write_integer(w, key, (int64_t)n);
	else
		put_real(w, key, (double)n, 15);
}

void json_write_count_if(struct json_writer *w, const char *key, bool known, uint64_t n)
{
	if (known)
		json_write_count(w, key, n);
	else
		json_write_null(w, key);
}

static void put_character(FILE *out, uint32_t c)
{
	static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
	const char *known = c < 0x80 ? strchr(from, (int)c) : NULL;

	if (known) {
		putc_unlocked('\\', out);
		putc_unlocked(to[known - from], out);
	} else if (c >= 0x20 && c < 0x80) {
		putc_unlocked((int)c, out);
	} else if (c < 0x10000) {
		fprintf(out, "\\u%04X", c);
	} else { /* a pair of surrogates */
		c -= 0x10000;
		fprintf(out, "\\u%04X\\u%04X", 0xd800 + (c >> 10), 0xdc00 + (c & 0x3ff));
	}
}

static void put_ascii(FILE *out, const char *text)
{
	while (*text) {
		uint32_t c = utf8_next(&text);

		put_character(out, c == UTF8_BROKEN ? 0xfffd : c);
	}
}

/* Clean text has no control characters, and no U+2028. */
static void put_page_text(struct json_writer *w, const char *raw)
{
	char *clean = utf8_clean(raw, true);

	for (const char *c = clean; c && *c; c++)
		if (strchr("<>&\"\\", *c))
			fprintf(w->out, "\\u%04x", (unsigned)*c);
		else
			putc_unlocked(*c, w->out);
	w->failed |= !clean;
	free(clean);
}

void json_write_text(struct json_writer *w, const char *key, const char *text)
{
	if (!text) {
		json_write_null(w, key);
		return;
	}
	begin(w, key);
	putc_unlocked('"', w->out);
	if (w->page)
		put_page_text(w, text);
	else
		put_ascii(w->out, text);
	putc_unlocked('"', w->out);
}

void json_write_time(struct json_writer *w, const char *key, uint64_t real_ns, int digits)
{
	time_t seconds = (time_t)(real_ns / 1000000000u);
	unsigned fraction = (unsigned)(real_ns % 1000000000u) / (digits == 9 ? 1 : 1000000);
	char day[40], text[64];
	struct tm tm;

	if (!real_ns || !gmtime_r(&seconds, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm)) {
		json_write_null(w, key);
		return;
	}
	snprintf(text, sizeof(text), "%s.%0*uZ", day, digits, fraction);
	json_write_text(w, key, text);
}

void json_write_open(struct json_writer *w, const char *key, char bracket)
{
	begin(w, key);
	putc_unlocked(bracket, w->out);
	w->filled = false;
	w->depth++;
	w->lines &= ~(UINT64_C(1) << w->depth);
}

void json_write_open_lines(struct json_writer *w, const char *key, char bracket)
{
	json_write_open(w, key, bracket);
	w->lines |= UINT64_C(1) << w->depth;
}

void json_write_close(struct json_writer *w, char bracket)
{
	bool breaks = has_lines(w) && w->filled;

	w->depth--;
	if (breaks)
		new_line(w);
	putc_unlocked(bracket, w->out);
	w->filled = true;
}

bool json_write_open_known(struct json_writer *w, const char *key, bool known)
{
	if (known)
		json_write_open(w, key, '{');
	else
		json_write_null(w, key);
	return known;
}

void json_write_texts(struct json_writer *w, const char *key, const char *const *text, size_t count)
{
	json_write_open(w, key, '[');
	for (size_t i = 0; count == JSON_TO_NULL ? text[i] != NULL : i < count; i++)
		json_write_text(w, NULL, text[i]);
	json_write_close(w, ']');
}

void json_write_numbers(struct json_writer *w, const char *key, const double *value, size_t count)
{
	JSON_LIST(w, key, e, value, count, json_write_number(w, NULL, *e));
}

void json_write_bits(struct json_writer *w, const char *key, unsigned bits,
		     const char *(*name)(unsigned bit))
{
	json_write_open(w, key, '[');
	for (unsigned bit = 1; bit && bit <= bits; bit *= 2)
		if (bits & bit)
			json_write_text(w, NULL, name(bit));
	json_write_close(w, ']');
}

int json_write_finish(struct json_writer *w)
{
	json_write_close(w, '}');
	putc_unlocked('\n', w->out);
	if (w->failed)
		errno = ENOMEM;
	return w->failed ? -1 : 0;
}

static void put_field(struct json_writer *w, const struct row_field *f, const void *value)
{
	if (f->type == ROW_NUMBER)
		json_write_number(w, f->name, *(const double *)value);
	else if (f->type == ROW_COUNT)
		json_write_count(w, f->name, *(const uint64_t *)value);
	else if (f->type == ROW_COUNT32)
		json_write_count(w, f->name, *(const uint32_t *)value);
	else if (f->type == ROW_FLAG)
		json_write_flag(w, f->name, *(const bool *)value);
	else
		json_write_text(w, f->name, *(const char *const *)value);
}

void json_write_fields(struct json_writer *w, const struct row_field *fields, const void *row,
		       bool known)
{
	for (const struct row_field *f = fields; f->name; f++)
		if (known)
			put_field(w, f, (const char *)row + f->offset);
		else
			json_write_null(w, f->name);
}

void json_write_object(struct json_writer *w, const char *key, const struct row_field *fields,
		       const void *row)
{
	if (!json_write_open_known(w, key, row))
		return;
	json_write_fields(w, fields, row, true);
	json_write_close(w, '}');
}
