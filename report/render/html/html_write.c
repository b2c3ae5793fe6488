// SPDX-License-Identifier: GPL-3.0-or-later
/* Values of the page's data. */
#include "report/render/html/html_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"

static void separate(struct html *h)
{
	if (!h->first)
		fputc(',', h->out);
	h->first = false;
}

static void number(struct html *h, double value, int digits)
{
	separate(h);
	if (isfinite(value))
		fprintf(h->out, "%.*g", digits, value);
	else
		fputs("null", h->out);
}

void html_write_number(struct html *h, double value)
{
	/* the page rounds to 4: of 7, one in a thousand would be rounded otherwise than in the text
	 */
	number(h, value, 10);
}

void html_write_rough(struct html *h, double value)
{
	number(h, value, 3);
}

void html_write_count(struct html *h, uint64_t n)
{
	separate(h);
	fprintf(h->out, "%" PRIu64, n);
}

void html_write_index(struct html *h, uint32_t n)
{
	separate(h);
	if (n == UINT32_MAX)
		fputs("-1", h->out);
	else
		fprintf(h->out, "%" PRIu32, n);
}

void html_write_below(struct html *h, uint32_t n)
{
	separate(h);
	fprintf(h->out, "%" PRId64, -1 - (int64_t)n);
}

/* Clean text has no controls left. */
static void put_escaped(FILE *out, const char *clean)
{
	for (; *clean; clean++) {
		if (strchr("<>&\"\\", *clean))
			fprintf(out, "\\u%04x", (unsigned)*clean);
		else
			fputc(*clean, out);
	}
}

void html_write_text(struct html *h, const char *raw)
{
	char *clean = raw ? utf8_clean(raw, true) : NULL;

	separate(h);
	if (clean) {
		fputc('"', h->out);
		put_escaped(h->out, clean);
		fputc('"', h->out);
	} else {
		fputs("null", h->out);
		h->failed = h->failed || raw;
	}
	free(clean);
}

void html_write_string(struct html *h, const char *raw)
{
	html_write_index(h, string_index_add(&h->strings, raw));
}

void html_write_open(struct html *h, char bracket)
{
	separate(h);
	fputc(bracket, h->out);
	h->first = true;
}

void html_write_close(struct html *h, char bracket)
{
	fputc(bracket, h->out);
	h->first = false;
}

void html_write_key(struct html *h, const char *key)
{
	separate(h);
	fprintf(h->out, "\n\"%s\":", key);
	h->first = true;
}

void html_write_fields(struct html *h, const char *key, const char *names)
{
	html_write_key(h, key);
	html_write_open(h, '[');
	while (*names) {
		int bytes = (int)strcspn(names, " ");

		separate(h);
		fprintf(h->out, "\"%.*s\"", bytes, names);
		names += bytes + (names[bytes] == ' ');
	}
	html_write_close(h, ']');
}

void html_write_relative(struct html *h, double mean, double low, double high)
{
	html_write_rough(h, mean > 0 ? low / mean - 1 : NAN);
	html_write_rough(h, mean > 0 ? high / mean - 1 : NAN);
}
