// SPDX-License-Identifier: GPL-3.0-or-later
/* A comparison for people: the verdict first, one table, and the warnings. */
#include "report/compare/diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/render/text/text.h"

#define TOP_DEFAULT    20
#define FRAMES_DEFAULT 4

enum { FUNCTION, OUTCOME, CALLS_BASE, CALLS_NEW, MEAN_BASE, MEAN_NEW, CPU_BASE, CPU_NEW };
enum { CHANGE = CPU_NEW + 1, VERDICT, COLUMNS };

static const struct table_column columns[] = {
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	[OUTCOME] = {"OUTCOME", .drop = 3},
	[CALLS_BASE] = {"CALLS", .right = true, .drop = 7},
	[CALLS_NEW] = {"CALLS NEW", .right = true, .drop = 7},
	[MEAN_BASE] = {"MEAN", .right = true, .drop = 5},
	[MEAN_NEW] = {"MEAN NEW", .right = true, .drop = 5},
	[CPU_BASE] = {"CPU", .right = true, .drop = 6},
	[CPU_NEW] = {"CPU NEW", .right = true, .drop = 6},
	[CHANGE] = {"CHANGE", .right = true, .drop = 4, .style = TERMINAL_BOLD},
	[VERDICT] = {.title = "VERDICT"},
	[COLUMNS] = {0},
};

static void calls_cell(struct table *table, size_t column, double calls, double rate)
{
	table_cell(table, column,
		   isnan(rate) ? numbered_count((uint64_t)llround(calls)).text
			       : numbered_digits(rate, 3).text);
}

static void number_cells(struct text *t, struct table *table, const struct diff_site *s)
{
	const struct diff_side *base = &s->side[DIFF_BASE], *new = &s->side[DIFF_NEW];
	const struct diff_test *shown = &s->verdict.shown;

	for (int i = 0; i < DIFF_SIDES; i++) {
		if (!s->side[i].calls)
			continue;
		calls_cell(table, i ? CALLS_NEW : CALLS_BASE, s->side[i].calls, s->rate.calls[i]);
		text_cell_duration(t, table, i ? MEAN_NEW : MEAN_BASE,
				   diff_shown_ns(s->side[i].ns));
	}
	if (isfinite(base->unswitched_ns) && isfinite(new->unswitched_ns)) {
		text_cell_duration(t, table, CPU_BASE, diff_shown_ns(base->unswitched_ns));
		text_cell_duration(t, table, CPU_NEW, diff_shown_ns(new->unswitched_ns));
	}
	if (s->verdict.status > DIFF_SAME)
		return;
	/* the means beside it are of elapsed time */
	table_print_cell(table, CHANGE, "%s%s",
			 diff_words_percent(shown->ratio, diff_words_unit(shown)).text,
			 diff_estimate_quantity(s->verdict.view) == DIFF_CPU_TIME ? " CPU" : "");
}

/* Where there is no room for all frames, the call site comes first. */
static void frame_notes(struct text *t, struct table *table, const struct diff *d,
			const struct diff_site *s, uint32_t lines)
{
	uint32_t frames = diff_path_frames(d, s);
	uint32_t first = frames > lines ? diff_path_site(d, s) : 0;
	uint32_t end = frames - first <= lines ? frames : first + lines;

	for (uint32_t i = first; i < end; i++)
		text_cell_note_of(t, table, diff_path_frame_line(d, s, i));
}

static void path_notes(struct text *t, struct table *table, const struct diff *d,
		       const struct diff_site *s)
{
	const struct words other = diff_words_other(d, s);

	if (*other.text)
		text_cell_note(t, table, "(%s)", other.text);
	if (s->rate.changed)
		text_cell_note(t, table, "(calls for each %.60s: %s)", d->options.per,
			       diff_words_percent(s->rate.ratio, 1.01).text);
	if (s->moved)
		table_note(table, "(its lines moved within their functions)");
}

static void add_site(struct text *t, struct table *table, const struct diff *d,
		     const struct diff_site *s)
{
	table_row(table);
	text_cell_put(t, table, FUNCTION, s->symbol);
	if (strcmp(s->outcome, "completed") != 0)
		table_cell(table, OUTCOME, s->outcome);
	number_cells(t, table, s);
	table_cell(table, VERDICT, diff_words(d, s).text);
	frame_notes(t, table, d, s,
		    d->options.frames == REPORT_FRAMES_DEFAULT ? FRAMES_DEFAULT
							       : d->options.frames);
	path_notes(t, table, d, s);
}

static void print_words(struct text *t, const char *lead, struct words words)
{
	if (*words.text)
		text_cell_say(t, TERMINAL_PLAIN, lead, strlen(lead), "%s", words.text);
}

static void print_head(struct text *t, const struct diff *d)
{
	bool utf8 = t->terminal.utf8;

	terminal_style(t->out, &t->terminal, TERMINAL_BOLD);
	print_words(t, "", diff_words_sides(d));
	print_words(t, "", diff_words_verdict(d));
	print_words(t, "", diff_words_per(d, utf8));
	terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
	text_cell_say(t, TERMINAL_PLAIN, "  ", 2,
		      "%" PRIu32 " run%s against %" PRIu32
		      "; of the changes reported, at most %.3g %% "
		      "are expected to be none; a change of less than %.3g %% is none",
		      d->bases, d->bases == 1 ? "" : "s", d->profiles - d->bases,
		      100 * (1 - d->options.confidence), 100 * d->options.min_change);
	for (int i = 0; i < 2 * DIFF_QUANTITIES; i++)
		print_words(t, "  ",
			    diff_words_common(d, i % DIFF_QUANTITIES, i / DIFF_QUANTITIES));
	if (d->sites)
		text_cell_say(t, TERMINAL_PLAIN, "  ", 2,
			      "time in all calls%s of an average run: %s, then %s",
			      d->any_waits ? " that do not wait" : "",
			      numbered_duration(d->side[DIFF_BASE].total_ns, utf8).text,
			      numbered_duration(d->side[DIFF_NEW].total_ns, utf8).text);
}

