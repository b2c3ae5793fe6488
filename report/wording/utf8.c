// SPDX-License-Identifier: GPL-3.0-or-later
/* A strict UTF-8 decoder and a small table of widths. Not wcwidth: that follows
 * the process's locale, which a library must not set, and a report may be
 * written for another terminal than this one's. */
#include "report/wording/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t utf8_next(const char **s)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	const unsigned char *b = (const unsigned char *)*s;
	int more = b[0] < 0x80	 ? 0
		   : b[0] < 0xc2 ? -1
		   : b[0] < 0xe0 ? 1
		   : b[0] < 0xf0 ? 2
		   : b[0] < 0xf5 ? 3
				 : -1;
	uint32_t c = more > 0 ? b[0] & (0x3fu >> more) : b[0];

	(*s)++;
	if (more < 0)
		return UTF8_BROKEN;
	for (int i = 1; i <= more; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return UTF8_BROKEN;
		c = c << 6 | (b[i] & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return UTF8_BROKEN;
	*s += more;
	return c;
}

struct range {
	uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

bool utf8_is_harmful(uint32_t c)
{
	static const struct range harmful[] = {
		{0, 0x1f},	  {0x7f, 0x9f},	      {0xad, 0xad},	{0x61c, 0x61c},
		{0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f}, {0xfeff, 0xfeff},
		{0xfff9, 0xfffb}, {0xe0000, 0xe007f},
	};

	return is_in(harmful, sizeof(harmful) / sizeof(harmful[0]), c);
}

/* Most text is, and quickly told. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

static size_t width_of(uint32_t c)
{
	static const struct range none[] = {{0x300, 0x36f},
					    {0x1ab0, 0x1aff},
					    {0x20d0, 0x20ff},
					    {0xfe00, 0xfe0f},
					    {0xfe20, 0xfe2f}};
	static const struct range wide[] = {
		{0x1100, 0x115f},   {0x2e80, 0xa4cf},	{0xac00, 0xd7a3},   {0xf900, 0xfaff},
		{0xfe30, 0xfe6f},   {0xff00, 0xff60},	{0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
		{0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
	};

	if (c < none[0].first)
		return 1;
	if (is_in(none, sizeof(none) / sizeof(none[0]), c))
		return 0;
	return is_in(wide, sizeof(wide) / sizeof(wide[0]), c) ? 2 : 1;
}

char *utf8_clean(const char *s, bool utf8)
{
	/* The longest replacement of one byte is "\x1b"; of a longer
	 * character "\u{10FFFF}", under four for each of its bytes. */
	char *out = malloc(4 * strlen(s) + 1), *to = out;

	while (out && *s) {
		const char *from = s;
		uint32_t c;

		if (is_plain(*s)) {
			*to++ = *s++;
			continue;
		}
		c = utf8_next(&s);
		if (c == UTF8_BROKEN || (c < 0x80 && utf8_is_harmful(c))) {
			to += sprintf(to, "\\x%02x", (unsigned char)*from);
		} else if (utf8_is_harmful(c)) {
			to += sprintf(to, "\\u{%x}", c);
		} else if (c >= 0x80 && !utf8) {
			*to++ = '?';
		} else {
			memcpy(to, from, (size_t)(s - from));
			to += s - from;
		}
	}
	if (out)
		*to = '\0';
	return out;
}

size_t utf8_width(const char *s)
{
	size_t width = 0;

	while (*s)
		width += width_of(utf8_next(&s));
	return width;
}

size_t utf8_fit(const char *s, size_t width)
{
	const char *at = s;

	while (*at) {
		const char *next = at;
		size_t w = width_of(utf8_next(&next));

		if (w > width)
			break;
		width -= w;
		at = next;
	}
	return (size_t)(at - s);
}

char *utf8_shorten(const char *s, size_t width, bool utf8)
{
	const char *dots = utf8 ? "…" : "..";
	size_t dots_width = utf8 ? 1 : 2, has = utf8_width(s), head, skip, rest;
	char *out;

	if (has <= width)
		return strdup(s);
	if (width <= dots_width + 1)
		return strndup(s, utf8_fit(s, width));
	width -= dots_width;
	head = utf8_fit(s, (width + 1) / 2);
	/* Skip until what is left fits behind the dots. */
	rest = utf8_width(s + head);
	for (skip = head; rest > width / 2;) {
		const char *next = s + skip;

		rest -= width_of(utf8_next(&next));
		skip = (size_t)(next - s);
	}
	return asprintf(&out, "%.*s%s%s", (int)head, s, dots, s + skip) < 0 ? NULL : out;
}

void utf8_memory_begin(struct utf8_memory *m)
{
	m->text = NULL;
	m->to = open_memstream(&m->text, &m->bytes);
}

char *utf8_memory_end(struct utf8_memory *m)
{
	if (m->to && fclose(m->to) == 0 && *m->text)
		return m->text;
	free(m->text);
	return NULL;
}

void utf8_write_markup(FILE *out, const char *s)
{
	static const char *const written[] = {['&'] = "&amp;",
					      ['<'] = "&lt;",
					      ['>'] = "&gt;",
					      ['"'] = "&quot;",
					      ['\''] = "&#39;"};

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < sizeof(written) / sizeof(*written) && written[c])
			fputs(written[c], out);
		else
			putc(c, out);
	}
}
