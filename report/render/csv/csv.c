// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of a report as CSV (RFC 4180: CRLF, quotes doubled), the first line naming the columns
 * as the JSON report does. The rows are sites, gaps, threads or processes, as report.by says.
 * Unknown values are empty. A text that a spreadsheet would take for a formula has a ' before it.
 */
#include "report/render/formats.h"

#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "stats/histogram/tail.h"
#include "report/render/csv/csv_write.h"
#include "report/wording/utf8.h"

#define SLOW(name, member) ROW_FIELD("slow_" name, report_site, slow.member)
static const struct row_field slow_fields[] = {SLOW("ticks", ticks),
					       SLOW("covers_fast_mean", covers),
					       SLOW("mean_ns", estimate.mean),
					       SLOW("ci_low_ns", estimate.low),
					       SLOW("ci_high_ns", estimate.high),
					       ROW_END};

#define PERCENTILE(name, p)                                                                        \
	ROW_FIELD(name "_ns", report_percentiles, at[REPORT_##p].ns),                              \
		ROW_FIELD(name "_ci_low_ns", report_percentiles, at[REPORT_##p].low_ns),           \
		ROW_FIELD(name "_ci_high_ns", report_percentiles, at[REPORT_##p].high_ns)
static const struct row_field percentile_fields[] = {PERCENTILE("p50", P50), PERCENTILE("p90", P90),
						     PERCENTILE("p99", P99),
						     PERCENTILE("p999", P999), ROW_END};
static const struct row_field outlier_fields[] = {
	ROW_FIELD("outlier_calls", report_steadiness, outliers),
	ROW_FIELD("outlier_total_ns", report_steadiness, outlier_ns), ROW_END};

/* "p99:unknown-dependence;...": all zero without percentiles. */
static void put_tail_doubts(struct csv *c, const struct report_percentiles *p)
{
	static const char *const names[] = {"p50", "p90", "p99", "p999"};
	char text[512];
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		for (unsigned bit = TAIL_UNKNOWN; bit <= TAIL_FEW_INDEPENDENT; bit *= 2)
			if (p->at[i].unreliable & bit && at < sizeof(text))
				at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s:%s",
						       at ? ";" : "", names[i],
						       reliability_tail_name(bit));
	csv_write_text(c, "percentile_doubts", text);
}

/* Names of all findings and reliability warnings, separated by ';'. */
static void put_findings(struct csv *c, const struct report_site *s)
{
	unsigned all = s->findings | s->estimate.unreliable;
	char text[256];
	size_t at = 0;

	text[0] = '\0';
	for (unsigned bit = 1; bit <= all && at < sizeof(text); bit *= 2)
		if (all & bit)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? ";" : "",
					       reliability_name(bit));
	csv_write_text(c, "findings", text);
}

static void put_steadiness(struct csv *c, const struct report_site *s)
{
	const struct report_steadiness *t = &s->steadiness;

	put_findings(c, s);
	csv_write_count(c, "warm_up_calls", t->warmup_calls);
	csv_write_number(c, "warm_up_mean_ns", t->warmup_calls ? t->warmup_ns : NAN);
	csv_write_flag(c, "warm_up_set_aside", t->warmup_aside);
	csv_write_number(c, "first_call_ns", s->overflow ? NAN : t->first_ns);
	csv_write_number(c, "drift_change", t->drift_known ? t->change : NAN);
	csv_write_fields(c, outlier_fields, t, isfinite(t->fence_ns));
}

/* Row numbers from 0, as JSON's indices, separated by semicolons. NULL: none, or out of memory. */
static char *partners_of(const struct report *r, uint32_t site)
{
	struct utf8_memory memory;
	uint32_t i = displaced_partner(r, site, PROF_NONE);

	utf8_memory_begin(&memory);
	for (const char *before = ""; memory.to && i < r->sites;
	     i = displaced_partner(r, site, i)) {
		fprintf(memory.to, "%s%u", before, i);
		before = ";";
	}
	return utf8_memory_end(&memory);
}

static void put_displaced(struct csv *c, const struct report *r, const struct report_site *s)
{
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;
	char *partners = known ? partners_of(r, (uint32_t)(s - r->site)) : NULL;

	csv_write_fields(c, row_fields_cost, d, known);
	csv_write_text(c, "inseparable_with", partners);
	csv_write_text(c, "displacement", displaced_state_name(d->state));
	csv_write_fields(c, row_fields_windows, d, d->state);
	csv_write_number(c, "variance_inflation", known ? d->inflation : NAN);
	free(partners);
}

static void put_program(struct csv *c, const struct report *r, const struct report_site *s)
{
	bool apart = s->program < r->programs;

	csv_write_text(c, "program", apart ? r->program[s->program].name : NULL);
	csv_write_number(c, "program_share", apart ? s->program_share : NAN);
	csv_write_number(c, "share_of_time", s->time_share);
	csv_write_text(c, "mean_code", isnan(s->below_ns) ? NULL : REPORT_BELOW_RESOLUTION);
	csv_write_number(c, "mean_below_ns", s->below_ns);
}

static void put_site(struct csv *c, struct stacks *stacks, const void *row)
{
	static const struct prof_function none;
	const struct report_site *site = row;
	const struct report *r = stacks->report;
	struct mean_interval estimate = site->estimate;
	const struct prof_function *f = c->names ? &none : &r->profile->function[site->function];

	csv_write_fields(c, row_fields_function, f, true);
	csv_write_text(c, "outcome", report_names_outcome(site));
	csv_write_fields(c, row_fields_volume, site, true);
	estimate.mean = isnan(site->below_ns) ? estimate.mean : NAN;
	csv_write_fields(c, row_fields_estimate, &estimate, true);
	csv_write_fields(c, row_fields_overhead, site, true);
	put_displaced(c, r, site);
	csv_write_fields(c, row_fields_total, site, true);
	csv_write_fields(c, percentile_fields, &site->percentiles, site->has_percentiles);
	put_tail_doubts(c, &site->percentiles);
	csv_write_fields(c, row_fields_size, site, true);
	csv_write_fields(c, slow_fields, site, site->has_slow);
	put_steadiness(c, site);
	csv_write_fields(c, row_fields_states, &site->states, site->states.known);
	csv_write_text(c, "path_end", report_names_path_end(site));
	csv_write_path(c, stacks, site, "path", false);
	csv_write_path(c, stacks, site, "path_places", true);
	put_program(c, r, site);
	csv_write_end(c);
}

/* ---- gaps, threads, processes ---- */

/* A site at the end of a gap: number of its row by --by site, function, its caller. */
static void put_gap_end(struct csv *c, struct report *r, uint32_t site, const char *const column[3],
			const char *none)
{
	const struct report_site *s = site < r->sites ? &r->site[site] : NULL;
	const struct symbol *symbol = NULL;
	size_t count;

	if (s && s->frames)
		symbol = frame_symbols_find(r, &s->frame[path_site_find(s->frame, s->frames)],
					    &count);
	csv_write_text(c, column[0], s ? r->profile->function[s->function].name : none);
	csv_write_text(c, column[1], s ? report_names_outcome(s) : NULL);
	csv_write_text(c, column[2], symbol ? symbol->function : NULL);
}

static void put_gap(struct csv *c, struct stacks *stacks, const void *row)
{
	const struct report_gap *g = row;
	static const char *const from[] = {"from", "from_outcome", "from_caller"};
	static const char *const to[] = {"to", "to_outcome", "to_caller"};

	put_gap_end(c, stacks->report, g->from, from, "(thread start)");
	put_gap_end(c, stacks->report, g->to, to, "(thread end)");
	csv_write_fields(c, row_fields_gap, g, true);
	csv_write_end(c);
}

static void put_thread(struct csv *c, struct stacks *stacks, const void *row)
{
	(void)stacks;
	csv_write_fields(c, row_fields_thread, row, true);
	csv_write_end(c);
}

static void put_process(struct csv *c, struct stacks *stacks, const void *row)
{
	static const struct prof_process none;
	const struct report_process *p = row;
	const struct prof_process *in = c->names ? &none : p->process;

	(void)stacks;
	csv_write_count(c, "pid", in->pid);
	csv_write_count(c, "ppid", in->ppid);
	csv_write_count(c, "processes", in->count);
	csv_write_text(c, "exe", in->exe);
	csv_write_text(c, "argv0", in->argc ? in->argv[0] : NULL);
	csv_write_text(c, "ended", report_names_end(in));
	csv_write_number(c, "wall_s", p->wall_s);
	csv_write_fields(c, row_fields_process, p, true);
	csv_write_text(c, "name", in->program);
	csv_write_number(c, "status", in->end.seen == SCP_END_STATUS ? in->end.value : NAN);
	csv_write_number(c, "signal", in->end.seen == SCP_END_SIGNAL ? in->end.value : NAN);
	csv_write_end(c);
}

/* Rows of `size` bytes; `none` for the line of names. */
struct rows {
	void (*put)(struct csv *c, struct stacks *stacks, const void *row);
	const void *none, *row;
	uint32_t count;
	size_t size;
};

static struct rows rows_of(const struct report *r)
{
	static const struct report_site site = {.program = REPORT_NO_PROGRAM};
	static const struct report_gap gap = {.from = PROF_NONE, .to = PROF_NONE};
	static const struct report_thread thread;
	static const struct report_process process;

	switch (r->by) {
	case REPORT_BY_GAP:
		return (struct rows){put_gap, &gap, r->gap, r->gaps, sizeof(gap)};
	case REPORT_BY_THREAD:
		return (struct rows){put_thread, &thread, r->thread, r->threads, sizeof(thread)};
	case REPORT_BY_PROCESS:
		return (struct rows){put_process, &process, r->process, r->processes,
				     sizeof(process)};
	default:
		return (struct rows){put_site, &site, r->site, r->sites, sizeof(site)};
	}
}

int csv_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct csv c = {.out = out, .names = true};
	struct stacks stacks = {.report = r};
	const struct rows rows = rows_of(r);

	rows.put(&c, &stacks, rows.none);
	for (uint32_t i = 0; !c.failed && i < rows_shown(rows.count, o); i++)
		rows.put(&c, &stacks, (const char *)rows.row + i * rows.size);
	stacks_end(&stacks);
	return c.failed ? -1 : 0;
}
