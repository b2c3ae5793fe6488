// SPDX-License-Identifier: GPL-3.0-or-later
/* The time between calls, threads and processes: short tables, of which a page shows no more
 * than people read. */
#include "report/render/html/html_write.h"

#define ROWS_MOST 1000 /* the longest come first; JSON has all */

static uint32_t shown(uint32_t rows)
{
	return rows < ROWS_MOST ? rows : ROWS_MOST;
}

static void begin(struct html *h, const char *key, uint32_t rows, const char *fields)
{
	html_write_key(h, key);
	html_write_open(h, '{');
	html_write_key(h, "of");
	html_write_count(h, rows);
	html_write_fields(h, "fields", fields);
	html_write_key(h, "rows");
	html_write_open(h, '[');
}

static void end(struct html *h)
{
	html_write_close(h, ']');
	html_write_close(h, '}');
}

/* A row that is not shown has no number; its function's name is there in any case. */
static void put_end(struct html *h, uint32_t site, const char *none)
{
	const struct report *r = h->report;

	html_write_index(h, site < h->sites ? site : NAMES_NONE);
	html_write_string(h, site < r->sites ? r->profile->function[r->site[site].function].name
					     : none);
}

static void put_gaps(struct html *h)
{
	const struct report *r = h->report;

	begin(h, "gaps", r->gaps,
	      "from from_name to to_name calls mean low high below above max total share");
	for (uint32_t i = 0; i < shown(r->gaps); i++) {
		const struct report_gap *g = &r->gap[i];

		put_end(h, g->from, "(thread start)");
		put_end(h, g->to, "(thread end)");
		html_write_count(h, g->calls);
		html_write_number(h, g->estimate.mean_ns);
		html_write_number(h, g->estimate.low_ns);
		html_write_number(h, g->estimate.high_ns);
		html_write_relative(h, g->estimate.mean_ns, g->estimate.low_ns,
				    g->estimate.high_ns);
		html_write_number(h, g->max_ns);
		html_write_number(h, g->total_ns);
		html_write_number(h, g->share);
	}
	end(h);
}

static void put_threads(struct html *h)
{
	const struct report *r = h->report;

	begin(h, "threads", r->threads,
	      "name pid tid served time in_calls between nested left_over calls");
	for (uint32_t i = 0; i < shown(r->threads); i++) {
		const struct report_thread *t = &r->thread[i];

		html_write_string(h, t->name);
		html_write_count(h, t->pid);
		html_write_count(h, t->tid);
		html_write_count(h, t->threads);
		html_write_number(h, t->time_ns);
		html_write_number(h, t->calls_ns);
		html_write_number(h, t->gaps_ns);
		html_write_number(h, t->nested_ns);
		html_write_number(h, t->remainder_ns);
		html_write_count(h, t->calls);
	}
	end(h);
}

static void put_processes(struct html *h)
{
	const struct report *r = h->report;

	begin(h, "processes", r->processes, "pid program processes wall ended threads calls time");
	for (uint32_t i = 0; i < shown(r->processes); i++) {
		const struct report_process *p = &r->process[i];
		const struct prof_process *in = p->process;

		html_write_count(h, in->pid);
		html_write_string(h, in->program);
		html_write_count(h, in->count);
		html_write_number(h, p->wall_s * 1e9);
		html_write_string(h, words_end_name(in->end_state));
		html_write_count(h, p->threads);
		html_write_count(h, p->calls);
		html_write_number(h, p->calls_ns);
	}
	end(h);
}

void html_tables(struct html *h)
{
	put_gaps(h);
	put_threads(h);
	put_processes(h);
}
