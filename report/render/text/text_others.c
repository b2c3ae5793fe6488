// SPDX-License-Identifier: GPL-3.0-or-later
/* The tables of gaps, threads and processes. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/findings/findings.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

enum { GAP_FROM, GAP_TO };

static const struct table_column gap_columns[] = {
	[GAP_FROM] = {"AFTER", .least = 10, .style = TERMINAL_NAME},
	[GAP_TO] = {"BEFORE", .least = 10, .style = TERMINAL_NAME},
	{"COUNT", .drop = 2, TABLE_FIELD(COUNT, report_gap, calls)},
	{"MEAN", .style = TERMINAL_BOLD, TABLE_FIELD(MEAN, report_gap, estimate)},
	{"", .glued = true},
	{"INTERVAL", .glued = true, .drop = 3},
	{"TOTAL", .drop = 4, TABLE_FIELD(NS, report_gap, total_ns)},
	{"SHARE", .drop = 1, TABLE_FIELD(SHARE, report_gap, share)},
	{"MAX", .drop = 5, TABLE_FIELD(NS, report_gap, max_ns)},
	{0},
};

static const struct table_column thread_columns[] = {
	{"THREAD", .least = 8, .style = TERMINAL_NAME, TABLE_FIELD(NAME, report_thread, name)},
	{"PID", .drop = 5, TABLE_FIELD(NUMBER, report_thread, pid)},
	{"TID", .drop = 4, TABLE_FIELD(NUMBER, report_thread, tid)},
	{"SERVED", .drop = 6, TABLE_FIELD(SEVERAL, report_thread, threads)},
	{"TIME", .style = TERMINAL_BOLD, TABLE_FIELD(NS, report_thread, time_ns)},
	{"IN CALLS", .drop = 1, TABLE_FIELD(NS, report_thread, in_calls_ns)},
	{"WAITING", .drop = 2, TABLE_FIELD(SOME_NS, report_thread, waiting_ns)},
	{"BETWEEN", .drop = 1, TABLE_FIELD(NS, report_thread, gaps_ns)},
	{"NESTED", .drop = 3, TABLE_FIELD(SOME_NS, report_thread, nested_ns)},
	{"RECORDING", .drop = 3, TABLE_FIELD(SOME_NS, report_thread, recording_ns)},
	{"LEFT OVER", .drop = 2, TABLE_FIELD(NS, report_thread, remainder_ns)},
	{"CALLS", .drop = 2, TABLE_FIELD(COUNT, report_thread, calls)},
	{0},
};

enum { PID, PROGRAM, FOLDED, WALL, ENDED };

static const struct table_column process_columns[] = {
	[PID] = {"PID", .right = true},
	[PROGRAM] = {"PROGRAM", .least = 12, .style = TERMINAL_NAME},
	[FOLDED] = {"PROCESSES", .right = true, .drop = 3},
	[WALL] = {"WALL", .drop = 1, TABLE_FIELD(S, report_process, wall_s)},
	[ENDED] = {"ENDED", .drop = 4},
	{"THREADS", .drop = 2, TABLE_FIELD(NUMBER, report_process, threads)},
	{"CALLS", .drop = 1, TABLE_FIELD(COUNT, report_process, calls)},
	{"IN CALLS", .style = TERMINAL_BOLD, TABLE_FIELD(NS, report_process, in_calls_ns)},
	{"WAITING", .drop = 1, TABLE_FIELD(SOME_NS, report_process, waiting_ns)},
	{0},
};

/* Adds a row, and returns the time that it is told to have. */
typedef double add_row(struct text *t, struct table *table, uint32_t row);

static double add_gap(struct text *t, struct table *table, uint32_t row)
{
	const struct report_gap *g = &t->report->gap[row];

	text_cell_row(t, table, g);
	table_take(table, GAP_FROM, text_path_site_label(t, g->from, "(thread start)"));
	table_take(table, GAP_TO, text_path_site_label(t, g->to, "(thread end)"));
	return g->total_ns;
}

static double add_thread(struct text *t, struct table *table, uint32_t row)
{
	text_cell_row(t, table, &t->report->thread[row]);
	return t->report->thread[row].time_ns;
}

static double add_process(struct text *t, struct table *table, uint32_t row)
{
	const struct report_process *p = &t->report->process[row];
	const struct prof_process *in = p->process;

	text_cell_row(t, table, p);
	table_print_cell(table, PID, "%" PRIu32, in->pid);
	text_cell_put(t, table, PROGRAM, in->program);
	if (in->count > 1)
		table_print_cell(table, FOLDED, "%" PRIu32, in->count);
	table_cell(table, ENDED, process_end_abbreviate(in).text);
	return p->in_calls_ns;
}

static int print_table(struct text *t, const struct table_column *columns, add_row *add,
		       uint32_t rows, double all_ns, const char *of_what)
{
	struct table table;
	double shown_ns = 0;
	int status;

	table_begin(&table, columns, NULL);
	for (uint32_t i = 0; i < rows && i < t->top; i++)
		shown_ns += add(t, &table, i);
	status = text_cell_end(t, &table);
	text_cell_rows_shown(t, rows, shown_ns, all_ns, of_what);
	return status;
}

