// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of a report as CSV (RFC 4180: CRLF, quotes doubled), the first line naming the columns
 * as the JSON report does. The rows are sites, gaps, threads or processes, as report.by says.
 * Unknown values are empty. A text that a spreadsheet would take for a formula has a ' before it.
 */
#include "report/render/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "stats/histogram/tail.h"
#include "report/render/csv/csv_write.h"

static void put_slow(struct csv *c, const struct report_site *s)
{
	const struct mean_interval *e = &s->slow.estimate;

	if (s->has_slow) {
		csv_write_count(c, "slow_ticks", s->slow.ticks);
		csv_write_flag(c, "slow_covers_fast_mean", s->slow.covers);
	} else {
		csv_write_nothing(c, "slow_ticks");
		csv_write_nothing(c, "slow_covers_fast_mean");
	}
	csv_write_number(c, "slow_mean_ns", s->has_slow ? e->mean : NAN);
	csv_write_number(c, "slow_ci_low_ns", s->has_slow ? e->low : NAN);
	csv_write_number(c, "slow_ci_high_ns", s->has_slow ? e->high : NAN);
}

/* "p99:unknown-dependence;...": all zero without percentiles. */
static void put_tail_doubts(struct csv *c, const struct report_percentiles *p)
{
	const unsigned of[] = {p->p50_unreliable, p->p90_unreliable, p->p99_unreliable,
			       p->p999_unreliable};
	static const char *const names[] = {"p50", "p90", "p99", "p999"};
	char text[512];
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		for (unsigned bit = TAIL_UNKNOWN; bit <= TAIL_FEW_INDEPENDENT; bit *= 2)
			if (of[i] & bit && at < sizeof(text))
				at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s:%s",
						       at ? ";" : "", names[i],
						       reliability_tail_name(bit));
	csv_write_text(c, "percentile_doubts", text);
}

static void put_percentiles(struct csv *c, const struct report_site *s)
{
	const struct report_percentiles *p = &s->percentiles;
	bool has = s->has_percentiles;

	csv_write_number(c, "p50_ns", has ? p->p50_ns : NAN);
	csv_write_number(c, "p50_ci_low_ns", has ? p->p50_low_ns : NAN);
	csv_write_number(c, "p50_ci_high_ns", has ? p->p50_high_ns : NAN);
	csv_write_number(c, "p90_ns", has ? p->p90_ns : NAN);
	csv_write_number(c, "p90_ci_low_ns", has ? p->p90_low_ns : NAN);
	csv_write_number(c, "p90_ci_high_ns", has ? p->p90_high_ns : NAN);
	csv_write_number(c, "p99_ns", has ? p->p99_ns : NAN);
	csv_write_number(c, "p99_ci_low_ns", has ? p->p99_low_ns : NAN);
	csv_write_number(c, "p99_ci_high_ns", has ? p->p99_high_ns : NAN);
	csv_write_number(c, "p999_ns", has ? p->p999_ns : NAN);
	csv_write_number(c, "p999_ci_low_ns", has ? p->p999_low_ns : NAN);
	csv_write_number(c, "p999_ci_high_ns", has ? p->p999_high_ns : NAN);
	put_tail_doubts(c, p);
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
	if (isfinite(t->fence_ns))
		csv_write_count(c, "outlier_calls", t->outliers);
	else
		csv_write_nothing(c, "outlier_calls");
	csv_write_number(c, "outlier_total_ns", isfinite(t->fence_ns) ? t->outlier_ns : NAN);
}

/* Row numbers from 0, as JSON's indices, separated by semicolons. NULL: out of memory. */
static char *partners_of(const struct report *r, uint32_t site)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory = open_memstream(&text, &bytes);
	uint32_t i = memory ? displaced_partner(r, site, PROF_NONE) : r->sites;

	for (const char *before = ""; i < r->sites; i = displaced_partner(r, site, i)) {
		fprintf(memory, "%s%u", before, i);
		before = ";";
	}
	if (!memory || fclose(memory) == EOF) {
		free(text);
		return NULL;
	}
	return text;
}

