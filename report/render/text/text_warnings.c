// SPDX-License-Identifier: GPL-3.0-or-later
/* The warnings: a line each, or in full. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"
#include "report/wording/warning_list.h"

/* Cut at a word. */
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

/* How many have the same code; 0: one before has it. */
static uint32_t count_alike(const struct report *r, uint32_t at)
{
	uint32_t alike = 1;

	for (uint32_t i = 0; i < r->warnings; i++) {
		bool same = i != at && !strcmp(r->warning[i].code, r->warning[at].code);

		if (same && i < at)
			return 0;
		alike += same;
	}
	return alike;
}

static bool is_of(const struct report_warning *w, enum warning_kind kind)
{
	const struct warning_code *words = warning_codes_find(w->code);

	return words && words->kind == kind;
}

/* The code, and as much of the figures and of what to do as a line holds. */
static void print_line(struct text *t, const struct report_warning *w, uint32_t alike)
{
	char *safe = utf8_clean(w->brief, t->terminal.utf8), times[48] = "";
	bool hidden = w->row < t->report->sites && !t->shown[w->row];
	bool answer = is_of(w, WARNING_ANSWER);
	size_t before;

	if (!safe)
		return;
	if (alike > 1)
		snprintf(times, sizeof(times), " (%" PRIu32 ")", alike);
	else if (hidden)
		snprintf(times, sizeof(times), "%s",
			 strlen(w->code) + 20 <= t->terminal.width ? " in rows of --full"
								   : " (--full)");
	before = strlen(w->code) + strlen(times) + 4;
	if (!answer)
		cut(safe, t->terminal.width > before ? t->terminal.width - before : 0);
	terminal_print(t->out, &t->terminal, TERMINAL_WARN, "! %s", w->code);
	fprintf(t->out, "%s%s", times, *safe ? "  " : "");
	if (answer)
		text_cell_wrap(t, safe, before, 2);
	else
		fprintf(t->out, "%s\n", safe);
	free(safe);
}

#define SCREEN_LINES 5 /* of warnings on a screen */

void text_warnings_brief(struct text *t)
{
	const struct report *r = t->report;
	uint32_t lines = 0, more = 0, notes = 0;
	char line[96] = "";

	for (uint32_t i = 0; i < r->warnings; i++)
		notes += is_of(&r->warning[i], WARNING_NOTE);
	if (r->warnings == notes)
		return;
	fputc('\n', t->out);
	for (uint32_t i = 0; i < r->warnings; i++) {
		uint32_t alike = is_of(&r->warning[i], WARNING_NOTE) ? 0 : count_alike(r, i);

		if (alike && (lines < SCREEN_LINES || !t->terminal.screen)) {
			print_line(t, &r->warning[i], alike);
			lines++;
		} else if (alike) {
			more++;
		}
	}
	if (more)
		snprintf(line, sizeof(line), "%" PRIu32 " more with --full; ", more);
	text_cell_say(t, TERMINAL_DIM, "  ", 4, "%sabout each: scprof explain CODE", line);
}

void text_warnings_full(struct text *t, const struct report_warning *warning, uint32_t warnings)
{
	for (uint32_t i = 0; i < warnings; i++) {
		terminal_print(t->out, &t->terminal, TERMINAL_WARN, "\nwarning: %s\n",
			       warning[i].code);
		text_cell_say(t, TERMINAL_PLAIN, "  ", 2, "%s", warning[i].text);
	}
}
