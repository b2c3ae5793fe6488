// SPDX-License-Identifier: GPL-3.0-or-later
/* The tables of processes and of finished profiles on the page /. One query sorts both: a column
 * that a table does not have leaves it as it is. What is not known comes last in any order. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks_read.h"
#include "profile/base/array.h"
#include "report/serve/pages/index.h"
#include "report/report.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

/* The value of a parameter of an address. */
static void write_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80 && isalnum(c))
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}

void index_write_text(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	utf8_write_markup(out, text);
	fputs(after, out);
}

void index_write_link(FILE *out, const char *page, const char *service, uint32_t clock,
		      const char *more, const char *words)
{
	fprintf(out, "<a href=\"%s?service=", page);
	write_escaped(out, service);
	fprintf(out, "&amp;clock=%s%s", report_names_clock(clock), more);
	index_write_text(out, "\">", words, "</a>");
}

#define ROWS_MOST 500
#define UNKNOWN	  UINT64_MAX
#define OF(name)  (1u << INDEX_##name)

static const struct {
	const char *title, *words; /* words: what a click does */
} columns[INDEX_COLUMNS] = {
	[INDEX_PROGRAM] = {"Program", "by name"}, [INDEX_PID] = {"Process id", "by number"},
	[INDEX_STATE] = {"State", "by state"},	  [INDEX_STARTED] = {"Started, UTC", "by time"},
	[INDEX_WALL] = {"Wall time", "by time"},  [INDEX_CALLS] = {"Calls", "by number"},
	[INDEX_CPU] = {"CPU time", "by time"},
};

struct line {
	const char
		*word[INDEX_STATE + 1]; /* of the columns that are words; program NULL: unknown */
	uint64_t number[INDEX_COLUMNS]; /* of the others */
	const char *path;
	uint32_t clock; /* of the link to a service; NONE: no link */
	uint64_t more;	/* processes of a profile, besides the first */
};

struct lines {
	struct line *line;
	size_t count;
	unsigned columns; /* a bit for each */
	bool files;	  /* names are shown, and lead to profiles */
};

static bool is_text(unsigned column)
{
	return column <= INDEX_STATE;
}

static int compare(const void *left, const void *right, void *to)
{
	const struct line *a = left, *b = right;
	const struct index_order *o = to;
	const uint64_t *x = a->number, *y = b->number;
	int by = ARRAY_ORDER(y[o->column], x[o->column]);

	if (!a->word[INDEX_PROGRAM] != !b->word[INDEX_PROGRAM])
		return a->word[INDEX_PROGRAM] ? -1 : 1;
	if (a->word[INDEX_PROGRAM] && is_text(o->column))
		by = strcmp(a->word[o->column], b->word[o->column]);
	else if ((x[o->column] == UNKNOWN) != (y[o->column] == UNKNOWN))
		return x[o->column] == UNKNOWN ? 1 : -1;
	if (by)
		return o->reversed ? -by : by;
	return ARRAY_ORDER(y[INDEX_STARTED], x[INDEX_STARTED]) ?: strcmp(a->path, b->path);
}

static void put_head(FILE *out, const struct index_order *o, unsigned i)
{
	bool here = o->column == i, down = is_text(i) == o->reversed;

	fprintf(out, "<th scope=col%s%s><a href=\"/?sort=%s%s\" title=\"sort %s\">%s%s</a>",
		is_text(i) ? "" : " class=number",
		!here  ? ""
		: down ? " aria-sort=descending"
		       : " aria-sort=ascending",
		here && !o->reversed ? "-" : "", index_column_names[i], columns[i].words,
		columns[i].title,
		!here  ? ""
		: down ? " \u25be"
		       : " \u25b4");
}

static void put_program(FILE *out, const struct line *l, bool files)
{
	const char *program = l->word[INDEX_PROGRAM];

	fputs("<tr><td>", out);
	if (program) {
		fputs("<bdi class=name>", out);
		if (files) {
			fputs("<a href=\"/profile?file=", out);
			write_escaped(out, l->path);
			index_write_text(out, "\">", program, "</a>");
		} else if (l->clock) {
			index_write_link(out, "/service", program, l->clock, "", program);
		} else {
			utf8_write_markup(out, program);
		}
		fputs("</bdi>", out);
	}
	if (files) {
		index_write_text(out, "<bdi class=caller title=\"", l->path, "\">");
		index_write_text(out, "", base_name(l->path), "</bdi>");
	}
	fputs("</td>", out);
}

static void put_number(FILE *out, const struct line *l, unsigned column)
{
	uint64_t n = l->number[column];
	time_t seconds = (time_t)(n / UINT64_C(1000000000));
	struct numbered text = {"\u2013"};
	struct tm parts;

	if (n == UNKNOWN)
		;
	else if (column == INDEX_CALLS)
		text = numbered_count(n);
	else if (column == INDEX_PID)
		text = numbered_text(l->more ? "%" PRIu64 " and %" PRIu64 " more" : "%" PRIu64, n,
				     l->more);
	else if (column != INDEX_STARTED)
		text = numbered_duration((double)n, true);
	else if (gmtime_r(&seconds, &parts))
		strftime(text.text, sizeof(text.text), "%F %T", &parts);
	fprintf(out, "<td class=number>%s</td>", text.text);
}