static void put_displaced(struct csv *c, const struct report *r, const struct report_site *s)
{
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;
	char *partners = known ? partners_of(r, (uint32_t)(s - r->site)) : NULL;

	csv_write_fields(c, row_fields_cost, d, known);
	csv_write_text(c, "inseparable_with", partners);
	csv_write_text(c, "displacement", d->state ? displaced_state_name(d->state) : NULL);
	csv_write_fields(c, row_fields_windows, d, d->state);
	csv_write_number(c, "variance_inflation", known ? d->inflation : NAN);
	free(partners);
}

static void put_program(struct csv *c, const struct report *r, const struct report_site *s)
{
	bool apart = s->program < r->programs;

	csv_write_text(c, "program", apart ? r->program[s->program].name : NULL);
	csv_write_number(c, "program_share", apart ? s->program_share : NAN);
}

static void put_site(struct csv *c, struct stacks *stacks, const struct report_site *site)
{
	static const struct prof_function none;
	const struct report *r = stacks->report;
	const struct prof_function *f = c->names ? &none : &r->profile->function[site->function];

	csv_write_fields(c, row_fields_function, f, true);
	csv_write_text(c, "outcome", report_names_outcome(site));
	csv_write_fields(c, row_fields_volume, site, true);
	csv_write_fields(c, row_fields_estimate, &site->estimate, true);
	csv_write_fields(c, row_fields_overhead, site, true);
	put_displaced(c, r, site);
	csv_write_fields(c, row_fields_total, site, true);
	put_percentiles(c, site);
	csv_write_fields(c, row_fields_size, site, true);
	put_slow(c, site);
	put_steadiness(c, site);
	csv_write_fields(c, row_fields_states, &site->states, site->states.known);
	csv_write_text(c, "path_end", report_names_path_end(site));
	csv_write_path(c, stacks, site, "path", false);
	csv_write_path(c, stacks, site, "path_places", true);
	put_program(c, r, site);
	csv_write_end(c);
}

static int print_sites(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_site none = {.program = REPORT_NO_PROGRAM};
	uint32_t rows = rows_shown(r->sites, o);
	struct stacks stacks = {.report = r};

	put_site(c, &stacks, &none);
	for (uint32_t i = 0; !c->failed && i < rows; i++)
		put_site(c, &stacks, &r->site[i]);
	stacks_end(&stacks);
	return c->failed ? -1 : 0;
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

static void put_gap(struct csv *c, struct report *r, const struct report_gap *g)
{
	static const char *const from[] = {"from", "from_outcome", "from_caller"};
	static const char *const to[] = {"to", "to_outcome", "to_caller"};

	put_gap_end(c, r, g->from, from, "(thread start)");
	put_gap_end(c, r, g->to, to, "(thread end)");
	csv_write_fields(c, row_fields_gap, g, true);
	csv_write_end(c);
}

static int print_gaps(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_gap none = {.from = PROF_NONE, .to = PROF_NONE};

	put_gap(c, r, &none);
	for (uint32_t i = 0; i < rows_shown(r->gaps, o); i++)
		put_gap(c, r, &r->gap[i]);
	return c->failed ? -1 : 0;
}

static void put_thread(struct csv *c, const struct report_thread *t)
{
	csv_write_fields(c, row_fields_thread, t, true);
	csv_write_end(c);
}

static int print_threads(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_thread none;

	put_thread(c, &none);
	for (uint32_t i = 0; i < rows_shown(r->threads, o); i++)
		put_thread(c, &r->thread[i]);
	return c->failed ? -1 : 0;
}

static void put_process(struct csv *c, const struct report_process *p)
{
	static const struct prof_process none;
	const struct prof_process *in = c->names ? &none : p->process;

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

static int print_processes(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_process none;

	put_process(c, &none);
	for (uint32_t i = 0; i < rows_shown(r->processes, o); i++)
		put_process(c, &r->process[i]);
	return c->failed ? -1 : 0;
}

int csv_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct csv c = {.out = out, .names = true};

	switch (r->by) {
	case REPORT_BY_GAP:
		return print_gaps(&c, r, o);
	case REPORT_BY_THREAD:
		return print_threads(&c, r, o);
	case REPORT_BY_PROCESS:
		return print_processes(&c, r, o);
	default:
		return print_sites(&c, r, o);
	}
}
