// SPDX-License-Identifier: GPL-3.0-or-later
/* One row a process whose file is there. What is not known comes last in any order. */
#include "report/serve/pages/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks_read.h"
#include "report/wording/numbers.h"

#define ROWS_MOST 200
#define UNKNOWN	  UINT64_MAX

struct line {
	const struct source *source;
	uint64_t number[INDEX_COLUMNS]; /* UNKNOWN; of words nothing */
};

static const char *state_of(const struct source *s)
{
	return s->alive ? "live" : "ended";
}

static uint64_t wall_of(const struct source *s, uint64_t now)
{
	uint64_t start = s->identity.start_real_ns;

	if (s->alive)
		return start && start < now ? now - start : UNKNOWN;
	return s->figures.wall_ns ? s->figures.wall_ns : UNKNOWN;
}

/* What a profile says of it is as old as its last new path. */
static uint64_t cpu_of(const struct source *s)
{
	struct timespec t;
	clockid_t clock;

	if (!s->alive)
		return s->figures.cpu_ns;
	if (clock_getcpuclockid((pid_t)s->identity.pid, &clock) || clock_gettime(clock, &t))
		return UNKNOWN;
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static struct line line_of(const struct source *s, uint64_t now)
{
	struct line l = {.source = s};

	l.number[INDEX_PID] = s->identity.pid;
	l.number[INDEX_STARTED] = s->identity.start_real_ns ? s->identity.start_real_ns : UNKNOWN;
	l.number[INDEX_WALL] = wall_of(s, now);
	l.number[INDEX_CALLS] = s->figures.calls;
	l.number[INDEX_CPU] = cpu_of(s);
	return l;
}

static int compare_words(const struct line *a, const struct line *b, enum index_column column)
{
	return column == INDEX_STATE
		       ? strcmp(state_of(b->source), state_of(a->source)) /* live first */
		       : strcmp(a->source->service->name, b->source->service->name);
}

static int compare(const void *left, const void *right, void *to)
{
	const struct line *a = left, *b = right;
	const struct index_order *o = to;
	uint64_t x = a->number[o->column], y = b->number[o->column];
	int sign = o->reversed ? -1 : 1, by;

	if (index_head_is_text(o->column)) {
		by = sign * compare_words(a, b, o->column);
	} else {
		if ((x == UNKNOWN) != (y == UNKNOWN))
			return x == UNKNOWN ? 1 : -1;
		by = sign * ((x < y) - (x > y));
	}
	if (by)
		return by;
	if (a->source->identity.pid != b->source->identity.pid)
		return a->source->identity.pid < b->source->identity.pid ? -1 : 1;
	return strcmp(a->source->path, b->source->path);
}

static void put_duration(FILE *out, uint64_t ns)
{
	char text[32] = "\u2013";

	if (ns != UNKNOWN)
		numbers_duration(text, sizeof(text), (double)ns, true);
	fprintf(out, "<td class=number>%s</td>", text);
}

static void put_line(FILE *out, const struct line *l)
{
	const struct source *s = l->source;
	char calls[32];

	numbers_count(calls, sizeof(calls), l->number[INDEX_CALLS]);
	fputs("<tr><td><bdi class=name>", out);
	if (s->clock && l->number[INDEX_CALLS])
		index_write_link(out, "/service", s->service->name, s->clock, "", s->service->name);
	else
		index_write_text(out, s->service->name);
	fprintf(out,
		"</bdi></td><td><span class=\"state %s\">%s</span></td><td class=number>%s</td>",
		state_of(s), state_of(s), calls);
	put_duration(out, l->number[INDEX_CPU]);
	put_duration(out, l->number[INDEX_WALL]);
	index_head_started(out, s->identity.start_real_ns);
	fprintf(out, "<td class=number>%" PRIu32 "</td></tr>\n", s->identity.pid);
}

static bool is_counted(const struct source *s)
{
	return s->service && (s->state == SOURCE_FOLLOWED || s->state == SOURCE_ENDED);
}

/* Finished, and its file has a line in the list of profiles. */
static bool is_listed(const struct agent *a, const struct source *s)
{
	const struct listed *f = s->alive ? NULL : listing_find(&a->listing, s->path);

	return f && f->state == LISTED_READ;
}

/* What ended without a call is counted only: shells start many such. */
static void put_table(FILE *out, struct line *line, size_t count, size_t silent,
		      const struct index_order *order)
{
	struct index_order by = *order;

	qsort_r(line, count, sizeof(*line), compare, &by);
	fputs("<section><h2>Processes</h2>\n", out);
	if (count)
		index_head_table(out, "processes", order, INDEX_ALL_COLUMNS);
	for (size_t i = 0; i < count && i < ROWS_MOST; i++)
		put_line(out, &line[i]);
	if (count)
		fputs("</table></div>\n", out);
	if (count > ROWS_MOST)
		fprintf(out, "<p class=note>and %zu more</p>\n", count - ROWS_MOST);
	if (silent)
		fprintf(out, "<p class=note>%zu process%s ended without a recorded call.</p>\n",
			silent, silent == 1 ? "" : "es");
	fputs("</section>\n", out);
}

int index_processes_print(const struct agent *a, const struct index_order *order, FILE *out)
{
	struct line *line = calloc((size_t)HASH_COUNT(a->sources) + 1, sizeof(*line));
	uint64_t now = clocks_read_ns(CLOCK_REALTIME);
	size_t count = 0, silent = 0;

	if (!line)
		return -1;
	for (const struct source *s = a->sources; s; s = s->hh.next)
		if (is_listed(a, s))
			continue;
		else if (is_counted(s) && (s->alive || s->figures.calls))
			line[count++] = line_of(s, now);
		else
			silent += is_counted(s);
	if (count || silent)
		put_table(out, line, count, silent, order);
	free(line);
	return 0;
}
