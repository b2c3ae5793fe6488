// SPDX-License-Identifier: GPL-3.0-or-later
/* The warnings: a line each, or in full. */
#include "report/render/text/text.h"

#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"

/* Cut at the last word that finds room, and at what ends with it. */
static void cut(char *clean, size_t width)
{
	size_t end = utf8_fit(clean, width);

	if (!clean[end])
		return;
	while (end && clean[end] != ' ')
		end--;
	while (end && strchr(" ,;:(", clean[end - 1]))
		end--;
	clean[end] = '\0';
}

/* The code, and as much of the figures and of what to do as a line holds. */
static void print_line(struct text *t, const struct report_warning *w)
{
	size_t before = strlen(w->code) + 4;
	char *safe = utf8_clean(w->brief, t->terminal.utf8);

	if (!safe)
		return;
	cut(safe, t->terminal.width > before ? t->terminal.width - before : 0);
	terminal_style(t->out, &t->terminal, TERMINAL_WARN);
	fprintf(t->out, "! %s", w->code);
	terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
	fprintf(t->out, "%s%s\n", *safe ? "  " : "", safe);
	free(safe);
}

void text_warnings_brief(struct text *t)
{
	const struct report *r = t->report;

	if (!r->warnings)
		return;
	fputc('\n', t->out);
	for (uint32_t i = 0; i < r->warnings; i++)
		print_line(t, &r->warning[i]);
	terminal_style(t->out, &t->terminal, TERMINAL_DIM);
	fputs("  ", t->out);
	text_cell_wrap(t, "more about each: scprof explain CODE", 2, 4);
	terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
}

void text_warnings_full(struct text *t)
{
	const struct report *r = t->report;

	for (uint32_t i = 0; i < r->warnings; i++) {
		char *safe = utf8_clean(r->warning[i].text, t->terminal.utf8);

		if (!safe)
			return;
		fputc('\n', t->out);
		terminal_style(t->out, &t->terminal, TERMINAL_WARN);
		fprintf(t->out, "warning: %s\n", r->warning[i].code);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		fputs("  ", t->out);
		text_cell_wrap(t, safe, 2, 2);
		free(safe);
	}
}
