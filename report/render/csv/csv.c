// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of a report as CSV (RFC 4180: CRLF, quotes doubled), the first line naming the columns
 * as the JSON report does. The rows are sites, gaps, threads or processes, as report.by says; with
 * --weight computing they are the functions that were computing.
 * Unknown values are empty. A text that a spreadsheet would take for a formula has a ' before it.
 *
 * A row is written by one function, which runs once more for the line of column names: so names and
 * values always agree. Text is cleaned first, so that a row is always one line: line-based tools do
 * not know that a quoted field may contain line breaks. */
#include "report/render/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/render/json/row_fields.h"
#include "report/render/stacks/stacks.h"
#include "report/wording/utf8.h"
#include "stats/histogram/tail.h"

struct csv {
	FILE *out;
	bool names;  /* write the columns' names instead of values */
	bool inside; /* a row has begun */
	bool failed; /* out of memory */
};

static bool begin(struct csv *c, const char *column)
{
	if (c->inside)
		putc_unlocked(',', c->out);
	c->inside = true;
	if (c->names)
		fputs(column, c->out);
	return !c->names;
}

static void write_number(struct csv *c, const char *column, double value)
{
	if (begin(c, column) && isfinite(value))
		fprintf(c->out, "%.15g", value == 0 ? 0 : value);
}

static void write_count(struct csv *c, const char *column, uint64_t value)
{
	if (begin(c, column))
		fprintf(c->out, "%" PRIu64, value);
}

static void write_flag(struct csv *c, const char *column, bool value)
{
	if (begin(c, column))
		fputs(value ? "true" : "false", c->out);
}

static bool is_formula(const char *text)
{
	return *text && strchr("=+-@", *text);
}

static bool needs_quotes(const char *clean)
{
	return is_formula(clean) || clean[strcspn(clean, "\",;' \t")];
}

/* What stands between quotes; of a list separated by ';', where a spreadsheet may split, too, an
 * element, in which another character stands for it. */
static void put_element(FILE *out, const char *text, int semicolon)
{
	if (is_formula(text))
		putc_unlocked('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text == ';' ? semicolon : *text, out);
	}
}

static void write_text(struct csv *c, const char *column, const char *raw)
{
	if (!begin(c, column) || !raw)
		return;
	char *clean = utf8_clean(raw, true);
	c->failed |= !clean;
	if (clean && needs_quotes(clean)) {
		putc_unlocked('"', c->out);
		put_element(c->out, clean, ';');
		putc_unlocked('"', c->out);
	} else if (clean) {
		fputs(clean, c->out);
	}
	free(clean);
}

static void put_field(struct csv *c, const struct row_field *f, const void *value)
{
	if (f->type == ROW_NUMBER)
		write_number(c, f->name, *(const double *)value);
	else if (f->type == ROW_COUNT)
		write_count(c, f->name, *(const uint64_t *)value);
	else if (f->type == ROW_COUNT32)
		write_count(c, f->name, *(const uint32_t *)value);
	else if (f->type == ROW_FLAG)
		write_flag(c, f->name, *(const bool *)value);
	else
		write_text(c, f->name, *(const char *const *)value);
}

static void write_fields(struct csv *c, const struct row_field *fields, const void *row, bool known)
{
	for (const struct row_field *f = fields; f->name; f++)
		if (known)
			put_field(c, f, (const char *)row + f->offset);
		else
			begin(c, f->name);
}

/* The texts of stacks are clean already. */
static void put_frame(FILE *out, const struct stacks *s, const struct stacks_frame *f, bool places)
{
	for (uint32_t i = 0; i < f->places; i++) {
		const struct stacks_place *p = &s->place[f->first + i];
		const char *name = stacks_name(s, p->function), *file = stacks_file(s, p->function);
		const char *module = stacks_module(s, p->function);

		if (i)
			putc_unlocked(';', out);
		put_element(out, !places ? name : file ? file : module ? module : "", ':');
		if (places && file && p->line)
			fprintf(out, ":%d", p->line);
		else if (places && !file)
			fprintf(out, "%s0x%" PRIx64, module ? "+" : "", (uint64_t)f->frame.offset);
	}
}

