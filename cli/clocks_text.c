// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks` as text: tables, then a verdict for each clock. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clocks_print.h"
#include "report/wording/numbers.h"
#include "report/render/text/table.h"
#include "report/wording/utf8.h"

#define WIDTH  100
#define INDENT 12

static struct terminal here(void)
{
	struct terminal t = terminal_of(stdout, 0);

	t.width = t.width < WIDTH ? t.width : WIDTH;
	return t;
}

static int finish(struct table *t, const struct terminal *terminal)
{
	int result = table_print(t, stdout, terminal);

	table_end(t);
	if (result)
		errno = ENOMEM;
	return result;
}

static int flushed(void)
{
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}

/* `text` at `width` columns, later lines indented. */
static void print_wrapped(const char *label, const char *text, const struct terminal *t)
{
	char *clean = utf8_clean(text, t->utf8), *save = NULL;
	size_t at = INDENT;

	printf("%-*s", INDENT, label);
	for (char *word = clean ? strtok_r(clean, " ", &save) : NULL; word;
	     word = strtok_r(NULL, " ", &save)) {
		size_t width = utf8_width(word);

		if (at > INDENT && at + 1 + width > t->width) {
			printf("\n%*s", INDENT, "");
			at = INDENT;
		}
		at += (size_t)printf("%s%s", at > INDENT ? " " : "", word) - (strlen(word) - width);
	}
	putchar('\n');
	free(clean);
}

static void cell_duration(struct table *t, size_t column, double ns,
			  const struct terminal *terminal)
{
	table_cell(t, column, numbered_duration(ns, terminal->utf8).text);
}

/* Two columns: mean, and interval with the unit. */
static void cell_mean(struct table *t, size_t column, const struct replications_mean *m,
		      const struct terminal *terminal)
{
	struct number_mean n;
	char text[80];

	numbers_mean(&n, m->mean, m->low, m->high, terminal->utf8);
	table_cell(t, column, n.mean);
	snprintf(text, sizeof(text), "%s %s", n.interval, n.unit);
	table_cell(t, column + 1, isnan(m->mean) ? "" : text);
}

static void cell_count(struct table *t, size_t column, uint64_t count)
{
	table_cell(t, column, numbered_count(count).text);
}

static void cell_drift(struct table *t, size_t column, const struct clock_test *c,
		       const struct terminal *terminal)
{
	/* as many decimals as its error justifies */
	int decimals = c->drift_error_ppm >= 10 ? 0 : c->drift_error_ppm >= 1 ? 1 : 2;
	char text[64] = "-";

	if (!isnan(c->drift_ppm))
		snprintf(text, sizeof(text), "%+.*f %s%.*f ppm", decimals,
			 numbers_tidy(c->drift_ppm, decimals), terminal->utf8 ? "±" : "+/-",
			 decimals, c->drift_error_ppm);
	table_cell(t, column, text);
}

static int print_clocks(const struct clocks_report *r, const struct terminal *terminal)
{
	static const struct table_column columns[] = {
		{.title = "CLOCK"},
		{.title = "STEP", .right = true},
		{.title = "READING", .right = true},
		{.title = "", .glued = true},
		{.title = "BACKWARDS", .right = true},
		{.title = "OF", .right = true, .drop = 2},
		{.title = "STEPS", .right = true},
		{.title = "LARGEST", .right = true, .drop = 3},
		{.title = "DRIFT", .right = true, .drop = 1},
		{0},
	};
	struct table t;

	table_begin(&t, columns, NULL);
	for (int i = 0; i < CLOCKS_TESTED; i++) {
		const struct clock_test *c = &r->clock[i];

		table_row(&t);
		table_cell(&t, 0, clocks_read_name(c->kind));
		cell_duration(&t, 1, c->step_ns, terminal);
		cell_mean(&t, 2, &c->read, terminal);
		if (c->cpus) {
			cell_count(&t, 4, c->backward);
			cell_count(&t, 5, c->comparisons);
		} else {
			table_cell(&t, 4, "one CPU");
		}
		cell_count(&t, 6, c->steps);
		if (c->steps)
			cell_duration(&t, 7, c->step_max_ns, terminal);
		cell_drift(&t, 8, c, terminal);
	}
	return finish(&t, terminal);
}

static int print_ticks(const struct clocks_report *r, const struct terminal *terminal)
{
	static const struct table_column columns[] = {
		{.title = "TICKS OF"},
		{.title = "ASKED", .right = true},
		{.title = "OBSERVED", .right = true},
		{.title = "", .glued = true},
		{.title = "DEVIATION", .right = true, .drop = 1},
		{.title = "SHORTEST", .right = true, .drop = 2},
		{.title = "10 %", .right = true},
		{.title = "50 %", .right = true},
		{.title = "90 %", .right = true},
		{.title = "LONGEST", .right = true, .drop = 2},
		{0},
	};
	struct table t;

	table_begin(&t, columns, NULL);
	for (int i = 0; i < CLOCKS_TESTED; i++) {
		const struct tick_summary *s = &r->clock[i].ticks;
		struct replications_mean m = {
			.mean = s->mean_ns, .low = s->low_ns, .high = s->high_ns};
		const double spread[] = {s->sd_ns,  s->min_ns, s->p10_ns,
					 s->p50_ns, s->p90_ns, s->max_ns};

		if (isnan(s->mean_ns))
			continue;
		table_row(&t);
		table_cell(&t, 0, clocks_read_name(r->clock[i].kind));
		cell_duration(&t, 1, r->clock[i].claimed_ns, terminal);
		cell_mean(&t, 2, &m, terminal);
		for (size_t k = 0; k < sizeof(spread) / sizeof(*spread); k++)
			cell_duration(&t, 4 + k, spread[k], terminal);
	}
	return finish(&t, terminal);
}

