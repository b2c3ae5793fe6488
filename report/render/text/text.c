// SPDX-License-Identifier: GPL-3.0-or-later
/* The report for people: what ran and how it was measured, one table, the
 * check of the account, and the warnings. */
#include "report/render/text/text.h"

#include <stdlib.h>

#include "report/model/report_head.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define TOP_DEFAULT 20

static void print_fact(void *to, const char *name, const char *raw)
{
	text_cell_fact(to, name, "%s", raw);
}

static void print_command(struct text *t)
{
	char *line = report_head_command(t->report), *safe = NULL, *fits = NULL;

	if (line)
		safe = utf8_clean(line, t->terminal.utf8);
	if (safe)
		fits = utf8_shorten(safe, t->terminal.width, t->terminal.utf8);
	if (fits) {
		terminal_style(t->out, &t->terminal, TERMINAL_BOLD);
		fputs(fits, t->out);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		fputc('\n', t->out);
	}
	free(fits);
	free(safe);
	free(line);
}

static void print_check(struct text *t)
{
	fprintf(t->out, "\n");
	report_head_check(t->report, t->terminal.utf8, print_fact, t);
}

static void print_warnings(struct text *t)
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

static int print_table(struct text *t)
{
	switch (t->report->by) {
	case REPORT_BY_GAP:
		return t->report->apart ? text_programs(t, text_others_gaps) : text_others_gaps(t);
	case REPORT_BY_THREAD:
		return text_others_threads(t);
	case REPORT_BY_PROCESS:
		return text_others_processes(t);
	default:
		return t->report->apart ? text_programs(t, text_sites) : text_sites(t);
	}
}

uint32_t text_top(const struct report_options *o)
{
	return o->top == REPORT_TOP_DEFAULT ? TOP_DEFAULT : o->top ? o->top : UINT32_MAX;
}

int text_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct text t = {.report = r, .options = o, .out = out};
	int status;

	t.terminal = terminal_of(out, o->width);
	t.top = text_top(o);
	if (r->first)
		print_command(&t);
	report_head_each(r, t.terminal.utf8, print_fact, &t);
	status = print_table(&t);
	if (status == 0)
		status = text_displaced(&t);
	if (status == 0 && r->loops)
		status = text_loop_print(&t);
	if (status == 0)
		status = text_slowest(&t);
	if (r->by == REPORT_BY_GAP || r->by == REPORT_BY_THREAD)
		print_check(&t);
	print_warnings(&t);
	return status;
}
