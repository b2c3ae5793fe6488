// SPDX-License-Identifier: GPL-3.0-or-later
/* Several programs in one report: a list of them, a section for each that matters, and one line
 * for all the others. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/findings/findings.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define NAMED	   6 /* small programs that are named in their line */
#define ROWS_LEAST 5 /* of a section, unless --top says otherwise */

/* Lines of a screen. */
#define LIST_LINES    5 /* around the list of programs, and for the others */
#define SECTION_HEAD  2 /* a blank one, and the command */
#define SECTION_LEAST 9 /* that a section needs to say something */

enum { PROGRAM, PROCESSES, WALL, CPU, CALLS, TIME, WAITING, COLUMNS };

static const struct table_column columns[] = {
	[PROGRAM] = {"PROGRAM", .least = 12, .style = TERMINAL_NAME},
	[PROCESSES] = {"PROCESSES", .right = true, .drop = 3},
	[WALL] = {"WALL", .right = true, .drop = 1},
	[CPU] = {"CPU", .right = true},
	[CALLS] = {"CALLS", .right = true, .drop = 1},
	[TIME] = {"IN CALLS", .right = true, .style = TERMINAL_BOLD},
	[WAITING] = {"WAITING", .right = true, .drop = 1},
	[COLUMNS] = {0},
};

/* Programs of one name are told apart by what executes them. */
static void name_cell(struct text *t, struct table *table, const struct report_program *p)
{
	const struct report *r = t->report;
	char *both = NULL;

	for (uint32_t i = 0; i < r->programs && !both; i++)
		if (&r->program[i] != p && !strcmp(r->program[i].name, p->name) &&
		    asprintf(&both, "%s (%s)", p->name, p->first->exe) < 0)
			both = NULL;
	text_cell_put(t, table, PROGRAM, both ? both : p->name);
	free(both);
}

static void add_program(struct text *t, struct table *table, const struct report_program *p)
{
	char text[32];

	table_row(table);
	name_cell(t, table, p);
	numbers_count(text, sizeof(text), p->processes);
	table_cell(table, PROCESSES, text);
	text_cell_duration(t, table, WALL, p->wall_s * 1e9);
	text_cell_duration(t, table, CPU, p->cpu_s * 1e9);
	numbers_count(text, sizeof(text), p->calls);
	table_cell(table, CALLS, text);
	text_cell_duration(t, table, TIME, p->calls_ns);
	if (p->waiting_ns > 0)
		text_cell_duration(t, table, WAITING, p->waiting_ns);
}

static int compare_processes(const void *left, const void *right)
{
	const struct report_program *a = *(const struct report_program *const *)left,
				    *b = *(const struct report_program *const *)right;

	if (a->processes != b->processes)
		return a->processes > b->processes ? -1 : 1;
	return (a > b) - (a < b);
}

/* "bash 31, dirname 4": those with most processes. NULL: out of memory. */
static char *name_others(const struct report *r, uint32_t shown)
{
	uint32_t others = r->programs - shown;
	const struct report_program **order = calloc((size_t)others + 1, sizeof(*order));
	char *text = NULL;
	size_t bytes;
	FILE *memory = order ? open_memstream(&text, &bytes) : NULL;

	for (uint32_t i = 0; memory && i < others; i++)
		order[i] = &r->program[shown + i];
	if (memory)
		qsort(order, others, sizeof(struct report_program *), compare_processes);
	for (uint32_t i = 0; memory && i < others && i < NAMED; i++)
		fprintf(memory, "%s%s %" PRIu64, i ? ", " : "",
			order[i]->name[0] ? order[i]->name : "(no name)", order[i]->processes);
	if (memory && others > NAMED)
		fputs(", ...", memory);
	free(order);
	if (memory && fclose(memory) == 0)
		return text;
	free(text);
	return NULL;
}

