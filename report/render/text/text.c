// SPDX-License-Identifier: GPL-3.0-or-later
/* The report for people: what ran and how it was measured, one table, the
 * check of the account, and the warnings. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/report_head.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define TOP_DEFAULT 20

void text_cell(struct text *t, struct table *table, size_t column, const char *raw)
{
	char *safe = utf8_clean(raw, t->terminal.utf8);

	if (safe)
		table_cell(table, column, safe);
	else
		table->failed = true;
	free(safe);
}

void text_mean_cells(struct text *t, struct table *table, size_t at,
		     const struct report_estimate *e)
{
	struct number_mean m;

	numbers_mean(&m, e->mean_ns, e->low_ns, e->high_ns, t->terminal.utf8);
	table_cell(table, at, m.mean);
	table_cell(table, at + 1, m.unit);
	table_cell(table, at + 2, m.interval);
}

void text_duration_cell(struct text *t, struct table *table, size_t column, double ns)
{
	char text[32];

	numbers_duration(text, sizeof(text), ns, t->terminal.utf8);
	table_cell(table, column, text);
}

void text_wrapped(struct text *t, const char *clean, size_t at, size_t indent)
{
	size_t width = t->terminal.width > indent + 20 ? t->terminal.width : indent + 20;
	bool first = true;

	while (*clean) {
		size_t bytes = strcspn(clean, " "), columns;
		char *word = strndup(clean, bytes);

		if (!word)
			return;
		columns = utf8_width(word);
		if (!first && at + 1 + columns > width) {
			fprintf(t->out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', t->out);
			at++;
		}
		if (at + columns > width)
			bytes = utf8_fit(word, width - at);
		fprintf(t->out, "%.*s", (int)bytes, word);
		at += columns;
		clean += bytes;
		clean += *clean == ' ';
		free(word);
		first = false;
	}
	fputc('\n', t->out);
}

void text_fact(struct text *t, const char *name, const char *format, ...)
{
	char *raw = NULL, *safe;
	va_list args;

	va_start(args, format);
	if (vasprintf(&raw, format, args) < 0)
		raw = NULL;
	va_end(args);
	safe = raw ? utf8_clean(raw, t->terminal.utf8) : NULL;
	if (safe) {
		terminal_style(t->out, &t->terminal, TERMINAL_DIM);
		fprintf(t->out, "  %-10s ", name);
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
		text_wrapped(t, safe, 13, 13);
	}
	free(safe);
	free(raw);
}

static void print_fact(void *to, const char *name, const char *raw)
{
	text_fact(to, name, "%s", raw);
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

void text_shown(struct text *t, uint32_t rows, double shown_ns, double all_ns, const char *of_what)
{
	char share[32];

	if (rows <= t->top)
		return;
	numbers_share(share, sizeof(share), all_ns > 0 ? shown_ns / all_ns : NAN);
	terminal_style(t->out, &t->terminal, TERMINAL_DIM);
	fprintf(t->out, "\n%" PRIu32 " of %" PRIu32 " rows, %s of %s. All: --top 0\n", t->top, rows,
		share, of_what);
	terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
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
		text_wrapped(t, safe, 2, 2);
		free(safe);
	}
}

static int print_table(struct text *t)
{
	switch (t->report->by) {
	case REPORT_BY_GAP:
		return text_others_gaps(t);
	case REPORT_BY_THREAD:
		return text_others_threads(t);
	case REPORT_BY_PROCESS:
		return text_others_processes(t);
	default:
		return text_sites(t);
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
