// SPDX-License-Identifier: GPL-3.0-or-later

#include "cli/causal/causal_private.h"
#include "report/render/text/text.h"

enum { C_BRINGS, C_SITE, C_CALLS, C_MEAN, C_KAPPA, C_THIRTY, C_REMOVED, C_Q };

static const struct table_column columns[] = {{.title = "10 % OFF BRINGS", .style = TERMINAL_BOLD},
					      {.title = "AT", .least = 24, .style = TERMINAL_NAME},
					      {.title = "CALLS/UNIT", .right = true, .drop = 2},
					      {.title = "MEAN", .right = true, .drop = 1},
					      {.title = "1 NS COSTS", .right = true},
					      {.title = "30 %", .right = true, .drop = 4},
					      {.title = "REMOVED", .right = true, .drop = 5},
					      {.title = "q", .right = true, .drop = 3},
					      {0}};

/* Wrapped, later lines indented. */
static void put_line(struct text *t, const char *text)
{
	text_cell_say(t, TERMINAL_PLAIN, "", 2, "%s", text);
}

static void put_head(const struct causal_report *r, struct text *t)
{
	const struct causal_result *c = r->result;
	struct causal_limits unit = causal_report_limits(&c->slopes.unit, 1),
			     slow = causal_report_limits(&c->slopes.slowdown, 1);
	struct words line = {""};

	if (!c->slopes.windows) {
		text_cell_say(t, TERMINAL_PLAIN, "", 2, "%s: %s/s; %s", r->progress,
			      numbered_digits(c->rate_per_s, 3).text, causal_report_untold(c));
		return;
	}
	text_cell_say(t, TERMINAL_BOLD, "", 2, "%s: %s/s [%s, %s]", r->progress,
		      numbered_plain(c->rate_per_s).text,
		      numbered_plain(unit.low > 0 ? 1 / unit.high : NAN).text,
		      numbered_plain(unit.low > 0 ? 1 / unit.low : NAN).text);
	bool faster = slow.high < 0; /* surely: see the rows' notes */
	numbers_append(&line, "%zu windows of %.3g s in %s s; delays %s by ", c->slopes.windows,
		       c->window_s, numbered_digits(c->elapsed_s, 3).text,
		       faster ? "made it faster" : "slowed it down");
	if (faster)
		slow = (struct causal_limits){-slow.value, -slow.high, -slow.low};
	if (isfinite(slow.low))
		numbers_append(&line, "%s %% [%s, %s] (asked: %.3g %%)",
			       numbered_digits(100 * slow.value, 2).text,
			       numbered_digits(100 * slow.low, 2).text,
			       numbered_digits(100 * slow.high, 2).text, 100 * c->asked);
	else
		numbers_append(&line, "an unknown amount (asked: %.3g %%)", 100 * c->asked);
	put_line(t, line.text);
}

static void put_kappa(struct table *table, const struct causal_row *row, bool utf8)
{
	char value[24], half[24];

	if (!row->told || !isfinite(row->kappa.low))
		return;
	numbers_fixed(value, sizeof(value), row->kappa.value, 2);
	numbers_fixed(half, sizeof(half), (row->kappa.high - row->kappa.low) / 2, 2);
	table_print_cell(table, C_KAPPA, "%s %s %s", value, utf8 ? "±" : "+-", half);
}

static void put_row(struct text *t, struct table *table, const struct causal_row *row)
{
	bool utf8 = t->terminal.utf8;

	table_row(table);
	table_print_cell(table, C_BRINGS, "%s%s", row->told ? causal_report_bound(&row->ten) : "",
			 row->told ? causal_report_prediction(&row->ten).text : "not told");
	table_cell(table, C_SITE, row->label);
	table_cell(table, C_CALLS, numbered_digits(row->calls_unit, 3).text);
	text_cell_duration(t, table, C_MEAN, 1e9 * row->found.mean.value);
	put_kappa(table, row, utf8);
	if (row->told && isfinite(row->thirty.percent) && !(row->ten.low < -CAUSAL_LARGEST))
		table_print_cell(table, C_THIRTY, "%s%+.1f %%",
				 row->thirty.at_most	? (utf8 ? "≤ " : "<= ")
				 : row->thirty.at_least ? (utf8 ? "≥ " : ">= ")
							: "",
				 numbers_tidy(fmin(row->thirty.percent, 1000), 1));
	if (isfinite(row->removed.percent))
		table_print_cell(table, C_REMOVED, "%+.0f %%",
				 numbers_tidy(row->removed.percent, 0));
	if (row->told && row->site->slopes.q < 1e-4)
		table_cell(table, C_Q, "<1e-4");
	else if (row->told && isfinite(row->site->slopes.q))
		table_print_cell(table, C_Q, "%.2g", row->site->slopes.q);
}