/* What they took of the CPU time and of the calls' time, each where it is known. */
static char *describe_share(const struct report *r, uint32_t shown, char *out, size_t room)
{
	double calls_ns = 0, all_ns = 0, cpu_s = 0, all_s = 0;
	char calls[32], cpu[32];

	for (uint32_t i = 0; i < r->programs; i++) {
		all_ns += r->program[i].calls_ns;
		all_s += r->program[i].cpu_s;
		calls_ns += i < shown ? 0 : r->program[i].calls_ns;
		cpu_s += i < shown ? 0 : r->program[i].cpu_s;
	}
	numbers_share(calls, sizeof(calls), all_ns > 0 ? calls_ns / all_ns : NAN);
	numbers_share(cpu, sizeof(cpu), cpu_s / all_s);
	*out = '\0';
	if (all_s > 0)
		snprintf(out, room, ": %s of the CPU time", cpu);
	if (all_ns > 0)
		snprintf(out + strlen(out), room - strlen(out), "%s%s of the calls' time",
			 *out ? ", " : ": ", calls);
	return out;
}

/* All that have no section, in one line. */
static void print_others(struct text *t, uint32_t shown)
{
	const struct report *r = t->report;
	uint32_t others = r->programs - shown;
	char *names = others ? name_others(r, shown) : NULL, share[128];
	uint64_t processes = 0;

	for (uint32_t i = shown; i < r->programs; i++)
		processes += r->program[i].processes;
	if (names) {
		fputc('\n', t->out);
		text_cell_fact(t, "others",
			       "%" PRIu64 " process%s of %" PRIu32 " other program%s (%s)%s. "
			       "--program NAME shows one.",
			       processes, processes == 1 ? "" : "es", others,
			       others == 1 ? "" : "s", names,
			       describe_share(r, shown, share, sizeof(share)));
	}
	free(names);
}

static int print_list(struct text *t, uint32_t shown)
{
	const struct report *r = t->report;
	struct table table;
	int status;

	table_begin(&table, columns, NULL);
	for (uint32_t i = 0; i < shown; i++)
		add_program(t, &table, &r->program[i]);
	status = table_print(&table, t->out, &t->terminal);
	table_end(&table);
	return status;
}

/* One program: its command line, and its rows. */
static int print_section(struct text *t, uint32_t program, int (*table)(struct text *t))
{
	struct report view;
	struct text section = *t;
	char *command;
	int status;

	if (!t->report->program[program].calls)
		return 0;
	status = programs_view(&view, t->report, program);
	if (status == 0) {
		section.report = &view;
		command = report_head_command(&view);
		fputc('\n', t->out);
		text_cell_bold(t, command ? command : view.first->program);
		free(command);
		status = table(&section);
		programs_view_end(t->report, &view);
	}
	return status;
}

/* On a screen, as many as have room for a few rows each; the others are in the last line. All of
 * several runs, which somebody named. */
static uint32_t fit_sections(struct text *t, uint32_t shown)
{
	size_t warnings, taken;

	if (!t->lines || t->options->top != REPORT_TOP_DEFAULT)
		return shown;
	warnings = text_cell_lines(t, text_warnings_brief, false);
	for (;; shown--) {
		taken = warnings + shown + LIST_LINES;
		size_t left = t->lines > taken ? t->lines - taken : 0;

		if (shown <= 1 || t->report->runs > 1 || left / shown >= SECTION_LEAST) {
			left /= shown ? shown : 1;
			t->lines = (left > SECTION_HEAD ? left - SECTION_HEAD : 0) + warnings;
			return shown;
		}
	}
}

int text_programs(struct text *t, int (*table)(struct text *t))
{
	uint32_t top = t->top, shown = fit_sections(t, programs_shown(t->report));
	int status = print_list(t, shown);

	if (t->options->top == REPORT_TOP_DEFAULT && shown)
		t->top = top / shown > ROWS_LEAST ? top / shown : ROWS_LEAST;
	for (uint32_t i = 0; status == 0 && i < shown; i++)
		status = print_section(t, i, table);
	t->top = top;
	print_others(t, shown);
	return status;
}