static void write_path(struct csv *c, struct stacks *s, const struct report_site *site,
		       const char *column, bool places)
{
	struct utf8_memory memory;

	if (!begin(c, column))
		return;
	utf8_memory_begin(&memory);
	for (uint32_t i = 0; memory.to && i < site->frames; i++) {
		uint32_t number = stacks_frame(s, &site->frame[i]);

		c->failed |= number == STRING_INDEX_NONE;
		if (number == STRING_INDEX_NONE)
			break;
		fputs(i ? ";" : "", memory.to);
		put_frame(memory.to, s, &s->frame[number], places);
	}
	c->failed |= !memory.to;
	char *text = utf8_memory_end(&memory);
	if (text) /* a ';' needs quotes */
		fprintf(c->out, site->frames > 1 || needs_quotes(text) ? "\"%s\"" : "%s", text);
	free(text);
}

/* ---- sites ---- */

/* "p99:unknown-dependence;...": all zero without percentiles. */
static void put_tail_doubts(struct csv *c, const struct report_percentiles *p)
{
	static const char *const names[] = {"p50", "p90", "p99", "p999"};
	struct words to = {""};

	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		for (unsigned bit = TAIL_UNKNOWN; bit <= TAIL_FEW_INDEPENDENT; bit *= 2)
			if (p->at[i].unreliable & bit)
				numbers_append(&to, "%s%s:%s", *to.text ? ";" : "", names[i],
					       reliability_tail_name(bit));
	write_text(c, "percentile_doubts", to.text);
}

static void put_steadiness(struct csv *c, const struct report_site *s)
{
	const struct report_steadiness *t = &s->steadiness;

	write_text(c, "findings",
		   reliability_names(s->findings | s->estimate.unreliable, ";").text);
	write_count(c, "warm_up_calls", t->warmup_calls);
	write_number(c, "warm_up_mean_ns", t->warmup_calls ? t->warmup_ns : NAN);
	write_flag(c, "warm_up_set_aside", t->warmup_aside);
	write_number(c, "first_call_ns", s->overflow ? NAN : t->first_ns);
	write_number(c, "drift_change", t->drift_known ? t->change : NAN);
	write_fields(c, row_fields_outliers, t, isfinite(t->fence_ns));
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

	write_fields(c, row_fields_cost, d, known);
	write_text(c, "inseparable_with", partners);
	write_text(c, "displacement", displaced_state_name(d->state));
	write_fields(c, row_fields_windows, d, d->state);
	write_number(c, "variance_inflation", known ? d->inflation : NAN);
	free(partners);
}

static void put_program(struct csv *c, const struct report *r, const struct report_site *s)
{
	bool apart = s->program < r->programs;

	write_text(c, "program", apart ? r->program[s->program].name : NULL);
	write_number(c, "program_share", apart ? s->program_share : NAN);
	write_number(c, "share_of_time", s->time_share);
	write_text(c, "mean_code", isnan(s->below_ns) ? NULL : REPORT_BELOW_RESOLUTION);
	write_number(c, "mean_below_ns", s->below_ns);
}

static void put_site(struct csv *c, struct stacks *stacks, const void *row)
{
	static const struct prof_function none;
	const struct report_site *site = row;
	const struct report *r = stacks->report;
	struct mean_interval estimate = site->estimate;
	const struct prof_function *f = c->names ? &none : &r->profile->function[site->function];

	write_fields(c, row_fields_function, f, true);
	write_text(c, "outcome", report_names_outcome(site));
	write_fields(c, row_fields_volume, site, true);
	estimate.mean = isnan(site->below_ns) ? estimate.mean : NAN;
	write_fields(c, row_fields_estimate, &estimate, true);
	write_fields(c, row_fields_overhead, site, true);
	put_displaced(c, r, site);
	write_fields(c, row_fields_total, site, true);
	write_fields(c, row_fields_percentiles, &site->percentiles, site->has_percentiles);
	put_tail_doubts(c, &site->percentiles);
	write_fields(c, row_fields_size, site, true);
	write_fields(c, row_fields_slow, site, site->has_slow);
	put_steadiness(c, site);
	write_fields(c, row_fields_states, &site->states, site->states.known);
	write_text(c, "path_end", report_names_path_end(site));
	write_path(c, stacks, site, "path", false);
	write_path(c, stacks, site, "path_places", true);
	put_program(c, r, site);
}

