// SPDX-License-Identifier: GPL-3.0-or-later
/* Asks the stream and the environment, never the process's locale: that is the
 * program's to set, not a library's. */
#include "report/wording/terminal.h"

#include <stdarg.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/wording/utf8.h"

#define WIDTH_DEFAULT 100
#define WIDTH_LEAST   20
#define WIDTH_MOST    1000

static size_t from_environment(const char *name, size_t otherwise)
{
	const char *text = getenv(name);
	long value = text ? strtol(text, NULL, 10) : 0;

	return value > 0 ? (size_t)value : otherwise;
}

bool terminal_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

static bool wants_colour(void)
{
	const char *no_color = getenv("NO_COLOR");

	return !(no_color && *no_color) && !terminal_is_dumb();
}

static bool locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	const char *name = NULL;

	for (size_t i = 0; !locale && i < 3 && !(name && *name); i++)
		name = getenv(names[i]);
	if (!locale) /* it is not installed, or of another libc */
		return name && (strcasestr(name, ".UTF-8") || strcasestr(name, ".utf8"));
	bool utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return utf8;
}

struct terminal terminal_of(FILE *out, size_t width)
{
	int fd = fileno(out); /* -1 for a stream in memory */
	bool terminal = fd >= 0 && isatty(fd);
	struct winsize size = {0};
	struct terminal t;

	if (terminal && ioctl(fd, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){0};
	t.width = width		? width
		  : size.ws_col ? size.ws_col
				: from_environment("COLUMNS", WIDTH_DEFAULT);
	t.width = t.width < WIDTH_LEAST ? WIDTH_LEAST : t.width > WIDTH_MOST ? WIDTH_MOST : t.width;
	t.screen = terminal;
	t.colour = terminal && wants_colour();
	t.utf8 = locale_is_utf8();
	return t;
}

void terminal_style(FILE *out, const struct terminal *t, enum terminal_style style)
{
	static const char *const codes[] = {
		[TERMINAL_PLAIN] = "\033[0m", [TERMINAL_BOLD] = "\033[1m",
		[TERMINAL_DIM] = "\033[2m",   [TERMINAL_NAME] = "\033[1;36m",
		[TERMINAL_WARN] = "\033[33m",
	};

	if (t->colour)
		fputs(codes[style], out);
}

void terminal_print(FILE *out, const struct terminal *t, enum terminal_style style,
		    const char *format, ...)
{
	va_list args;

	if (style != TERMINAL_PLAIN)
		terminal_style(out, t, style);
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	if (style != TERMINAL_PLAIN)
		terminal_style(out, t, TERMINAL_PLAIN);
}

void terminal_put(struct terminal_line *l, size_t start, size_t width, bool right, const char *text,
		  enum terminal_style style)
{
	char *fits = utf8_shorten(text, width, l->terminal->utf8);
	size_t columns = fits ? utf8_width(fits) : 0;

	if (columns) {
		start += right ? width - columns : 0;
		fprintf(l->out, "%*s", (int)(start - l->at), "");
		terminal_print(l->out, l->terminal, style, "%s", fits);
		l->at = start + columns;
	}
	l->failed |= !fits;
	free(fits);
}
