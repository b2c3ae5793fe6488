// SPDX-License-Identifier: GPL-3.0-or-later
/* Cleans and measures texts. Not by wcwidth: that follows the process's locale, which a library
 * must not set, and a report may be written for another terminal than this one's. */
#include "report/wording/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unictype.h>
#include <unistr.h>
#include <uniwidth.h>

uint32_t utf8_next(const char **s)
{
	ucs4_t c;
	int bytes = u8_mbtoucr(&c, (const uint8_t *)*s, strnlen(*s, 4));

	*s += bytes > 0 ? bytes : 1;
	return bytes > 0 ? c : UTF8_BROKEN;
}

bool utf8_is_harmful(uint32_t c)
{
	return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf |
							   UC_CATEGORY_MASK_Zl |
							   UC_CATEGORY_MASK_Zp);
}

/* Most text is, and quickly told. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

static size_t width_of(uint32_t c)
{
	int width = is_plain((char)c) && c < 0x80 ? 1 : uc_width(c, "UTF-8");

	return width > 0 ? (size_t)width : 0;
}

char *utf8_clean(const char *s, bool utf8)
{
	/* The longest replacement of one byte is "\x1b"; of a longer
	 * character "\u{10FFFF}", under four for each of its bytes. */
	char *out = malloc(4 * strlen(s) + 1), *to = out;

	while (out && *s) {
		const char *from = s;

		if (is_plain(*s)) {
			*to++ = *s++;
			continue;
		}
		uint32_t c = utf8_next(&s);
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

void utf8_put_clean(FILE *to, const char *s, bool utf8)
{
	char *clean = utf8_clean(s, utf8);

	fputs(clean ? clean : "?", to);
	free(clean);
}

size_t utf8_width(const char *s)
{
	size_t width = 0;

	for (;;) {
		for (; is_plain(*s); s++)
			width++;
		if (!*s)
			return width;
		width += width_of(utf8_next(&s));
	}
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

/* What must stay at the end of a frame's or a function's name: " (streams.py:343)",
 * " at ae.c:123", " [waits]"; the end of the text where there is none. */
static const char *tail_of(const char *s)
{
	static const char *const begins[] = {" (", " at ", " ["};
	const char *tail = s + strlen(s), *at;

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		for (at = strstr(s + (*s != '\0'), begins[i]); at; at = strstr(at + 1, begins[i]))
			if (!strpbrk(at + strlen(begins[i]), " /"))
				return at;
	return tail;
}

/* Bytes to skip until what is left takes at most `width` columns. */
static size_t skip_to(const char *s, size_t width)
{
	size_t rest = utf8_width(s);
	const char *at = s;

	while (rest > width)
		rest -= width_of(utf8_next(&at));
	return (size_t)(at - s);
}

#define BEFORE " < "
#define HALVED 40 /* columns of a line of which half says something */

/* A call path, "a < b < c", keeps as many of its first frames as fit, and the last, which may be
 * what distinguishes it: that has half of the line where the first leaves it no room, and either is
 * cut. Dots before them stay. NULL: it is no path, or its first frame is too long for a short line.
 */
static char *shorten_path(const char *s, size_t width, bool utf8, const char *dots)
{
	size_t whole = utf8_width(s), rest = 3 + utf8_width(dots), skip = strlen(dots), room;
	const char *first = strstr(s + (strncmp(s, dots, skip) ? 0 : skip + 1), BEFORE),
		   *end = NULL, *last = NULL;
	char *frames, *inner, *outer, *out = NULL;

	for (const char *at = first; at && (at = strstr(at, BEFORE)); at++)
		last = at;
	if (!last)
		return NULL;
	room = utf8_width(last);
	if (whole - utf8_width(first) + rest + room > width)
		room = width < HALVED ? 0 : room < width / 2 ? room : width / 2;
	for (const char *at = first; (at = strstr(at, BEFORE)) != NULL; at++)
		if (whole - utf8_width(at) + rest + room <= width)
			end = at;
	frames = end || room ? strndup(s, (size_t)((end ?: first) - s)) : NULL;
	if ((end ?: first) == last && room) /* nothing is between them */
		rest = 0;
	inner = frames ? utf8_shorten(frames, width - rest - room, utf8) : NULL;
	outer = inner && room ? utf8_shorten(last + 3, width - utf8_width(inner) - rest - 3, utf8)
			      : NULL;
	if (inner && (outer || !room))
		out = utf8_text("%s%s%s%s%s", inner, rest ? BEFORE : "", rest ? dots : "",
				room ? BEFORE : "", outer ?: "");
	free(frames);
	free(inner);
	free(outer);
	return out;
}

char *utf8_shorten(const char *s, size_t width, bool utf8)
{
	const char *dots = utf8 ? "…" : "..", *tail;
	size_t dots_width = utf8 ? 1 : 2, end;

	if (utf8_width(s) <= width)
		return strdup(s);
	char *out = shorten_path(s, width, utf8, dots);
	if (out)
		return out;
	if (width <= dots_width + 1)
		return strndup(s, utf8_fit(s, width));
	width -= dots_width;
	tail = tail_of(s);
	end = utf8_width(tail);
	if (end > width - width / 3 && utf8_width(s) - end <= width && !strchr(tail, ':')) {
		tail = ""; /* the name is whole, and only its object is cut */
		end = 0;
	} else if (!end || end > width - width / 3) { /* its end tells more than its middle */
		tail = s + skip_to(s, width / 3);
		end = utf8_width(tail);
	}
	return utf8_text("%.*s%s%s", (int)utf8_fit(s, width - end), s, dots, tail);
}

char *utf8_text(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

char *utf8_cleaned(char *raw, bool utf8)
{
	char *clean = raw ? utf8_clean(raw, utf8) : NULL;

	free(raw);
	return clean;
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
