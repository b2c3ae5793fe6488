// SPDX-License-Identifier: GPL-3.0-or-later
/* The tables of gaps, threads and processes. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"

enum { G_FROM, G_TO, G_COUNT, G_MEAN, G_UNIT, G_INTERVAL, G_TOTAL, G_SHARE, G_MAX, G_COLUMNS };

static const struct table_column gap_columns[] = {
	[G_FROM] = {"AFTER", .least = 10, .style = TERMINAL_NAME},
	[G_TO] = {"BEFORE", .least = 10, .style = TERMINAL_NAME},
	[G_COUNT] = {"COUNT", .right = true, .drop = 2},
	[G_MEAN] = {"MEAN", .right = true, .style = TERMINAL_BOLD},
	[G_UNIT] = {"", .glued = true},
	[G_INTERVAL] = {"INTERVAL", .glued = true, .drop = 3},
	[G_TOTAL] = {"TOTAL", .right = true, .drop = 4},
	[G_SHARE] = {"SHARE", .right = true, .drop = 1},
	[G_MAX] = {"MAX", .right = true, .drop = 5},
	[G_COLUMNS] = {0},
};

static void label_cell(struct text *t, struct table *table, size_t column, uint32_t site,
		       const char *when_none)
{
	char *label = text_path_site_label(t, site, when_none);

	if (label)
		table_cell(table, column, label);
	else
		table->failed = true;
	free(label);
}

static void add_gap(struct text *t, struct table *table, const struct report_gap *g)
{
	char text[32];

	table_row(table);
	label_cell(t, table, G_FROM, g->from, "(thread start)");
	label_cell(t, table, G_TO, g->to, "(thread end)");
	numbers_count(text, sizeof(text), g->calls);
	table_cell(table, G_COUNT, text);
	text_cell_mean(t, table, G_MEAN, &g->estimate);
	text_cell_duration(t, table, G_TOTAL, g->total_ns);
	numbers_share(text, sizeof(text), g->share);
	table_cell(table, G_SHARE, text);
	text_cell_duration(t, table, G_MAX, g->max_ns);
}

int text_others_gaps(struct text *t)
{
	struct report *r = t->report;
	struct table table;
	double shown_ns = 0;
	int status;

	table_begin(&table, gap_columns, NULL);
	for (uint32_t i = 0; i < r->gaps && i < t->top; i++) {
		add_gap(t, &table, &r->gap[i]);
		shown_ns += r->gap[i].total_ns;
	}
	status = table_print(&table, t->out, &t->terminal);
	table_end(&table);
	text_cell_rows_shown(t, r->gaps, shown_ns, r->gaps_ns, "the time between calls");
	return status;
}

enum {
	T_NAME,
	T_PID,
	T_TID,
	T_THREADS,
	T_TIME,
	T_CALLS,
	T_WAITING,
	T_GAPS,
	T_NESTED,
	T_RECORDING,
	T_REST,
	T_COUNT,
	T_END
};

static const struct table_column thread_columns[] = {
	[T_NAME] = {"THREAD", .least = 8, .style = TERMINAL_NAME},
	[T_PID] = {"PID", .right = true, .drop = 5},
	[T_TID] = {"TID", .right = true, .drop = 4},
	[T_THREADS] = {"SERVED", .right = true, .drop = 6},
	[T_TIME] = {"TIME", .right = true, .style = TERMINAL_BOLD},
	[T_CALLS] = {"IN CALLS", .right = true, .drop = 1},
	[T_WAITING] = {"WAITING", .right = true, .drop = 2},
	[T_GAPS] = {"BETWEEN", .right = true, .drop = 1},
	[T_NESTED] = {"NESTED", .right = true, .drop = 3},
	[T_RECORDING] = {"RECORDING", .right = true, .drop = 3},
	[T_REST] = {"LEFT OVER", .right = true, .drop = 2},
	[T_COUNT] = {"CALLS", .right = true, .drop = 2},
	[T_END] = {0},
};

static void number_cell(struct table *table, size_t column, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	table_cell(table, column, text);
}

int text_others_threads(struct text *t)
{
	struct report *r = t->report;
	struct table table;
	char text[32];
	double shown_ns = 0;
	int status;

	table_begin(&table, thread_columns, NULL);
	for (uint32_t i = 0; i < r->threads && i < t->top; i++) {
		const struct report_thread *in = &r->thread[i];

		table_row(&table);
		text_cell_put(t, &table, T_NAME, in->name);
		if (r->processes > 1)
			number_cell(&table, T_PID, in->pid);
		number_cell(&table, T_TID, in->tid);
		if (in->threads > 1)
			number_cell(&table, T_THREADS, in->threads);
		text_cell_duration(t, &table, T_TIME, in->time_ns);
		text_cell_duration(t, &table, T_CALLS, in->calls_ns);
		if (in->waiting_ns > 0)
			text_cell_duration(t, &table, T_WAITING, in->waiting_ns);
		text_cell_duration(t, &table, T_GAPS, in->gaps_ns);
		if (in->nested_ns > 0)
			text_cell_duration(t, &table, T_NESTED, in->nested_ns);
		if (in->recording_ns > 0)
			text_cell_duration(t, &table, T_RECORDING, in->recording_ns);
		text_cell_duration(t, &table, T_REST, in->remainder_ns);
		numbers_count(text, sizeof(text), in->calls);
		table_cell(&table, T_COUNT, text);
		shown_ns += in->time_ns;
	}
	status = table_print(&table, t->out, &t->terminal);
	table_end(&table);
	text_cell_rows_shown(t, r->threads, shown_ns, r->time_ns, "the threads' time");
	return status;
}

enum { P_PID, P_PROGRAM, P_FOLDED, P_WALL, P_ENDED, P_THREADS, P_CALLS, P_TIME, P_WAITING, P_END };

static const struct table_column process_columns[] = {
	[P_PID] = {"PID", .right = true},
	[P_PROGRAM] = {"PROGRAM", .least = 12, .style = TERMINAL_NAME},
	[P_FOLDED] = {"PROCESSES", .right = true, .drop = 3},
	[P_WALL] = {"WALL", .right = true, .drop = 1},
	[P_ENDED] = {"ENDED", .drop = 4},
	[P_THREADS] = {"THREADS", .right = true, .drop = 2},
	[P_CALLS] = {"CALLS", .right = true, .drop = 1},
	[P_TIME] = {"IN CALLS", .right = true, .style = TERMINAL_BOLD},
	[P_WAITING] = {"WAITING", .right = true, .drop = 1},
	[P_END] = {0},
};

int text_others_processes(struct text *t)
{
	struct report *r = t->report;
	struct table table;
	char text[32];
	double shown_ns = 0;
	int status;

	table_begin(&table, process_columns, NULL);
	for (uint32_t i = 0; i < r->processes && i < t->top; i++) {
		const struct report_process *in = &r->process[i];

		table_row(&table);
		number_cell(&table, P_PID, in->process->pid);
		text_cell_put(t, &table, P_PROGRAM, in->process->program);
		if (in->process->count > 1)
			number_cell(&table, P_FOLDED, in->process->count);
		text_cell_duration(t, &table, P_WALL, in->wall_s * 1e9);
		process_end_abbreviate(in->process, text, sizeof(text));
		table_cell(&table, P_ENDED, text);
		number_cell(&table, P_THREADS, in->threads);
		numbers_count(text, sizeof(text), in->calls);
		table_cell(&table, P_CALLS, text);
		text_cell_duration(t, &table, P_TIME, in->calls_ns);
		if (in->waiting_ns > 0)
			text_cell_duration(t, &table, P_WAITING, in->waiting_ns);
		shown_ns += in->calls_ns;
	}
	status = table_print(&table, t->out, &t->terminal);
	table_end(&table);
	text_cell_rows_shown(t, r->processes, shown_ns, r->calls_ns, "the calls' time");
	return status;
}
