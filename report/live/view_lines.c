// SPDX-License-Identifier: GPL-3.0-or-later
/* The lines of a picture. Each is cut to the picture's width. */
#include "report/live/view.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/wording/utf8.h"

/* Shows that the text continues. */
static void cut(char *text, size_t width, bool utf8)
{
	const char *dots = utf8 ? "…" : ".";
	size_t at;

	if (utf8_width(text) <= width)
		return;
	at = utf8_fit(text, width - 1);
	if (strlen(text + at) >= strlen(dots))
		strcpy(text + at, dots);
	else
		text[utf8_fit(text, width)] = '\0';
}

void view_lines_add(struct view *v, char *text, enum view_style style)
{
	if (!text || !array_reach((void **)&v->line, &v->room, v->lines, sizeof(*v->line), 0)) {
		v->failed = true;
		free(text);
		return;
	}
	cut(text, v->width, v->utf8);
	v->line[v->lines++] = (struct view_line){text, style};
}

void view_lines_format(struct view *v, enum view_style style, const char *format, ...)
{
	char *raw = NULL, *clean;
	va_list args;

	va_start(args, format);
	if (vasprintf(&raw, format, args) < 0)
		raw = NULL;
	va_end(args);
	clean = raw ? utf8_clean(raw, v->utf8) : NULL;
	free(raw);
	view_lines_add(v, clean, style);
}

void view_lines_free(struct view *v)
{
	for (size_t i = 0; i < v->lines; i++)
		free(v->line[i].text);
	free(v->line);
	*v = (struct view){0};
}