static int print_lateness(const struct clocks_report *r, const struct terminal *terminal)
{
	static const struct table_column columns[] = {
		{.title = "PAGE TICKS", .right = true},	   {.title = "LATE BY", .right = true},
		{.title = "AT MOST", .right = true},	   {.title = "> D/2", .right = true},
		{.title = "BUSY: LATE BY", .right = true}, {.title = "AT MOST", .right = true},
		{.title = "> D/2", .right = true},	   {0},
	};
	struct table t;

	table_begin(&t, columns, NULL);
	for (int i = 0; i < CLOCKS_LATE; i++) {
		const struct clock_lateness *idle = &r->late[i];

		for (int j = 0; !idle->busy && j < CLOCKS_LATE; j++) {
			const struct clock_lateness *busy = &r->late[j];

			if (!busy->busy || busy->tick_ns != idle->tick_ns)
				continue;
			table_row(&t);
			cell_duration(&t, 0, idle->tick_ns, terminal);
			cell_duration(&t, 1, idle->mean_ns, terminal);
			cell_duration(&t, 2, idle->max_ns, terminal);
			table_cell(&t, 3, numbered_share(idle->share).text);
			cell_duration(&t, 4, busy->mean_ns, terminal);
			cell_duration(&t, 5, busy->max_ns, terminal);
			table_cell(&t, 6, numbered_share(busy->share).text);
		}
	}
	return finish(&t, terminal);
}

static void print_conditions(const struct clocks_report *r, const struct terminal *terminal)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "READING: mean of %u rounds, 95 %%. STEPS, DRIFT: against CLOCK_MONOTONIC_RAW, "
		 "over %.1f s. Interrupted %llu times, by %s at most, %s of that time: no steps. "
		 "Ticker: %s; busy: %u CPUs. Stolen by the host: %s.",
		 r->read_rounds, r->watch_s, (unsigned long long)r->interruptions,
		 numbered_duration(r->interruption_max_ns, terminal->utf8).text,
		 numbered_share(r->interrupted_share).text, r->late[0].scheduling, r->busy_cpus,
		 numbered_share(r->stolen).text);
	print_wrapped("measured", text, terminal);
}

int clocks_print_text(const struct clocks_report *r)
{
	const struct clock_test *tsc = &r->clock[SCP_CLOCK_TSC - 1];
	struct terminal terminal = here();
	char text[400];

	if (print_clocks(r, &terminal) || print_ticks(r, &terminal) || print_lateness(r, &terminal))
		return -1;
	putchar('\n');
	for (int i = 0; i < CLOCKS_TESTED; i++)
		print_wrapped(clocks_read_name(r->clock[i].kind), r->clock[i].verdict, &terminal);
	putchar('\n');
	print_conditions(r, &terminal);
	snprintf(text, sizeof(text), "%.6f MHz %s%.2g ppm, calibrated over %.2f s",
		 tsc->rate_hz / 1e6, terminal.utf8 ? "±" : "+/-", tsc->rate_error_ppm, r->window_s);
	print_wrapped("tsc rate", text, &terminal);
	snprintf(text, sizeof(text), "%s, because %s", clocks_read_name(r->preferred), r->reason);
	print_wrapped("default", text, &terminal);
	return flushed();
}

/* The half width as a share of the mean: the precision. */
static void cell_precision(struct table *t, size_t column, const struct replications_mean *m)
{
	char text[32];

	if (!(m->mean > 0) || !isfinite(m->high))
		return;
	double percent = 100 * (m->high - m->mean) / m->mean;
	snprintf(text, sizeof(text), "%.*f %%", percent < 9.95 ? 1 : 0, percent);
	table_cell(t, column, text);
}

int clocks_figure_text(const struct clock_costs *c)
{
	static const struct table_column columns[] = {
		{.title = "READING"},
		{.title = "HOW"},
		{.title = "GIVES", .drop = 2},
		{.title = "IN A STREAM", .right = true},
		{.title = "", .glued = true},
		{.title = "", .right = true, .glued = true, .drop = 3},
		{.title = "ALONE", .right = true},
		{.title = "", .glued = true},
		{.title = "", .right = true, .glued = true, .drop = 3},
		{0},
	};
	struct terminal terminal = here();
	char text[300], share[32];
	struct table t;

	table_begin(&t, columns, NULL);
	for (size_t i = 0; i < c->count; i++) {
		const struct clock_cost *cost = &c->cost[i];

		table_row(&t);
		table_cell(&t, 0, cost->way->name);
		table_cell(&t, 1, clock_costs_place(c, cost));
		table_cell(&t, 2, cost->way->gives);
		cell_mean(&t, 3, &cost->flow, &terminal);
		cell_precision(&t, 5, &cost->flow);
		cell_mean(&t, 6, &cost->alone, &terminal);
		cell_precision(&t, 8, &cost->alone);
	}
	if (finish(&t, &terminal))
		return -1;
	numbers_share(share, sizeof(share), c->stolen);
	snprintf(
		text, sizeof(text),
		"mean of %u rounds, each the median of %u batches less as many without a reading; "
		"interval at %g %%, as a time and as a share of the mean. The host stole %s of the "
		"CPUs' time; %u rounds in which it did were repeated.",
		c->rounds, c->batches, 100 * c->confidence, share, c->repeated);
	putchar('\n');
	print_wrapped("measured", text, &terminal);
	print_wrapped("in a stream", "readings overlap one another and other work", &terminal);
	print_wrapped("alone", "nothing else is done until the reading is", &terminal);
	return flushed();
}