/* It would only fill the screen. */
static bool says_little(const struct diff *d, const struct diff_site *s)
{
	const struct diff_finding *f = &s->verdict;
	bool one_sided = f->status == DIFF_ONLY_BASE || f->status == DIFF_ONLY_NEW;
	bool few = f->status == DIFF_UNTESTED && f->reason &&
		   (!strcmp(f->reason, DIFF_FEW_CALLS) || !strcmp(f->reason, DIFF_FEW_TICKS));

	return !d->options.full && !s->rate.changed &&
	       (few || (one_sided && !s->counts && !s->much));
}

static int print_table(struct text *t, const struct diff *d)
{
	struct table table;
	uint32_t rows = 0, little = 0;

	table_begin(&table, columns, "CALLED FROM");
	for (uint32_t i = 0; i < d->sites && rows < t->top; i++)
		if (says_little(d, &d->site[i])) {
			little++;
		} else {
			add_site(t, &table, d, &d->site[i]);
			rows++;
		}
	int status = text_cell_end(t, &table);
	if (rows < d->sites)
		terminal_print(t->out, &t->terminal, TERMINAL_DIM,
			       "\n%" PRIu32 " of %" PRIu32 " rows%s. All: %s\n", rows, d->sites,
			       little ? "; of the others, many have too few calls to tell" : "",
			       little ? "--full --top 0" : "--top 0");
	return status;
}

enum { NAME, SHARE_BASE, SHARE_NEW, TIME_BASE, TIME_NEW, TIME_CHANGE, TIME_VERDICT };

static const struct table_column computing_columns[] = {
	[NAME] = {"COMPUTING", .least = 24, .style = TERMINAL_NAME},
	[SHARE_BASE] = {"SHARE", .right = true, .drop = 2},
	[SHARE_NEW] = {"SHARE NEW", .right = true, .drop = 2},
	[TIME_BASE] = {"CPU TIME", .right = true, .drop = 3},
	[TIME_NEW] = {"CPU NEW", .right = true, .drop = 3},
	[TIME_CHANGE] = {"CHANGE", .right = true, .drop = 1, .style = TERMINAL_BOLD},
	[TIME_VERDICT] = {.title = "VERDICT"},
	{0},
};

static void add_function(struct text *t, struct table *table, const struct diff *c,
			 const struct diff_site *s)
{
	const struct diff_test *shown = &s->verdict.shown;

	table_row(table);
	text_cell_print(t, table, NAME, "%s%s", s->brief ? s->brief : s->symbol,
			s->brief || !*s->library ? "" : " (no symbols)");
	for (int i = 0; i < DIFF_SIDES; i++) {
		if (!s->side[i].calls)
			continue;
		table_cell(table, i ? SHARE_NEW : SHARE_BASE,
			   numbered_share(s->side[i].share).text);
		text_cell_duration(t, table, i ? TIME_NEW : TIME_BASE, s->side[i].total_ns);
	}
	if (s->verdict.status <= DIFF_SAME)
		table_cell(table, TIME_CHANGE,
			   diff_words_percent(shown->ratio, diff_words_unit(shown)).text);
	table_cell(table, TIME_VERDICT, diff_words(c, s).text);
}

/* The functions with so few samples that nothing is known of them are left out. */
static int print_computing(struct text *t, const struct diff *c)
{
	struct table table;
	uint32_t rows = 0;

	if (!c || !c->sites)
		return 0;
	fputc('\n', t->out);
	text_cell_say(
		t, TERMINAL_BOLD, "", 2,
		"computing outside of calls, without recording by scprof, of an average run: %s of "
		"CPU time, then %s",
		numbered_duration(c->side[DIFF_BASE].total_ns, t->terminal.utf8).text,
		numbered_duration(c->side[DIFF_NEW].total_ns, t->terminal.utf8).text);
	table_begin(&table, computing_columns, NULL);
	for (uint32_t i = 0; i < c->sites && rows < t->top; i++)
		if (!says_little(c, &c->site[i])) {
			add_function(t, &table, c, &c->site[i]);
			rows++;
		}
	int status = text_cell_end(t, &table);
	print_words(t, "  ", diff_words_power(c));
	if (rows < c->sites)
		text_cell_say(t, TERMINAL_DIM, "  + ", 4,
			      "%" PRIu32 " more functions. All: --full --top 0", c->sites - rows);
	return status;
}

int diff_text(struct diff *d, FILE *out)
{
	struct text t = {.out = out, .terminal = terminal_of(out, d->options.width)};
	uint32_t top = d->options.top,
		 changed = d->slower + d->faster + d->gone + d->came + d->more + d->fewer;

	/* What changed is shown, however many. */
	t.top = top == REPORT_TOP_DEFAULT ? changed > TOP_DEFAULT ? changed : TOP_DEFAULT
		: top			  ? top
					  : UINT32_MAX;
	print_head(&t, d);
	int status = print_table(&t, d) || print_computing(&t, d->computing) ? -1 : 0;
	text_warnings_full(&t, d->warning, d->warnings);
	return status;
}