int text_others(struct text *t)
{
	const struct report *r = t->report;

	if (r->by == REPORT_BY_GAP)
		return print_table(t, gap_columns, add_gap, r->gaps, r->gaps_ns,
				   "the time between calls");
	if (r->by == REPORT_BY_THREAD)
		return print_table(t, thread_columns, add_thread, r->threads, r->time_ns,
				   "the threads' time");
	return print_table(t, process_columns, add_process, r->processes,
			   r->calls_ns - r->nested_ns, "the calls' time");
}

/* ---- several programs in one report: a list of them, a section for each that matters, and one
 * line for all the others ---- */

#define NAMED 6 /* small programs that are named in their line */

static const struct table_column program_columns[] = {
	{"PROGRAM", .least = 12, .style = TERMINAL_NAME},
	{"PROCESSES", .drop = 3, TABLE_FIELD(COUNT, report_program, processes)},
	{"WALL", .drop = 1, TABLE_FIELD(S, report_program, wall_s)},
	{"CPU", TABLE_FIELD(S, report_program, cpu_s)},
	{"CALLS", .drop = 1, TABLE_FIELD(COUNT, report_program, calls)},
	{"IN CALLS", .style = TERMINAL_BOLD, TABLE_FIELD(NS, report_program, in_calls_ns)},
	{"WAITING", .drop = 1, TABLE_FIELD(SOME_NS, report_program, waiting_ns)},
	{0},
};

/* Programs of one name are told apart by what executes them. */
static void name_cell(struct text *t, struct table *table, const struct report_program *p)
{
	const struct report *r = t->report;
	char *both = NULL;

	for (uint32_t i = 0; i < r->programs && !both; i++)
		if (&r->program[i] != p && !strcmp(r->program[i].name, p->name))
			both = utf8_text("%s (%s)", p->name, p->first->exe);
	text_cell_put(t, table, 0, both ? both : p->name);
	free(both);
}

/* "bash 31, dirname 4". NULL: out of memory. */
static char *name_others(const struct report *r, uint32_t shown)
{
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	for (uint32_t i = shown; memory.to && i < r->programs && i - shown < NAMED; i++)
		fprintf(memory.to, "%s%s %" PRIu64, i > shown ? ", " : "",
			r->program[i].name[0] ? r->program[i].name : "(no name)",
			r->program[i].processes);
	if (memory.to && r->programs - shown > NAMED)
		fputs(", ...", memory.to);
	return utf8_memory_end(&memory);
}

/* All that have no section, in one line. */
static void print_others(struct text *t, uint32_t shown)
{
	const struct report *r = t->report;
	uint32_t others = r->programs - shown;
	char *names = others ? name_others(r, shown) : NULL;
	uint64_t processes = 0;
	double calls_ns = 0, all_ns = 0;

	for (uint32_t i = 0; i < r->programs; i++) {
		all_ns += r->program[i].in_calls_ns;
		calls_ns += i < shown ? 0 : r->program[i].in_calls_ns;
		processes += i < shown ? 0 : r->program[i].processes;
	}
	if (names) {
		fputc('\n', t->out);
		text_cell_fact(t, "others",
			       "%" PRIu64 " process%s of %" PRIu32 " other program%s (%s)%s%s%s "
			       "--program NAME shows one.",
			       processes, processes == 1 ? "" : "es", others,
			       others == 1 ? "" : "s", names, all_ns > 0 ? ": " : "",
			       all_ns > 0 ? numbered_share(calls_ns / all_ns).text : "",
			       all_ns > 0 ? " of the calls' time." : ".");
	}
	free(names);
}

static int print_list(struct text *t, uint32_t shown)
{
	const struct report *r = t->report;
	struct table table;

	table_begin(&table, program_columns, NULL);
	for (uint32_t i = 0; i < shown; i++) {
		text_cell_row(t, &table, &r->program[i]);
		name_cell(t, &table, &r->program[i]);
	}
	return text_cell_end(t, &table);
}

static int print_section(struct text *t, uint32_t program, int (*table)(struct text *t))
{
	struct report view;
	struct text section = *t;
	char *command;
	int status;

	status = programs_view(&view, t->report, program);
	if (status == 0) {
		section.report = &view;
		command = report_head_command(&view);
		fputc('\n', t->out);
		text_cell_bold(t, command ? command : view.first->program);
		free(command);
		if (t->report->by <= REPORT_BY_FUNCTION && !t->options->full)
			text_time(&section);
		status = view.calls ? table(&section) : 0;
		programs_view_end(t->report, &view);
	}
	return status;
}

int text_programs(struct text *t, int (*table)(struct text *t))
{
	uint32_t top = t->top, shown = programs_shown(t->report);
	int status = print_list(t, shown);

	if (t->options->top == REPORT_TOP_DEFAULT && shown && top != UINT32_MAX)
		t->top = top / shown > t->least ? top / shown : t->least;
	for (uint32_t i = 0; status == 0 && i < shown; i++)
		status = print_section(t, i, table);
	t->top = top;
	print_others(t, shown);
	return status;
}
