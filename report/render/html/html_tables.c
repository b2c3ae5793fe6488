// SPDX-License-Identifier: GPL-3.0-or-later
/* Gaps, threads, processes, programs, loops: short tables, limited to what people read. */
#include "report/render/html/html_write.h"

#include "report/loops/loop.h"

#define ROWS_MOST 1000 /* the longest come first; JSON has all */

static uint32_t shown(uint32_t rows)
{
	return rows < ROWS_MOST ? rows : ROWS_MOST;
}

static void begin(struct html *h, const char *key, uint32_t rows, const char *fields)
{
	json_write_open(&h->json, key, '{');
	json_write_count(&h->json, "of", rows);
	html_write_fields(h, "fields", fields);
	json_write_open(&h->json, "rows", '[');
}

static void end(struct html *h)
{
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}

/* A row that is not shown has no number, but its function has a name. */
static void put_end(struct html *h, uint32_t site, const char *none)
{
	const struct report *r = h->report;

	html_write_index(h, NULL, site < h->sites ? site : STRING_INDEX_NONE);
	html_write_string(h, NULL,
			  site < r->sites ? r->profile->function[r->site[site].function].name
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
		json_write_count(&h->json, NULL, g->calls);
		html_write_interval(h, g->estimate.mean, g->estimate.low, g->estimate.high);
		json_write_number(&h->json, NULL, g->max_ns);
		json_write_number(&h->json, NULL, g->total_ns);
		json_write_number(&h->json, NULL, g->share);
	}
	end(h);
}

static void put_threads(struct html *h)
{
	const struct report *r = h->report;

	begin(h, "threads", r->threads,
	      "name pid tid served time in_calls waiting between nested recording left_over calls");
	for (uint32_t i = 0; i < shown(r->threads); i++) {
		const struct report_thread *t = &r->thread[i];

		html_write_string(h, NULL, t->name);
		json_write_count(&h->json, NULL, t->pid);
		json_write_count(&h->json, NULL, t->tid);
		json_write_count(&h->json, NULL, t->threads);
		json_write_number(&h->json, NULL, t->time_ns);
		json_write_number(&h->json, NULL, t->calls_ns);
		json_write_number(&h->json, NULL, t->waiting_ns);
		json_write_number(&h->json, NULL, t->gaps_ns);
		json_write_number(&h->json, NULL, t->nested_ns);
		json_write_number(&h->json, NULL, t->recording_ns);
		json_write_number(&h->json, NULL, t->remainder_ns);
		json_write_count(&h->json, NULL, t->calls);
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

		json_write_count(&h->json, NULL, in->pid);
		html_write_string(h, NULL, in->program);
		json_write_count(&h->json, NULL, in->count);
		json_write_number(&h->json, NULL, p->wall_s * 1e9);
		html_write_string(h, NULL, report_names_end(in));
		json_write_count(&h->json, NULL, p->threads);
		json_write_count(&h->json, NULL, p->calls);
		json_write_number(&h->json, NULL, p->calls_ns);
	}
	end(h);
}

static void put_programs(struct html *h)
{
	const struct report *r = h->report;

	json_write_flag(&h->json, "apart", r->apart);
	begin(h, "programs", r->programs,
	      "name exe processes runs wall cpu threads calls time waiting rows");
	for (uint32_t i = 0; i < shown(r->programs); i++) {
		const struct report_program *p = &r->program[i];

		html_write_string(h, NULL, p->name);
		html_write_string(h, NULL, p->first->exe);
		json_write_count(&h->json, NULL, p->processes);
		json_write_count(&h->json, NULL, p->runs);
		json_write_number(&h->json, NULL, p->wall_s * 1e9);
		json_write_number(&h->json, NULL, p->cpu_s * 1e9);
		json_write_count(&h->json, NULL, p->threads);
		json_write_count(&h->json, NULL, p->calls);
		json_write_number(&h->json, NULL, p->calls_ns);
		json_write_number(&h->json, NULL, p->waiting_ns);
		json_write_count(&h->json, NULL, p->sites);
	}
	end(h);
}

void html_tables(struct html *h)
{
	put_programs(h);
	put_gaps(h);
	put_threads(h);
	put_processes(h);
}

/* ---- the loops of threads, longest first; each row is a call, a gap, or the time left over ----
 */

#define LOOPS_MOST 20

static void put_loop_row(struct html *h, const struct loop_row *row)
{
	json_write_count(&h->json, NULL, row->kind);
	put_end(h, row->from, "(thread start)");
	put_end(h, row->to, "(thread end)");
	json_write_count(&h->json, NULL, row->way);
	json_write_count(&h->json, NULL, row->states);
	json_write_count(&h->json, NULL, row->edges);
	json_write_number(&h->json, NULL, row->per_pass);
	html_write_interval(h, row->estimate.mean, row->estimate.low, row->estimate.high);
	json_write_number(&h->json, NULL, row->pass_ns);
	json_write_number(&h->json, NULL, row->permille);
	json_write_number(&h->json, NULL, row->chance);
}

static void put_cycle(struct html *h, const struct loop *l, const struct loop_cycle *c)
{
	json_write_open(&h->json, NULL, '{');
	json_write_count(&h->json, "passes", c->passes);
	json_write_open(&h->json, "mean", '[');
	html_write_limits(h, c->mean_ns, c->low_ns, c->high_ns);
	json_write_close(&h->json, ']');
	json_write_number(&h->json, "permille", c->permille);
	json_write_open(&h->json, "rows", '[');
	for (uint32_t i = c->row; i < c->row + c->rows; i++)
		put_loop_row(h, &l->row[i]);
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}

static void put_loop(struct html *h, const struct loop *l)
{
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;

	json_write_open(&h->json, NULL, '{');
	html_write_string(h, "thread", l->tables ? l->thread[0].name : NULL);
	json_write_count(&h->json, "tid", l->tables ? l->thread[0].tid : 0);
	json_write_count(&h->json, "others", l->threads ? l->threads - 1 : 0);
	json_write_number(&h->json, "time", l->time_ns);
	json_write_number(&h->json, "share", l->share);
	json_write_number(&h->json, "outside",
			  last && last->kind == LOOP_OUTSIDE ? last->permille : 0);
	json_write_open(&h->json, "cycles", '[');
	for (uint32_t i = 0; i < l->cycles; i++)
		put_cycle(h, l, &l->cycle[i]);
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}

void html_loops(struct html *h)
{
	const struct loop_report *loops = h->report->loops;

	html_write_fields(
		h, "loop_fields",
		"kind from from_name to to_name way states edges per_pass mean low high below "
		"above pass permille chance");
	json_write_count(&h->json, "loops_of", loops ? loops->loops : 0);
	json_write_open(&h->json, "loops", '[');
	for (uint32_t i = 0; loops && i < loops->loops && i < LOOPS_MOST; i++)
		put_loop(h, &loops->loop[i]);
	json_write_close(&h->json, ']');
}
