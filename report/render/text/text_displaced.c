// SPDX-License-Identifier: GPL-3.0-or-later
/* Costs by displacement, next to each site's own mean; then a summary in a sentence. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"

enum { FUNCTION, CALLS, MEAN, CHARGED = 5, UNCHARGED = 8, SIGNIFICANT = 11, BOTH, TRUE_COST = 15 };

static const struct table_column columns[] = {
	{"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	{"CALLS", .drop = 3, TABLE_FIELD(COUNT, report_site, calls)},
	{"OWN MEAN", .drop = 2, TABLE_FIELD(MEAN, report_site, estimate)},
	{"", .glued = true, .drop = 2},
	{"INTERVAL", .glued = true, .drop = 2},
	{"CHARGED", .right = true},
	{"", .glued = true},
	{"INTERVAL", .glued = true},
	{"UNCHARGED", .right = true, .style = TERMINAL_BOLD},
	{"", .glued = true},
	{"INTERVAL", .glued = true},
	{"", .glued = true},
	{"BOTH", .right = true, .style = TERMINAL_BOLD},
	{"", .glued = true},
	{"INTERVAL", .glued = true},
	{"TRUE COST", .right = true, .drop = 1},
	{"", .glued = true, .drop = 1},
	{"INTERVAL", .glued = true, .drop = 1},
	{0},
};

static void cost_cells(struct text *t, struct table *table, size_t at, const struct report_cost *c)
{
	const struct mean_interval mean = {.mean = c->ns, .low = c->low_ns, .high = c->high_ns};

	if (!isnan(c->ns))
		text_cell_mean(t, table, at, &mean);
}

/* Name the sites that share the cost; they have rows of their own. */
static void partner_notes(struct text *t, struct table *table, uint32_t site)
{
	struct report *r = t->report;

	for (uint32_t i = displaced_partner(r, site, PROF_NONE); i < r->sites;
	     i = displaced_partner(r, site, i)) {
		char *label = text_path_site_label(t, i, "");

		text_cell_note(
			t, table,
			"= inseparable from %s: but for CHARGED, means over the calls of both",
			label ? label : "");
		free(label);
	}
}

static void add_site(struct text *t, struct table *table, uint32_t site)
{
	struct report *r = t->report;
	const struct report_site *s = &r->site[site];

	text_cell_row(t, table, s);
	text_cell_put(t, table, FUNCTION, r->profile->function[s->function].name);
	if (s->states.known && !isnan(s->states.charged.mean))
		text_cell_mean(t, table, CHARGED, &s->states.charged);
	cost_cells(t, table, UNCHARGED, &s->displaced.uncharged);
	if (s->displaced.significant)
		table_cell(table, SIGNIFICANT, "*");
	cost_cells(t, table, BOTH, &s->displaced.both);
	cost_cells(t, table, TRUE_COST, &s->displaced.true_cost);
	if (s->frames)
		text_cell_note_of(
			t, table,
			text_path_frame_line(r, &s->frame[path_site_find(s->frame, s->frames)], 0));
	partner_notes(t, table, site);
}

static void print_words(struct text *t, uint32_t significant, const uint32_t *count)
{
	fprintf(t->out, "\n");
	text_cell_say(t, TERMINAL_PLAIN, "", 0,
		      "by displacement, a call: %" PRIu32 " of %" PRIu32
		      " sites with a number cause uncharged time (*; false discovery rate %.3g "
		      "%%). Charged: CPU time in the call, as getrusage counts it. Uncharged: "
		      "interrupts and softirqs that nobody was charged for. Both: what a call "
		      "costs. True: uncharged time and the program's CPU time that goes with a "
		      "call, also between calls. No number: %" PRIu32 " called too rarely, %" PRIu32
		      " too steadily, %" PRIu32 " for want of undisturbed windows.",
		      significant, count[SCP_SITE_COST_KNOWN], 100 * (1 - t->report->confidence),
		      count[SCP_SITE_COST_RARE], count[SCP_SITE_COST_STEADY],
		      count[SCP_SITE_COST_FEW]);
}

int text_displaced(struct text *t)
{
	const struct report *r = t->report;
	uint32_t significant = 0, shown = 0, count[SCP_SITE_COST_FEW + 1] = {0};
	struct table table;

	if (!displaced_any(r))
		return 0;
	table_begin(&table, columns, "CALLED FROM");
	for (uint32_t i = 0; i < r->sites; i++) {
		const struct report_displaced *d = &r->site[i].displaced;

		if (d->state <= SCP_SITE_COST_FEW)
			count[d->state]++;
		if (d->state != SCP_SITE_COST_KNOWN)
			continue;
		significant += d->significant;
		if (shown++ < t->top)
			add_site(t, &table, i);
	}
	int status = text_cell_end(t, &table);
	print_words(t, significant, count);
	return status;
}
