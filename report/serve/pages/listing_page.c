// SPDX-License-Identifier: GPL-3.0-or-later
/* One line a profile. Those of processes that run are in the table of processes. */
#include "report/serve/pages/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"
#include "report/wording/numbers.h"

#define COLUMNS                                                                                    \
	(1u << INDEX_PROGRAM | 1u << INDEX_STATE | 1u << INDEX_CALLS | 1u << INDEX_STARTED |       \
	 1u << INDEX_PID)

static const char *state_of(const struct listed *f)
{
	if (f->state == LISTED_WAITS)
		return "not read yet";
	if (f->state == LISTED_REFUSED)
		return source_fault_words[f->fault];
	return f->live ? "running" : f->ended;
}

static uint64_t number_of(const struct listed *f, enum index_column column)
{
	if (f->state != LISTED_READ)
		return 0;
	return column == INDEX_CALLS ? f->calls : column == INDEX_PID ? f->pid : f->start_real_ns;
}

/* What could not be read comes last in any order; else, among equals, what is newer first. */
static int compare(const void *left, const void *right, void *to)
{
	const struct listed *const *first = left, *const *second = right, *a = *first, *b = *second;
	const struct index_order *o = to;
	uint64_t x = number_of(a, o->column), y = number_of(b, o->column);
	int by;

	if ((a->state == LISTED_READ) != (b->state == LISTED_READ))
		return a->state == LISTED_READ ? -1 : 1;
	if (a->state != LISTED_READ)
		return strcmp(a->path, b->path);
	if (o->column == INDEX_PROGRAM)
		by = strcmp(a->program, b->program);
	else if (o->column == INDEX_STATE)
		by = strcmp(state_of(a), state_of(b));
	else
		by = (x < y) - (x > y);
	if (by)
		return o->reversed ? -by : by;
	if (a->start_real_ns != b->start_real_ns)
		return a->start_real_ns > b->start_real_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

static void put_program(FILE *out, const struct listed *f)
{
	fputs("<tr><td>", out);
	if (f->state == LISTED_READ) {
		fputs("<bdi class=name><a href=\"/profile?file=", out);
		index_write_escaped(out, f->path);
		fputs("\">", out);
		index_write_text(out, f->program);
		fputs("</a></bdi>", out);
	}
	fputs("<bdi class=caller title=\"", out);
	index_write_text(out, f->path);
	fputs("\">", out);
	index_write_text(out, base_name(f->path));
	fputs("</bdi></td>", out);
}

static void put_file(FILE *out, const struct listed *f)
{
	bool known = f->state == LISTED_READ;
	char calls[32] = "\u2013", pid[32] = "\u2013";

	if (known) {
		numbers_count(calls, sizeof(calls), f->calls);
		snprintf(pid, sizeof(pid),
			 f->processes > 1 ? "%" PRIu32 " and %" PRIu64 " more" : "%" PRIu32, f->pid,
			 f->processes - 1);
	}
	put_program(out, f);
	fprintf(out, "<td>%s</td><td class=number>%s</td>", state_of(f), calls);
	index_head_started(out, known ? f->start_real_ns : 0);
	fprintf(out, "<td class=number>%s</td></tr>\n", pid);
}

/* A process of it is in the table of processes. */
static bool is_followed(const struct agent *a, const struct listed *f)
{
	const struct source *s;

	if (f->state != LISTED_READ || !f->live)
		return false;
	for (s = a->sources; s; s = s->hh.next)
		if (s->alive && s->service && !strcmp(s->path, f->path))
			return true;
	return false;
}

int listing_page_print(const struct agent *a, const struct index_order *order, FILE *out)
{
	const struct listing *l = &a->listing;
	const struct listed **file = calloc(l->files + 1, sizeof(*file));
	struct index_order by = *order;
	size_t count = 0;

	if (!file)
		return -1;
	for (size_t i = 0; i < l->files; i++)
		if (!is_followed(a, &l->file[i]))
			file[count++] = &l->file[i];
	qsort_r(file, count, sizeof(*file), compare, &by);
	if (count) {
		fputs("<section><h2>Finished profiles</h2>\n", out);
		index_head_table(out, "profiles", order, COLUMNS);
	}
	for (size_t i = 0; i < count; i++)
		put_file(out, file[i]);
	if (count)
		fputs("</table></div>\n", out);
	if (count && l->beyond)
		fprintf(out, "<p class=note>and %" PRIu64 " more, which are older</p>\n",
			l->beyond);
	if (count)
		fputs("</section>\n", out);
	free(file);
	return 0;
}