static int put_rows(const struct causal_report *r, struct text *t)
{
	struct table table;

	table_begin(&table, columns, NULL);
	for (size_t i = 0; i < r->rows; i++)
		put_row(t, &table, &r->row[i]);
	return text_cell_end(t, &table);
}

/* What keeps a row from being one number, site by site. */
static void put_notes(const struct causal_report *r, struct text *t)
{
	bool any = false;

	for (size_t i = 0; i < r->rows; i++) {
		const struct words note = causal_report_note(r, &r->row[i]);

		if (!*note.text)
			continue;
		if (!any)
			fputc('\n', t->out);
		any = true;
		text_cell_say(t, TERMINAL_PLAIN, "~ ", 2, "%s: %s", r->row[i].label, note.text);
	}
}

/* Latencies of the sites that change them. */
static void put_latency(const struct causal_report *r, struct text *t)
{
	const struct words unit = causal_report_unit(r, t->terminal.utf8);
	bool any = false;

	if (!*unit.text)
		return;
	fputc('\n', t->out);
	put_line(t, unit.text);
	for (size_t i = 0; i < r->rows; i++) {
		const struct slopes_prediction *p = &r->row[i].ten;

		if (!r->row[i].told || !isfinite(p->latency_percent))
			continue;
		fputs(any ? "" : "10 % off a call changes that by\n", t->out);
		any = true;
		text_cell_say(t, TERMINAL_PLAIN, "  ", 4, "%s: %s",
			      causal_report_percent(-p->latency_percent, -p->latency_high,
						    -p->latency_low)
				      .text,
			      r->row[i].label);
	}
}

static void put_computing(const struct causal_report *r, struct text *t)
{
	uint32_t rows = causal_computing_rows(r);

	if (!rows)
		return;
	fputc('\n', t->out);
	put_line(t, text_computing_title(r->computing, t->terminal.utf8).text);
	for (uint32_t i = 0; i < rows; i++)
		text_cell_say(t, TERMINAL_PLAIN, "  ", 4, "%s", causal_computing_row(r, i).text);
	put_line(t, causal_computing_advice(r).text);
}

static void put_warnings(const struct causal_report *r, struct text *t)
{
	char lead[64];

	if (r->warnings)
		fputc('\n', t->out);
	for (size_t i = 0; i < r->warnings; i++) {
		snprintf(lead, sizeof(lead), "! %s  ", r->warning[i].code);
		text_cell_say(t, TERMINAL_WARN, lead, 2, "%s", r->warning[i].text);
	}
}

static void put_mean(const char *when, struct causal_limits m, struct text *t)
{
	bool utf8 = t->terminal.utf8;

	fprintf(t->out, "  mean %-6s  %s [%s, %s]\n", when,
		numbered_duration(1e9 * m.value, utf8).text,
		numbered_duration(1e9 * m.low, utf8).text,
		numbered_duration(1e9 * m.high, utf8).text);
}

static void put_confirmed(const struct causal_confirmed *c, struct text *t)
{
	fprintf(t->out, "\nConfirmed at %s, %zu runs of each program\n", c->site, c->runs);
	put_mean("before", c->before, t);
	put_mean("after", c->after, t);
	fprintf(t->out, "  changed by   %s (announced: -%.3g %%)\n",
		causal_report_percent(-100 * c->measured.value, -100 * c->measured.high,
				      -100 * c->measured.low)
			.text,
		100 * c->faster);
	fprintf(t->out, "  predicted    %s%s\n", causal_report_prediction(&c->predicted).text,
		c->predicted.at_most ? " at most" : "");
	fprintf(t->out, "  for the measured change %s\n",
		causal_report_prediction(&c->for_measured).text);
	fprintf(t->out, "  realised     %s\n", causal_report_limited(&c->realised).text);
	fprintf(t->out, "  %s\n",
		c->too_wide ? "Neither confirmed nor refuted: the intervals are too wide. Give "
			      "more --runs, "
			      "or a longer --for"
		: !c->known ? "Nothing can be said: a mean, a rate or a prediction is not known"
		: c->agrees ? "They agree"
			    : "They do not agree");
}

int causal_text_print(const struct causal_report *r, FILE *out)
{
	struct text t = {.terminal = terminal_of(out, 0), .out = out};
	const struct words verdict = causal_report_verdict(r);

	put_head(r, &t);
	if (put_rows(r, &t))
		return -1;
	if (*verdict.text) {
		fputc('\n', out);
		put_line(&t, verdict.text);
	}
	put_notes(r, &t);
	put_latency(r, &t);
	put_computing(r, &t);
	put_warnings(r, &t);
	if (r->confirmed)
		put_confirmed(r->confirmed, &t);
	return ferror(out) ? -1 : 0;
}
