// SPDX-License-Identifier: GPL-3.0-or-later
/* The document: what ran and how, then sites, gaps, threads and processes, a row a line. */
#include "report/render/json/json.h"

#include "report/findings/findings.h"
#include "report/model/model.h"
#include "report/render/formats.h"

/* `sites` are in the document; a thread's ends, and what --top left out, have no index. */
static void put_gap(struct json_writer *w, const struct report *r, const struct report_gap *g,
		    uint32_t sites)
{
	json_write_open(w, NULL, '{');
	json_site_name(w, "from", r, g->from, "(thread start)");
	json_site_name(w, "to", r, g->to, "(thread end)");
	json_write_count_if(w, "from_site", g->from < sites, g->from);
	json_write_count_if(w, "to_site", g->to < sites, g->to);
	json_write_fields(w, row_fields_gap, g, true);
	json_write_close(w, '}');
}

static void put_process(struct json_writer *w, const struct report_process *p)
{
	const struct prof_process *in = p->process;

	json_write_open(w, NULL, '{');
	JSON_MEMBERS(w, in, pid, ppid);
	JSON_PUT(w, "processes", in->count, "name", in->program, "exe", in->exe);
	json_run_argv(w, in);
	json_write_time(w, "start", in->start_real_ns, 3);
	JSON_PUT(w, "wall_s", p->wall_s, "ended", process_end_name(in));
	json_run_end_value(w, in);
	json_write_fields(w, row_fields_process, p, true);
	json_write_close(w, '}');
}

static void put_site(struct json_writer *w, struct report *r, const struct report_site *s)
{
	json_write_open(w, NULL, '{');
	json_site_write(w, r, s);
	json_write_close(w, '}');
}

static void put_rows(struct json_writer *w, const struct report *r, const struct report_options *o)
{
	uint32_t sites = rows_of_top(r->sites, o->top);

	JSON_LIST_LINES(w, "gaps", e, r->gap, rows_of_top(r->gaps, o->top),
			put_gap(w, r, e, sites));
	JSON_LIST_LINES(w, "threads", e, r->thread, rows_of_top(r->threads, o->top),
			json_write_object(w, NULL, row_fields_thread, e));
	JSON_LIST_LINES(w, "processes", e, r->process, rows_of_top(r->processes, o->top),
			put_process(w, e));
	json_loops_write(w, r, sites, o->top ? o->top : UINT32_MAX);
}

/* With the instants both as seconds after the start and as times of day, to be found in a log. */
static void put_call(struct json_writer *w, struct report *r, const struct report_slowest *s)
{
	const struct prof_function *f = &r->profile->function[s->place.function];

	json_write_open(w, NULL, '{');
	json_write_fields(w, row_fields_function, f, true);
	json_write_text(w, "outcome", report_names_outcome(&s->place));
	json_write_count_if(w, "bytes", s->place.has_bytes, s->place.bytes);
	json_write_number(w, "duration_ns", s->duration_ns);
	JSON_PUT(w, "duration_low_ns", s->low_ns, "duration_high_ns", s->high_ns);
	json_write_count(w, "ticks", s->ticks);
	json_write_count_if(w, "slow_ticks", r->profile->slow.kind != SCP_CLOCK_NONE,
			    s->slow_ticks);
	JSON_MEMBERS(w, s, began_s, ended_s);
	json_write_time(w, "began", s->began_real_ns, 9);
	json_write_time(w, "ended", s->ended_real_ns, 9);
	JSON_MEMBERS(w, s, pid, tid, thread);
	json_states_write_call(w, s);
	json_stack_write(w, r, &s->place);
	json_write_close(w, '}');
}

static void put_slowest(struct json_writer *w, struct report *r, uint32_t shown)
{
	const struct scp_slowest_asked *asked = &r->profile->slowest_asked;

	json_write_open(w, "slowest_asked", '{');
	JSON_MEMBERS(w, asked, count, least_ns);
	json_write_flag(w, "chosen", asked->flags & SCP_SLOWEST_CHOSEN);
	json_write_close(w, '}');
	JSON_LIST(w, "slowest", e, r->slowest, shown, put_call(w, r, e));
}

static void put_ticker(struct json_writer *w, const struct profile *p)
{
	const struct scp_ticker_cost *c = &p->ticker_cost;

	if (!json_write_open_known(w, "ticker", p->ticker_ticks || c->asked_ns))
		return;
	json_write_count(w, "ticks", p->ticker_ticks);
	JSON_MEMBERS(w, c, cpu_ns, taken_ns, most_ns);
	json_write_count_if(w, "asked_ns", c->asked_ns, c->asked_ns);
	json_write_close(w, '}');
}

