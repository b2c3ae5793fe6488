// SPDX-License-Identifier: GPL-3.0-or-later
/* The short table of sites: as many rows as fit the screen, those that work before those that wait.
 * Calls of start-up, made once or twice, are one line; so is what is not shown. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define ONCE_CALLS 2	/* a one-off is called no more often */
#define ONCE_SHARE 0.01 /* and takes less than this */
#define ROWS_LEAST 3	/* however low the screen is */
#define NAMES_MOST 3
#define LITTLE	   0.001 /* a share of time that is not worth a word beside another */

struct rows {
	uint32_t *row; /* sites that may be shown: those that work, then those that wait */
	uint32_t works, waits;
	uint32_t works_much, waits_much; /* that are not little */
	uint32_t works_shown, waits_shown;
	/* one-offs */
	uint32_t once;
	double once_ns, once_waiting_ns;
	uint32_t *once_of; /* by function */
};

static bool is_once(const struct report_site *s)
{
	double share = s->waits ? s->waiting_share : s->share;

	return s->calls <= ONCE_CALLS && !s->overflow && !(share >= ONCE_SHARE);
}

/* A single one takes as much room folded. */
static bool folds(const struct text *t)
{
	uint32_t once = 0;

	if (t->options->top != REPORT_TOP_DEFAULT)
		return false;
	for (uint32_t i = report_next_filled(t->report, 0); i < t->report->sites && once < 2;
	     i = report_next_filled(t->report, i + 1))
		once += is_once(&t->report->site[i]);
	return once > 1;
}

static void fold_one(struct rows *rows, const struct report_site *s)
{
	rows->once++;
	rows->once_of[s->function]++;
	if (s->waits)
		rows->once_waiting_ns += s->total_ns;
	else
		rows->once_ns += fmax(s->outer_ns, 0);
}

static void count_row(struct rows *rows, const struct report_site *s)
{
	if (s->waits) {
		rows->waits++;
		rows->waits_much += s->waiting_share >= LITTLE;
	} else {
		rows->works++;
		rows->works_much += s->share >= LITTLE;
	}
}

/* -1: out of memory. Either way to be freed. */
static int collect(struct rows *rows, struct text *t)
{
	const struct report *r = t->report;
	uint32_t most = r->sites < 2 * (uint64_t)r->kept ? r->sites : 2 * r->kept;
	bool fold = folds(t);

	memset(rows, 0, sizeof(*rows));
	rows->row = calloc((size_t)most + 1, sizeof(*rows->row));
	rows->once_of = calloc((size_t)r->profile->functions + 1, sizeof(*rows->once_of));
	if (!rows->row || !rows->once_of)
		return -1;
	for (uint32_t i = report_next_filled(r, 0); i < r->sites;
	     i = report_next_filled(r, i + 1)) {
		if (fold && is_once(&r->site[i])) {
			fold_one(rows, &r->site[i]);
			continue;
		}
		rows->row[rows->works + rows->waits] = i;
		count_row(rows, &r->site[i]);
	}
	return 0;
}

