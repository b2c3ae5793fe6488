// SPDX-License-Identifier: GPL-3.0-or-later
/* Gaps, threads, processes, programs, loops: short tables, limited to what people read. */
#include "report/render/html/html_write.h"

#include "report/loops/loop.h"
#include "report/model/sites.h"
#include "report/model/model.h"

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

	HTML_PUT(h, html_index(site < h->sites ? site : STRING_INDEX_NONE),
		 site < r->sites ? r->profile->function[r->site[site].function].name : none);
}

static void put_gaps(struct html *h)
{
	const struct report *r = h->report;

	begin(h, "gaps", r->gaps,
	      "from from_name to to_name calls mean low high below above max total share");
	for (const struct report_gap *g = r->gap; g < r->gap + shown(r->gaps); g++) {
		put_end(h, g->from, "(thread start)");
		put_end(h, g->to, "(thread end)");
		HTML_PUT(h, g->calls);
		html_write_interval(h, &g->estimate);
		HTML_PUT(h, g->max_ns, g->total_ns, g->share);
	}
	end(h);
}

static void put_threads(struct html *h)
{
	const struct report *r = h->report;

	begin(h, "threads", r->threads,
	      "name pid tid served time in_calls waiting between nested recording left_over calls");
	for (const struct report_thread *t = r->thread; t < r->thread + shown(r->threads); t++)
		HTML_PUT(h, t->name, t->pid, t->tid, t->threads, t->time_ns, t->in_calls_ns,
			 t->waiting_ns, t->gaps_ns, t->nested_ns, t->recording_ns, t->remainder_ns,
			 t->calls);
	end(h);
}

static void put_processes(struct html *h)
{
	const struct report *r = h->report;

	begin(h, "processes", r->processes, "pid program processes wall ended threads calls time");
	for (uint32_t i = 0; i < shown(r->processes); i++) {
		const struct report_process *p = &r->process[i];
		const struct prof_process *in = p->process;

		HTML_PUT(h, in->pid, in->program, in->count, p->wall_s * 1e9, process_end_name(in),
			 p->threads, p->calls, p->in_calls_ns);
	}
	end(h);
}