static void put_line(FILE *out, const struct lines *all, const struct line *l)
{
	const char *state = l->word[INDEX_STATE];

	put_program(out, l, all->files);
	if (all->files)
		fprintf(out, "<td>%s</td>", state);
	else
		fprintf(out, "<td><span class=\"state %s\">%s</span></td>", state, state);
	for (unsigned i = 0; i < INDEX_COLUMNS; i++)
		if (!is_text(i) && all->columns >> i & 1)
			put_number(out, l, i);
	fputs("</tr>\n", out);
}

static void put_table(FILE *out, struct lines *all, const char *id, const struct index_order *order)
{
	struct index_order by = *order;

	if (!all->count)
		return;
	qsort_r(all->line, all->count, sizeof(*all->line), compare, &by);
	fprintf(out, "<div class=scroll-x><table id=%s><thead><tr>", id);
	for (unsigned i = 0; i < INDEX_COLUMNS; i++)
		if (all->columns >> i & 1)
			put_head(out, order, i);
	fputs("</tr></thead>\n", out);
	for (size_t i = 0; i < all->count && i < ROWS_MOST; i++)
		put_line(out, all, &all->line[i]);
	fputs("</table></div>\n", out);
	if (all->count > ROWS_MOST)
		fprintf(out, "<p class=note>and %zu more</p>\n", all->count - ROWS_MOST);
}

static uint64_t known(uint64_t value)
{
	return value ? value : UNKNOWN;
}

/* The profile's figure is as old as its last new path: the kernel knows that of a living one. */
static uint64_t cpu_of(const struct source *s)
{
	clockid_t clock;

	if (!s->alive)
		return s->figures.cpu_ns;
	return clock_getcpuclockid((pid_t)s->identity.pid, &clock) ? UNKNOWN
								   : clocks_read_ns(clock);
}

static struct line process_line(const struct source *s)
{
	uint64_t start = s->identity.start_mono_ns, now = clocks_read_ns(CLOCK_MONOTONIC_RAW);

	return (struct line){.word = {s->service->name, s->alive ? "live" : "ended"},
			     .path = s->path,
			     .clock = s->figures.calls ? s->clock : SCP_CLOCK_NONE,
			     .number = {[INDEX_PID] = s->identity.pid,
					[INDEX_STARTED] = known(s->identity.start_real_ns),
					[INDEX_WALL] = known(!s->alive ? s->figures.wall_ns
							     : start && start < now ? now - start
										    : 0),
					[INDEX_CALLS] = s->figures.calls,
					[INDEX_CPU] = cpu_of(s)}};
}

static bool is_process(const struct source *s)
{
	return (s->state == SOURCE_FOLLOWED || s->state == SOURCE_ENDED) && !source_is_finished(s);
}

/* A process that ended without a call is only counted: shells start many such. */
int index_tables_processes(const struct agent *a, const struct index_order *order, FILE *out)
{
	struct lines all = {.line = calloc((size_t)HASH_COUNT(a->sources) + 1, sizeof(struct line)),
			    .columns = (1u << INDEX_COLUMNS) - 1};
	size_t silent = 0;

	if (!all.line)
		return -1;
	for (const struct source *s = a->sources; s; s = s->hh.next)
		if (is_process(s) && (s->alive || s->figures.calls))
			all.line[all.count++] = process_line(s);
		else
			silent += is_process(s);
	if (all.count || silent)
		fputs("<section><h2>Processes</h2>\n", out);
	put_table(out, &all, "processes", order);
	if (silent)
		fprintf(out, "<p class=note>%zu process%s ended without a recorded call.</p>\n",
			silent, silent == 1 ? "" : "es");
	if (all.count || silent)
		fputs("</section>\n", out);
	free(all.line);
	return 0;
}

static struct line profile_line(const struct source *s)
{
	if (!source_is_finished(s))
		return (struct line){
			.word = {NULL, source_faults[s->fault].words},
			.path = s->path,
			.number = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN}};
	return (struct line){.word = {s->program, s->figures.ended},
			     .path = s->path,
			     .more = s->figures.processes - 1,
			     .number = {[INDEX_PID] = s->identity.pid,
					[INDEX_STARTED] = known(s->identity.start_real_ns),
					[INDEX_CALLS] = s->figures.calls}};
}

/* Regular files; links and the like are nobody's profiles. */
static bool is_refused(const struct source *s)
{
	return s->listed && s->state == SOURCE_REFUSED && s->fault >= SOURCE_FAULT_OWNER;
}

int index_tables_profiles(const struct agent *a, const struct index_order *order, FILE *out)
{
	struct lines all = {.line = calloc((size_t)HASH_COUNT(a->sources) + 1, sizeof(struct line)),
			    .columns = OF(PROGRAM) | OF(STATE) | OF(CALLS) | OF(STARTED) | OF(PID),
			    .files = true};

	if (!all.line)
		return -1;
	for (const struct source *s = a->sources; s; s = s->hh.next)
		if (source_is_finished(s) || is_refused(s))
			all.line[all.count++] = profile_line(s);
	if (all.count)
		fputs("<section><h2>Finished profiles</h2>\n", out);
	put_table(out, &all, "profiles", order);
	if (all.count)
		fputs("</section>\n", out);
	free(all.line);
	return 0;
}
