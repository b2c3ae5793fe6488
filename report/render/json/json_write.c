// SPDX-License-Identifier: GPL-3.0-or-later
/* See json_write.h. Streams are used without their locks: a report has one thread. */
#include "report/render/json/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/wording/utf8.h"

static void begin(struct json_writer *w, const char *key)
{
	if (w->between)
		fputs_unlocked(", ", w->out);
	w->between = true;
	if (!key)
		return;
	putc_unlocked('"', w->out);
	fputs_unlocked(key, w->out); /* ours: nothing to escape */
	fputs_unlocked("\": ", w->out);
}

void json_write_null(struct json_writer *w, const char *key)
{
	begin(w, key);
	fputs_unlocked("null", w->out);
}

void json_write_flag(struct json_writer *w, const char *key, bool value)
{
	begin(w, key);
	fputs_unlocked(value ? "true" : "false", w->out);
}

/* "1e+20" is 1e20 here, "1e-05" 1e-5. */
static void shorten_exponent(char *text)
{
	char *at = strchr(text, 'e'), *digits;

	if (!at++)
		return;
	at += *at == '-';
	digits = at + strspn(at, "+0");
	memmove(at, digits, strlen(digits) + 1);
}

/* A real number has a point or an exponent, so that readers take it for one. */
static void put_real(struct json_writer *w, double value)
{
	char text[64];

	snprintf(text, sizeof(text) - 2, "%.15g", value);
	shorten_exponent(text);
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	fputs_unlocked(text, w->out);
}

void json_write_number(struct json_writer *w, const char *key, double value)
{
	if (!isfinite(value)) {
		json_write_null(w, key);
		return;
	}
	begin(w, key);
	put_real(w, value);
}

/* Integers are 64-bit signed in jansson; a larger count is still a number. */
void json_write_count(struct json_writer *w, const char *key, uint64_t n)
{
	begin(w, key);
	if (n <= INT64_MAX)
		fprintf(w->out, "%" PRIu64, n);
	else
		put_real(w, (double)n);
}

static void put_unit(FILE *out, uint32_t unit)
{
	fprintf(out, "\\u%04X", unit);
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
		put_unit(out, c);
	} else { /* a pair of surrogates */
		put_unit(out, 0xd800 + ((c - 0x10000) >> 10));
		put_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
}

void json_write_text(struct json_writer *w, const char *key, const char *text)
{
	if (!text) {
		json_write_null(w, key);
		return;
	}
	begin(w, key);
	putc_unlocked('"', w->out);
	while (*text) {
		uint32_t c = utf8_next(&text);

		put_character(w->out, c == UTF8_BROKEN ? 0xfffd : c);
	}
	putc_unlocked('"', w->out);
}

void json_write_open(struct json_writer *w, const char *key, char bracket)
{
	begin(w, key);
	putc_unlocked(bracket, w->out);
	w->between = false;
}

void json_write_close(struct json_writer *w, char bracket)
{
	putc_unlocked(bracket, w->out);
	w->between = true;
}