static void put_programs(struct html *h)
{
	const struct report *r = h->report;

	json_write_flag(&h->json, "apart", r->apart);
	begin(h, "programs", r->programs,
	      "name exe processes runs wall cpu threads calls time waiting rows");
	for (const struct report_program *p = r->program; p < r->program + shown(r->programs);
	     p++) {
		HTML_PUT(h, p->name, p->first->exe, p->processes, p->runs, p->wall_s * 1e9,
			 p->cpu_s * 1e9, p->threads, p->calls, p->in_calls_ns, p->waiting_ns,
			 p->sites);
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

/* ---- the loops of threads, longest first; a row is a call, a gap, or the time left over ---- */

#define LOOPS_MOST 20

static void put_loop_row(struct html *h, const struct loop_row *row)
{
	HTML_PUT(h, row->kind);
	put_end(h, row->from, "(thread start)");
	put_end(h, row->to, "(thread end)");
	HTML_PUT(h, row->way, row->states, row->edges, row->per_pass);
	html_write_interval(h, &row->estimate);
	HTML_PUT(h, row->pass_ns, (double)row->permille, (double)row->chance);
}

static void put_cycle(struct html *h, const struct loop *l, const struct loop_cycle *c)
{
	json_write_open(&h->json, NULL, '{');
	json_write_count(&h->json, "passes", c->passes);
	json_write_numbers(&h->json, "mean", (double[]){c->mean_ns, c->low_ns, c->high_ns}, 3);
	json_write_number(&h->json, "permille", c->permille);
	JSON_LIST(&h->json, "rows", e, l->row + c->row, c->rows, put_loop_row(h, e));
	json_write_close(&h->json, '}');
}

static void put_loop(struct html *h, const struct loop *l)
{
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;

	json_write_open(&h->json, NULL, '{');
	json_write_integer(
		&h->json, "thread",
		html_index(string_index_add(&h->strings, l->tables ? l->thread[0].name : NULL)));
	json_write_count(&h->json, "tid", l->tables ? l->thread[0].tid : 0);
	JSON_PUT(&h->json, "others", l->threads ? l->threads - 1 : 0, "time", l->time_ns);
	json_write_number(&h->json, "share", l->share);
	json_write_number(&h->json, "outside",
			  last && last->kind == LOOP_OUTSIDE ? last->permille : 0);
	JSON_LIST(&h->json, "cycles", e, l->cycle, l->cycles, put_cycle(h, l, e));
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

/* ---- where the time of rows and of all threads went ---- */

static void put_row(struct html *h, const struct report_site *s)
{
	const struct report_states *t = &s->states;
	const struct mean_interval *part[] = {&t->unswitched, &t->on_cpu, &t->runnable, &t->asleep,
					      &t->charged};

	HTML_PUT(h, t->switched_share, t->estimated, t->readings, t->most_on_cpu_ns);
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		HTML_PUT(h, part[i]->mean, part[i]->low, part[i]->high);
	html_write_doubts(h, states_doubts(t));
	JSON_LIST(&h->json, NULL, e, s->bar, s->bars,
		  json_write_count(&h->json, NULL, e->switched));
}

/* Most rows of a program that computes were never switched: their mean is all on a CPU, and their
 * two numbers say so. */
static void put_rows(struct html *h)
{
	html_write_fields(h, "state_fields",
			  "row calls switched share estimated readings most_on_cpu unswitched "
			  "unswitched_low unswitched_high on_cpu on_cpu_low on_cpu_high runnable "
			  "runnable_low "
			  "runnable_high asleep asleep_low asleep_high charged charged_low "
			  "charged_high doubts bars");
	json_write_open(&h->json, "states", '[');
	for (uint32_t i = 0; i < h->sites; i++) {
		const struct report_states *t = &h->report->site[i].states;

		if (!t->known)
			continue;
		json_write_open(&h->json, NULL, '[');
		HTML_PUT(h, i, t->calls, t->switched_calls);
		if (t->switched_calls || t->readings)
			put_row(h, &h->report->site[i]);
		json_write_close(&h->json, ']');
	}
	json_write_close(&h->json, ']');
}

static void put_threads_time(struct html *h)
{
	const struct report_threads_time *t = programs_time(h->report);
	const struct threads_cpu cpu = threads_time_cpu(h->report, t);
	const char *mostly = threads_time_mostly(t);

	if (!json_write_open_known(&h->json, "threads_time", mostly))
		return;
	JSON_PUT(&h->json, "mostly", mostly, "stolen", t->stolen_share);
	html_write_fields(
		h, "parts",
		"cpu_in_calls cpu_outside recording runnable asleep_in_calls not_recorded");
	json_write_open(&h->json, "ns", '[');
	HTML_PUT(h, 1e9 * cpu.in_calls_s, 1e9 * cpu.outside_s, 1e9 * cpu.recording_s,
		 1e9 * t->runnable_s, 1e9 * t->asleep_in_calls_s, 1e9 * t->not_recorded_s);
	json_write_close(&h->json, ']');
	json_write_close(&h->json, '}');
}

void html_states(struct html *h)
{
	put_rows(h);
	put_threads_time(h);
}

/* ---- the account of the CPUs' time, where there is one ---- */

static void put_cpu(struct html *h, const struct prof_account_cpu *c)
{
	json_write_open(&h->json, NULL, '[');
	HTML_PUT(h, html_index(c->cpu), c->wall_ns);
	for (int i = 0; i < SCP_ACCOUNT_PARTS; i++)
		HTML_PUT(h, c->part_ns[i], displaced_share(c->part_ns[i], c->wall_ns));
	json_write_close(&h->json, ']');
}

static void put_uncharged(struct html *h, const struct prof_account *a)
{
	struct report_cost c = displaced_uncharged(a, h->report->confidence);
	char text[32];

	json_write_open(&h->json, "uncharged", '[');
	HTML_PUT(h, c.ns, c.low_ns, c.high_ns, displaced_share(c.ns, a->rusage_ns));
	json_write_close(&h->json, ']');
	snprintf(text, sizeof(text), "%.6g %%", 100 * h->report->confidence);
	json_write_text(&h->json, "confidence", text);
}

void html_displaced(struct html *h)
{
	const struct profile *p = h->report->profile;
	const struct prof_account *a = p->account;

	if (!json_write_open_known(&h->json, "displaced", p->accounts == 1 && a->cpus))
		return;
	put_uncharged(h, a);
	json_write_text(&h->json, "sentence", a->texts ? a->text[0] : NULL);
	html_write_fields(h, "parts",
			  "program uncharged others scprof interrupts stolen idle remainder");
	json_write_open(&h->json, "cpus", '[');
	for (uint32_t i = 0; i < a->cpus; i++)
		put_cpu(h, &a->cpu[i]);
	/* where there are several, all together */
	struct prof_account_cpu all = displaced_all_cpus(a);
	if (a->cpus > 1)
		put_cpu(h, &all);
	json_write_close(&h->json, ']');
	json_write_texts(&h->json, "warnings", (const char *const *)a->text + 1,
			 a->texts ? a->texts - 1 : 0);
	json_write_close(&h->json, '}');
}