/* ---- computing, gaps, threads, processes ---- */

static void put_computing(struct csv *c, struct stacks *stacks, const void *row)
{
	const struct report_computing_row *of = row;

	write_fields(c, row_fields_computing, of, true);
	write_text(c, "path_end", report_names_path_end(&of->place));
	write_path(c, stacks, &of->place, "path", false);
	write_path(c, stacks, &of->place, "path_places", true);
}

/* A site at the end of a gap: number of its row by --by site, function, its caller. */
static void put_gap_end(struct csv *c, struct report *r, uint32_t site, const char *const column[3],
			const char *none)
{
	const struct report_site *s = site < r->sites ? &r->site[site] : NULL;
	const struct symbol *symbol = NULL;

	if (s && s->frames)
		symbol =
			frame_symbols_find(r, &s->frame[path_site_find(s->frame, s->frames)], NULL);
	write_text(c, column[0], s ? r->profile->function[s->function].name : none);
	write_text(c, column[1], s ? report_names_outcome(s) : NULL);
	write_text(c, column[2], symbol ? symbol->function : NULL);
}

static void put_gap(struct csv *c, struct stacks *stacks, const void *row)
{
	const struct report_gap *g = row;
	static const char *const from[] = {"from", "from_outcome", "from_caller"};
	static const char *const to[] = {"to", "to_outcome", "to_caller"};

	put_gap_end(c, stacks->report, g->from, from, "(thread start)");
	put_gap_end(c, stacks->report, g->to, to, "(thread end)");
	write_fields(c, row_fields_gap, g, true);
}

static void put_thread(struct csv *c, struct stacks *stacks, const void *row)
{
	(void)stacks;
	write_fields(c, row_fields_thread, row, true);
}

static void put_process(struct csv *c, struct stacks *stacks, const void *row)
{
	static const struct prof_process none;
	const struct report_process *p = row;
	const struct prof_process *in = c->names ? &none : p->process;

	(void)stacks;
	write_count(c, "pid", in->pid);
	write_count(c, "ppid", in->ppid);
	write_count(c, "processes", in->count);
	write_text(c, "exe", in->exe);
	write_text(c, "argv0", in->argc ? in->argv[0] : NULL);
	write_text(c, "ended", process_end_name(in));
	write_number(c, "wall_s", p->wall_s);
	write_fields(c, row_fields_process, p, true);
	write_text(c, "name", in->program);
	write_number(c, "status", in->end.seen == SCP_END_STATUS ? in->end.value : NAN);
	write_number(c, "signal", in->end.seen == SCP_END_SIGNAL ? in->end.value : NAN);
}

/* Rows of `size` bytes; `none` for the line of names. */
struct rows {
	void (*put)(struct csv *c, struct stacks *stacks, const void *row);
	const void *none, *row;
	uint32_t count;
	size_t size;
};

static struct rows rows_of(const struct report *r, const struct report_options *o)
{
	static const struct report_computing nothing;
	static const struct report_computing_row function;
	static const struct report_site site = {.program = REPORT_NO_PROGRAM};
	static const struct report_gap gap = {.from = PROF_NONE, .to = PROF_NONE};
	static const struct report_thread thread;
	static const struct report_process process;

	if (o->weight == REPORT_WEIGHT_COMPUTING) {
		const struct report_computing *c = r->computing ? r->computing : &nothing;

		return (struct rows){put_computing, &function, c->row, c->rows, sizeof(function)};
	}
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

	if (o->weight == REPORT_WEIGHT_COMPUTING && computing_find(r))
		return -1;
	const struct rows rows = rows_of(r, o);
	const char *row = rows.row;

	rows.put(&c, &stacks, rows.none);
	c.names = false;
	for (uint32_t i = 0; !c.failed && i < rows_of_top(rows.count, o->top); i++) {
		fputs("\r\n", out);
		c.inside = false;
		rows.put(&c, &stacks, row + i * rows.size);
	}
	fputs("\r\n", out);
	stacks_end(&stacks);
	return c.failed ? -1 : 0;
}