static void put_totals(struct json_writer *w, const struct report *r)
{
	const struct report_overhead *o = &r->overhead;

	json_write_open(w, "totals", '{');
	JSON_MEMBERS(w, r, calls, calls_ns, waiting_ns, nested_ns, gaps_ns, recording_ns,
		     recordings, walks, time_ns, remainder_ns);
	JSON_PUT(w, "overhead_measured", o->measured, "overhead_ns", o->inside_ns);
	JSON_PUT(w, "overhead_error_ns", o->inside_error_ns, "overhead_outside_ns", o->outside_ns);
	JSON_PUT(w, "overhead_inner_ns", o->inner_ns, "overhead_inner_error_ns", o->inner_error_ns);
	JSON_MEMBERS(w, r, perturbation_ns, perturbation_low_ns, perturbation_high_ns);
	put_ticker(w, r->profile);
	json_states_write_threads(w, r);
	JSON_MEMBERS(w, r, sites, gaps);
	json_write_close(w, '}');
}

static void put_elsewhere(struct json_writer *w, const struct report *r)
{
	json_write_open(w, "elsewhere", '[');
	for (const struct report_elsewhere *e = r->elsewhere; e < r->elsewhere + r->elsewheres;
	     e++) {
		json_write_open(w, NULL, '{');
		JSON_MEMBERS(w, e, group, calls, time_s, error_s, waiting_s, share);
		JSON_LIST(w, "functions", f, e->function, e->functions,
			  JSON_OBJECT(w, NULL, "name", r->profile->function[f->function].name,
				      "calls", f->calls, "time_s", f->time_s, "error_s",
				      f->error_s));
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void put_paths(struct json_writer *w, const struct report *r)
{
	json_write_open(w, "paths", '{');
	json_write_count(w, "seen", samples_none_of(r->profile));
	JSON_MEMBERS(w, &r->profile->path_checks, verified, differ, undecided);
	json_write_count(w, "heuristic", r->heuristic_paths);
	json_write_close(w, '}');
}

static void put_head(struct json_writer *w, const struct report *r)
{
	const struct verdict verdict = verdict_of(r);

	JSON_PUT(w, "schema", "scprof-report/1", "by", report_names_by(r->by));
	json_run_write(w, r);
	json_write_number(w, "confidence", r->confidence);
	json_write_text(w, "warm_up", r->include_warmup ? "included" : "set-aside");
	put_totals(w, r);
	json_states_write_switches(w, r->profile);
	JSON_OBJECT_OF(w, "ledger", &r->ledger, cpu_share, waits_share, reads_share, writes_share,
		       cpu_s, waits, reads, writes);
	put_elsewhere(w, r);
	put_paths(w, r);
	JSON_OBJECT_OF(w, "verdict", &verdict, code, text);
}

int json_computing_write(struct json_writer *w, struct report *r, uint32_t most)
{
	const struct prof_sampling *s = &r->profile->sampling;

	if (computing_find(r))
		return -1;
	const struct report_computing *c = r->computing;
	if (!json_write_open_known(w, "computing", c))
		return 0;
	json_write_count(w, "samples", c->samples);
	JSON_MEMBERS(w, s, lost, cut);
	json_write_count(w, "in_calls", c->in_calls);
	json_write_count(w, "period_ns", s->period_ns);
	json_write_text(w, "of", c->user ? "user-space" : "all");
	JSON_MEMBERS(w, c, cpu_s, in_calls_cpu_s);
	json_write_object(w, "recording", row_fields_computing + ROW_FIELDS_COMPUTING_NUMBERS,
			  &c->recording);
	json_write_open(w, "rows", '[');
	for (uint32_t i = 0; i < c->rows && i < most; i++) {
		json_write_open(w, NULL, '{');
		json_write_fields(w, row_fields_computing, &c->row[i], true);
		json_stack_write(w, r, &c->row[i].place);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	json_write_close(w, '}');
	return 0;
}

static void put_losses(struct json_writer *w, const struct report *r)
{
	json_write_count(w, "skipped_calls", r->skipped_calls);
	JSON_MEMBERS(w, &r->profile->losses, abandoned_calls, unmatched_ends);
	json_write_count(w, "uncopied_calls", r->profile->uncopied_calls);
	json_write_count(w, "overflow_calls", r->overflow_calls);
}

void json_warnings_write(struct json_writer *w, const struct report_warning *warning,
			 uint32_t warnings)
{
	JSON_LIST(w, "warnings", e, warning, warnings,
		  JSON_OBJECT_OF(w, NULL, e, code, text, brief));
}

int json_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct json_writer w = {.out = out};

	json_write_open_lines(&w, NULL, '{');
	put_head(&w, r);
	JSON_LIST_LINES(&w, "sites", e, r->site, rows_of_top(r->sites, o->top), put_site(&w, r, e));
	put_rows(&w, r, o);
	if (json_computing_write(&w, r, rows_of_top(UINT32_MAX, o->top)))
		return -1;
	put_slowest(&w, r, rows_of_top(r->slowests, o->top));
	put_losses(&w, r);
	json_warnings_write(&w, r->warning, r->warnings); /* symbolizing may have added some */
	json_write_texts(&w, "next_steps", (const char *const *)r->next_step, r->next_steps);
	return json_write_finish(&w);
}
