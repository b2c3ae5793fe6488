// SPDX-License-Identifier: GPL-3.0-or-later
/* One line that is overwritten; cut to the terminal's width, since a wrapped line could not be. */
#include "cli/messages/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "report/wording/terminal.h"

#define DELAY_S	 0.5
#define PERIOD_S 0.2
#define BAR	 24

void progress_begin(struct progress *p, const char *what, bool wished)
{
	*p = (struct progress){.shown = wished && isatty(STDERR_FILENO) && !terminal_is_dumb(),
			       .what = what};
	p->began = clocks_read_seconds();
}

static void draw(struct progress *p, double share, const char *format, va_list args)
{
	size_t width = terminal_of(stderr, 0).width;
	char words[256], line[512], bar[BAR + 1];

	vsnprintf(words, sizeof(words), format, args);
	if (isnan(share)) {
		snprintf(line, sizeof(line), "%.40s: %s", p->what, words);
	} else {
		share = fmin(fmax(share, 0), 1);
		int full = (int)(share * BAR);

		memset(bar, '#', (size_t)full);
		memset(bar + full, '-', (size_t)(BAR - full));
		bar[BAR] = '\0';
		snprintf(line, sizeof(line), "%.40s: [%s] %3.0f %%  %s", p->what, bar,
			 floor(100 * share), words);
	}
	fprintf(stderr, "\r\033[K%.*s", (int)(width - 1), line);
	fflush(stderr);
	p->drawn = true;
	p->last = clocks_read_seconds();
}

void progress_show(struct progress *p, double share, const char *format, ...)
{
	va_list args;
	double at = p->shown ? clocks_read_seconds() : 0;

	if (!p->shown || (!p->at_once && (at - p->began < DELAY_S || at - p->last < PERIOD_S)))
		return;
	va_start(args, format);
	draw(p, share, format, args);
	va_end(args);
}

void progress_clear(struct progress *p)
{
	if (!p->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	p->drawn = false;
}