static uint32_t beyond(uint32_t most, uint32_t needed)
{
	return most > needed ? most - needed : 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A quarter of them for what waits, and what the others do not need; a row of little work is no
 * need where one waited for much. */
static void choose(struct rows *rows, uint32_t most)
{
	uint32_t quarter = most > 2 && most < 4 ? 1 : most / 4;
	uint32_t much = beyond(most, larger(rows->works_much, 1));
	uint32_t waits = larger(beyond(most, rows->works), quarter);

	waits = larger(waits, much < rows->waits_much ? much : rows->waits_much);

	rows->waits_shown = rows->waits < waits ? rows->waits : waits;
	most -= rows->waits_shown;
	rows->works_shown = rows->works < most ? rows->works : most;
}

static void add_row(struct text *t, struct table *table, uint32_t site, const unsigned char *mark)
{
	const struct report_site *s = &t->report->site[site];

	text_sites_row(t, table, site);
	if (t->report->by == REPORT_BY_FUNCTION && !s->frames)
		return;
	text_sites_folded(t, table, s);
	if (t->options->frames == REPORT_FRAMES_DEFAULT)
		text_path_line(t, table, s, mark);
	else
		text_path_notes(t, table, s, mark, t->options->frames);
}

/* The table of what is chosen. -1: out of memory. Either way to be ended. */
static int make_table(struct text *t, struct table *table, struct rows *rows)
{
	uint32_t shown = rows->works_shown + rows->waits_shown;
	struct text_apart apart;
	int status;

	memmove(rows->row + rows->works_shown, rows->row + rows->works,
		rows->waits_shown * sizeof(*rows->row));
	text_sites_begin(t, table);
	status = text_shared_callers_begin(&apart, t->report, rows->row, shown);
	for (uint32_t i = 0; status == 0 && i < shown; i++) {
		if (i == rows->works_shown)
			text_sites_waiting(table);
		add_row(t, table, rows->row[i], apart.mark[i]);
	}
	text_shared_callers_end(&apart);
	return status;
}

/* "1.2 ms, 3.4 % of the work; 5.6 s, 7.8 % of the time waiting". */
static void describe_time(const struct text *t, double work_ns, double waiting_ns, char *out,
			  size_t room)
{
	const struct report *r = t->report;
	char time[32], share[32], work[96] = "", waiting[96] = "";

	numbers_duration(time, sizeof(time), work_ns, t->terminal.utf8);
	numbers_share(share, sizeof(share), r->net_ns > 0 ? work_ns / r->net_ns : NAN);
	if (work_ns > 0)
		snprintf(work, sizeof(work), "%s, %s of the work", time, share);
	numbers_duration(time, sizeof(time), waiting_ns, t->terminal.utf8);
	numbers_share(share, sizeof(share), r->time_ns > 0 ? waiting_ns / r->time_ns : NAN);
	if (waiting_ns > 0 && !(work_ns > 0 && waiting_ns < LITTLE * r->time_ns))
		snprintf(waiting, sizeof(waiting), "%s, %s of the time, waiting", time, share);
	snprintf(out, room, "%s%s%s", work, *work && *waiting ? "; " : "", waiting);
}

/* "close 9, open64 4, socket 4, ...": the most frequent first. */
static void name_once(const struct text *t, struct rows *rows, char *out, size_t room)
{
	const struct profile *p = t->report->profile;
	size_t used = 0;
	uint32_t left = rows->once;

	for (int named = 0; left && named < NAMES_MOST; named++) {
		uint32_t best = 0;

		for (uint32_t f = 1; f < p->functions; f++)
			best = rows->once_of[f] > rows->once_of[best] ? f : best;
		used += (size_t)snprintf(out + used, room - used, "%s%.40s %" PRIu32,
					 named ? ", " : "", p->function[best].name,
					 rows->once_of[best]);
		left -= rows->once_of[best];
		rows->once_of[best] = 0;
	}
	if (left)
		snprintf(out + used, room - used, ", others %" PRIu32, left);
}

static void print_once(struct text *t, struct rows *rows)
{
	char names[NAMES_MOST * 64 + 32] = "", time[192];

	if (!rows->once)
		return;
	name_once(t, rows, names, sizeof(names));
	describe_time(t, rows->once_ns, rows->once_waiting_ns, time, sizeof(time));
	text_cell_say(t, TERMINAL_DIM, "  + ", 4, "%" PRIu32 " rows called once or twice: %s: %s",
		      rows->once, names, time);
}

static void print_rest(struct text *t, const struct rows *rows)
{
	const struct report *r = t->report;
	uint32_t shown = rows->works_shown + rows->waits_shown,
		 left = r->sites + r->beyond - shown - rows->once;
	double work_ns = r->net_ns - rows->once_ns,
	       waiting_ns = r->net_waiting_ns - rows->once_waiting_ns;
	char time[192];

	for (uint32_t i = 0; i < shown; i++) {
		const struct report_site *s = &r->site[rows->row[i]];

		if (s->waits)
			waiting_ns -= fmax(s->total_ns, 0);
		else
			work_ns -= fmax(s->outer_ns, 0);
	}
	if (!left)
		return;
	describe_time(
		t,
		rows->works_shown < rows->works || r->kept < r->working || r->beyond ? work_ns : 0,
		rows->waits_shown < rows->waits || r->kept < r->sites - r->working || r->beyond
			? waiting_ns
			: 0,
		time, sizeof(time));
	text_cell_say(t, TERMINAL_DIM, "  + ", 4,
		      "%" PRIu32 " more row%s: %s. All: --full, or --top 0", left,
		      left == 1 ? "" : "s", time);
}

static void print_legend(struct text *t, const struct rows *rows)
{
	unsigned marks = 0;

	for (uint32_t i = 0; i < rows->works_shown + rows->waits_shown; i++)
		marks |= text_sites_marks(&t->report->site[rows->row[i]]);
	if (!marks)
		return;
	text_cell_say(t, TERMINAL_DIM, "  ", 4, "%s",
		      marks == TEXT_DOUBT  ? "! the interval may be wrong (--full: why)"
		      : marks == TEXT_NOTE ? "~ the mean hides something (--full: what)"
					   : "! the interval may be wrong, ~ the mean hides "
					     "something (--full: why)");
}

static bool notes_beside(struct text *t, struct rows *rows, bool *beside)
{
	struct table table;
	bool made = make_table(t, &table, rows) == 0 && !table.failed;

	*beside = made && table_notes_beside(&table, &t->terminal);
	table_end(&table);
	return made;
}

/* Rows that find room in `lines`. What is found out about modules when names are looked up may
 * become a warning, which takes a line. -1: out of memory. */
static int fit(struct text *t, struct rows *rows, size_t lines, uint32_t *most)
{
	struct rows all = *rows;
	size_t taken, each = 1;
	bool beside;
	int status = 0;

	choose(&all, (uint32_t)lines);
	all.row = malloc(((size_t)rows->works + rows->waits + 1) * sizeof(*all.row));
	if (all.row)
		memcpy(all.row, rows->row, ((size_t)rows->works + rows->waits) * sizeof(*all.row));
	if (!all.row || !notes_beside(t, &all, &beside))
		status = -1;
	free(all.row);
	if (status < 0)
		return -1;
	if (!beside && (t->report->by != REPORT_BY_FUNCTION || t->report->caller))
		each = t->options->frames == REPORT_FRAMES_DEFAULT ? 2 : t->options->frames + 1u;
	/* blank lines and headings of the table, and the lines below it */
	taken = 2 + (rows->waits ? 2 : 0) + (rows->once ? 1 : 0) + 2 +
		text_cell_lines(t, text_warnings_brief, false);
	lines = lines > taken ? (lines - taken) / each : 0;
	*most = lines < ROWS_LEAST ? ROWS_LEAST : (uint32_t)lines;
	return 0;
}

static int print(struct text *t, struct rows *rows)
{
	struct table table;
	int status = make_table(t, &table, rows);

	if (status == 0)
		status = table_print(&table, t->out, &t->terminal);
	table_end(&table);
	if (status == 0) {
		print_once(t, rows);
		print_rest(t, rows);
		print_legend(t, rows);
	}
	return status;
}

int text_rows(struct text *t)
{
	struct rows rows;
	uint32_t most = t->top;
	int status = collect(&rows, t);

	if (status == 0 && t->options->top == REPORT_TOP_DEFAULT)
		status = fit(t, &rows, t->lines, &most);
	if (status == 0) {
		choose(&rows, most);
		status = print(t, &rows);
	}
	free(rows.row);
	free(rows.once_of);
	return status;
}
