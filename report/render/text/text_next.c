// SPDX-License-Identifier: GPL-3.0-or-later
/* The last lines of the report: what to do next. A command is never broken into lines: it is
 * copied. */
#include "report/render/text/text.h"

#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"

#define INDENT 6 /* columns, as "next: " has */

static void print_step(struct text *t, char *step, size_t command)
{
	char *words = strndup(step, command), *line = utf8_clean(step + command, t->terminal.utf8);
	char *safe = words ? utf8_clean(words, t->terminal.utf8) : NULL;

	free(words);
	if (safe && line) {
		size_t before = INDENT + utf8_width(safe);
		bool whole = before + utf8_width(line) <= t->terminal.width;

		terminal_style(t->out, &t->terminal, TERMINAL_DIM);
		fputs("next: ", t->out);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		if (whole)
			fputs(safe, t->out);
		else
			text_cell_wrap(t, safe, INDENT, INDENT);
		fprintf(t->out, "%*s%s\n", whole ? 0 : INDENT, "", line);
	}
	free(safe);
	free(line);
}

void text_next(struct text *t)
{
	const struct report *r = t->report;

	for (uint32_t i = 0; i < r->next_steps; i++) {
		fputs(i ? "" : "\n", t->out);
		print_step(t, r->next_step[i], r->next_command[i]);
	}
}
