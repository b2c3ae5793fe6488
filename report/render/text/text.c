// SPDX-License-Identifier: GPL-3.0-or-later
/* The report for people: what ran and where its time went, one table, and the warnings. On a screen
 * the rows that matter; in a file all; with --full all there is to say. */
#include "report/render/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <inttypes.h>

#include "report/findings/findings.h"
#include "report/render/formats.h"
#include "report/wording/utf8.h"
#include "report/wording/warning_list.h"

#define SCREEN_MOST  25 /* rows on a screen */
#define SCREEN_LEAST 5
#define INDENT	     6 /* columns of what goes on in a line, as "next: " has */

/* ---- the warnings: in short, or in full ---- */

/* How many have the same code; 0: one before has it, or it is a note. */
static uint32_t count_alike(const struct report *r, uint32_t at)
{
	const struct warning_code *words = warning_codes_find(r->warning[at].code);
	uint32_t alike = words && words->kind == WARNING_NOTE ? 0 : 1;

	for (uint32_t i = 0; alike && i < r->warnings; i++) {
		bool same = i != at && !strcmp(r->warning[i].code, r->warning[at].code);

		if (same && i < at)
			return 0;
		alike += same;
	}
	return alike;
}

/* The code, the figures and what to do. */
static void print_line(struct text *t, const struct report_warning *w, uint32_t alike)
{
	char *safe = utf8_clean(w->brief, t->terminal.utf8), *line = NULL, times[48] = "";
	bool hidden = w->row < t->report->sites && !t->shown[w->row];

	if (alike > 1)
		snprintf(times, sizeof(times), " (%" PRIu32 ")", alike);
	else if (hidden)
		snprintf(times, sizeof(times), " in rows of --full");
	if (safe)
		line = utf8_text("%s%s%s", times, *safe ? "  " : "", safe);
	if (line) {
		terminal_print(t->out, &t->terminal, TERMINAL_WARN, "! %s", w->code);
		text_cell_wrap(t, line, strlen(w->code) + 2, INDENT);
	}
	free(line);
	free(safe);
}

#define SCREEN_WARNINGS 5 /* warnings on a screen */

static void print_warnings(struct text *t)
{
	const struct report *r = t->report;
	uint32_t shown = 0, more = 0;
	char line[96] = "";

	for (uint32_t i = 0; i < r->warnings; i++) {
		uint32_t alike = count_alike(r, i);

		if (alike && (shown < SCREEN_WARNINGS || !t->terminal.screen)) {
			fputs(shown++ ? "" : "\n", t->out);
			print_line(t, &r->warning[i], alike);
		} else if (alike) {
			more++;
		}
	}
	if (more)
		snprintf(line, sizeof(line), "%" PRIu32 " more with --full; ", more);
	if (shown)
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

static void print_fact(void *to, const char *name, const char *raw)
{
	text_cell_fact(to, name, "%s", raw);
}

static void print_command(struct text *t)
{
	char *line = t->report->first ? report_head_command(t->report) : NULL;

	if (line)
		text_cell_bold(t, line);
	free(line);
}

static int print_table(struct text *t)
{
	enum report_by by = t->report->by;
	int (*table)(struct text *) = by <= REPORT_BY_FUNCTION ? text_sites : text_others;

	return t->report->apart && by <= REPORT_BY_GAP ? text_programs(t, table) : table(t);
}

/* Is it up to the report which rows are shown? */
static bool is_chosen(const struct report_options *o, FILE *out)
{
	return o->top == REPORT_TOP_DEFAULT && !o->full && terminal_of(out, o->width).screen;
}

static uint32_t top_of(const struct report_options *o, FILE *out)
{
	if (o->top == REPORT_TOP_DEFAULT || !o->top)
		return is_chosen(o, out) ? SCREEN_MOST : UINT32_MAX;
	return o->top;
}

#define READ_LEAST 500

uint32_t text_sites_read(const struct report_options *o, FILE *out)
{
	uint32_t top = top_of(o, out);

	return !o->full && top < READ_LEAST ? READ_LEAST : top;
}

/* Tables that were asked for, below the main one. */
static int print_others(struct text *t, const struct head *head)
{
	enum report_by by = t->report->by;
	int status = text_computing(t);

	if (status == 0)
		status = text_displaced(t);

	if (status == 0 && t->report->loops)
		status = text_loop_print(t);
	if (status == 0)
		status = text_slowest(t);
	if (by == REPORT_BY_GAP || by == REPORT_BY_THREAD) {
		fprintf(t->out, "\n");
		report_head_check(head);
	}
	return status;
}

/* What to do next. A command is never broken into lines: it is copied. */

static void print_step(struct text *t, char *step, size_t command)
{
	char *words = strndup(step, command), *line = utf8_clean(step + command, t->terminal.utf8);
	char *safe = utf8_cleaned(words, t->terminal.utf8);

	if (safe && line) {
		size_t before = INDENT + utf8_width(safe);
		bool whole = before + utf8_width(line) <= t->terminal.width;

		terminal_print(t->out, &t->terminal, TERMINAL_DIM, "next: ");
		if (whole)
			fputs(safe, t->out);
		else
			text_cell_wrap(t, safe, INDENT, INDENT);
		fprintf(t->out, "%*s%s\n", whole ? 0 : INDENT, "", line);
	}
	free(safe);
	free(line);
}

static void print_next(struct text *t)
{
	const struct report *r = t->report;

	for (uint32_t i = 0; i < r->next_steps; i++) {
		fputs(i ? "" : "\n", t->out);
		print_step(t, r->next_step[i], r->next_command[i]);
	}
}

static int print_full(struct text *t, const struct head *head)
{
	report_head_each(head);
	int status = print_table(t);
	status = status == 0 ? print_others(t, head) : status;
	text_warnings_full(t, t->report->warning, t->report->warnings);
	return status;
}

static int print_brief(struct text *t, const struct head *head)
{
	bool sites = t->report->by <= REPORT_BY_FUNCTION, apart = t->report->apart;

	t->shown = calloc((size_t)t->report->sites + 1, sizeof(*t->shown));
	if (!t->shown)
		return -1;
	report_head_run(head);
	if (!sites || !apart) /* else each program has a line of time */
		text_time(t);
	report_head_calls(head);
	int status = !sites ? print_table(t) : apart ? text_programs(t, text_rows) : text_rows(t);
	status = status == 0 ? print_others(t, head) : status;
	print_warnings(t);
	free(t->shown);
	return status;
}

int text_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct text t = {.report = r,
			 .options = o,
			 .out = out,
			 .terminal = terminal_of(out, o->width),
			 .top = top_of(o, out)};
	const struct head head = {r, t.terminal.utf8, print_fact, &t};

	t.least = is_chosen(o, out) ? SCREEN_LEAST : t.top;
	print_command(&t);
	int status = o->full ? print_full(&t, &head) : print_brief(&t, &head);
	print_next(&t);
	return status;
}
