// SPDX-License-Identifier: GPL-3.0-or-later
/* The last lines of the report: what to do next. */
#include "report/render/text/text.h"

#include <stdlib.h>

#include "report/wording/utf8.h"

void text_next(struct text *t)
{
	const struct report *r = t->report;

	for (uint32_t i = 0; i < r->next_steps; i++) {
		char *safe = utf8_clean(r->next_step[i], t->terminal.utf8);

		if (!safe)
			return;
		fputs(i ? "" : "\n", t->out);
		terminal_style(t->out, &t->terminal, TERMINAL_DIM);
		fputs("next: ", t->out);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		text_cell_wrap(t, safe, 6, 6);
		free(safe);
	}
}
