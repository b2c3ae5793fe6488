// SPDX-License-Identifier: GPL-3.0-or-later
/* A comparison as one JSON object, schema "scprof-diff/1". As in the report: every field
 * is always there, what is not known is null, names are valid UTF-8 written in ASCII.
 * docs/diff.md has the list; fields may be added, never renamed. */
#include <math.h>

#include "report/compare/diff.h"
#include "report/render/json/json.h"
#include "report/model/model.h"

static void put_stack(struct json_writer *w, const struct diff *d, const struct diff_site *s)
{
	uint32_t frames = diff_path_frames(d, s);

	json_write_open(w, "stack", '[');
	for (uint32_t i = 0; i < frames; i++) {
		size_t count;
		const struct symbol *symbol = diff_path_symbols(d, s, i, &count);

		for (size_t k = 0; k < count; k++)
			json_stack_frame(w, &symbol[k], diff_path_heuristic(d, s, i));
	}
	json_write_close(w, ']');
}

static const struct row_field mean_fields[] = {
	ROW_FIELD("mean_ns", diff_run, mean.mean),
	ROW_FIELD("standard_error_ns", diff_run, mean.error),
	ROW_FIELD("degrees_of_freedom", diff_run, mean.freedom), ROW_SAME(diff_run, design_effect),
	ROW_END};

static void put_run(struct json_writer *w, const struct diff_run *r)
{
	json_write_open(w, NULL, '{');
	json_write_count(w, "calls", r->calls);
	json_write_fields(w, mean_fields, r, r->calls > 0);
	JSON_PUT(w, "undisturbed_ns", r->undisturbed.mean);
	JSON_PUT(w, "undisturbed_error_ns", r->undisturbed.error, "few_ticks", r->few);
	JSON_MEMBERS(w, r, unswitched_calls);
	JSON_PUT(w, "unswitched_mean_ns", r->unswitched.mean);
	JSON_PUT(w, "unswitched_error_ns", r->unswitched.error);
	JSON_PUT(w, "unswitched_undisturbed_ns", r->unswitched_undisturbed.mean);
	JSON_PUT(w, "unswitched_undisturbed_error_ns", r->unswitched_undisturbed.error);
	JSON_PUT(w, "runnable_mean_ns", r->runnable_ns, "asleep_mean_ns", r->asleep_ns);
	json_write_close(w, '}');
}

static void put_side(struct json_writer *w, const struct diff *d, const struct diff_site *s,
		     int side)
{
	const struct diff_side *of = &s->side[side];

	json_write_open(w, side == DIFF_NEW ? "new" : "base", '{');
	JSON_PUT(w, "calls", of->calls, "mean_ns", of->ns, "unswitched_mean_ns", of->unswitched_ns);
	json_write_number(w, "total_ns", of->total_ns);
	json_write_open(w, "runs", '[');
	for (uint32_t i = diff_first_run(d, side); i < diff_end_run(d, side); i++)
		put_run(w, &s->run[i]);
	json_write_close(w, ']');
	json_write_close(w, '}');
}

/* A ratio with its limits. */
#define RATIO(of, in)                                                                              \
	ROW_FIELD("ratio", of, in ratio), ROW_FIELD("ci_low", of, in low),                         \
		ROW_FIELD("ci_high", of, in high)

static const struct row_field test_fields[] = {RATIO(diff_test, ), ROW_END};

static void put_finding(struct json_writer *w, const struct diff_finding *f)
{
	bool tested = f->status <= DIFF_SAME;

	JSON_PUT(w, "status", diff_words_status_name(f->status), "reason", f->reason);
	json_write_fields(w, test_fields, &f->shown, tested);
	JSON_MEMBERS(w, f, p, q);
	json_write_number(w, "detectable", tested ? f->shown.detectable : NAN);
	json_write_text(w, "of", tested ? diff_words_view_name(f->view) : NULL);
	json_write_text(w, "against", tested ? diff_words_against_name(f->against) : NULL);
}

static void put_quantity(struct json_writer *w, const char *key, const struct diff_finding *f)
{
	json_write_open(w, key, '{');
	put_finding(w, f);
	json_write_close(w, '}');
}

static const struct row_field rate_fields[] = {ROW_FIELD("base_calls", diff_rate, calls[DIFF_BASE]),
					       ROW_FIELD("new_calls", diff_rate, calls[DIFF_NEW]),
					       RATIO(diff_rate, ),
					       ROW_SAME(diff_rate, p),
					       ROW_SAME(diff_rate, q),
					       ROW_SAME(diff_rate, changed),
					       ROW_END};

static void put_site(struct json_writer *w, const struct diff *d, const struct diff_site *s)
{
	const struct words other = diff_words_other(d, s);

	json_write_open(w, NULL, '{');
	JSON_MEMBERS(w, s, symbol, library, outcome);
	JSON_PUT(w, "verdict", diff_words(d, s).text, "other", *other.text ? other.text : NULL);
	put_finding(w, &s->verdict);
	put_quantity(w, "elapsed", &s->found[DIFF_ELAPSED]);
	put_quantity(w, "cpu", &s->found[DIFF_CPU_TIME]);
	JSON_MEMBERS(w, s, effect_ns, counts);
	json_write_object(w, "per_unit", rate_fields,
			  isnan(s->rate.calls[DIFF_BASE]) ? NULL : &s->rate);
	JSON_PUT(w, "waits", s->waiting, "lines_differ", s->moved);
	put_side(w, d, s, DIFF_BASE);
	put_side(w, d, s, DIFF_NEW);
	put_stack(w, d, s);
	json_write_close(w, '}');
}

static const struct row_field computing_side[] = {
	ROW_FIELD("samples", diff_side, calls), ROW_SAME(diff_side, share),
	ROW_FIELD("cpu_ns", diff_side, total_ns), ROW_END};

/* A function that computes. */
static void put_function(struct json_writer *w, const struct diff *c, const struct diff_site *s)
{
	json_write_open(w, NULL, '{');
	JSON_PUT(w, "function", s->symbol, "module", s->library, "counts", s->counts);
	json_write_text(w, "verdict", diff_words(c, s).text);
	put_finding(w, &s->verdict);
	json_write_object(w, "base", computing_side, &s->side[DIFF_BASE]);
	json_write_object(w, "new", computing_side, &s->side[DIFF_NEW]);
	json_write_close(w, '}');
}

void diff_json_computing(struct json_writer *w, const struct diff *c)
{
	if (!json_write_open_known(w, "computing", c))
		return;
	JSON_PUT(w, "exit_status", c->status, "base_cpu_ns", c->side[DIFF_BASE].total_ns);
	json_write_number(w, "new_cpu_ns", c->side[DIFF_NEW].total_ns);
	struct words few = diff_words_power(c);
	json_write_text(w, "few", *few.text ? few.text : NULL);
	JSON_LIST(w, "rows", e, c->site, rows_of_top(c->sites, c->options.top),
		  put_function(w, c, e));
	json_write_close(w, '}');
}

static void put_files(struct json_writer *w, const struct diff *d, int side)
{
	static const struct prof_process none;

	json_write_open(w, side == DIFF_NEW ? "new" : "base", '[');
	for (uint32_t i = diff_first_run(d, side); i < diff_end_run(d, side); i++) {
		const struct profile *p = d->profile[i];
		const struct prof_process *of = p->processes ? p->process : &none;

		JSON_OBJECT(w, NULL, "file", of->file, "name", of->program, "exe", of->exe, "clock",
			    report_names_clock(p->clock.kind), "tick_ns", p->clock.tick_ns);
	}
	json_write_close(w, ']');
}

static const struct row_field common_fields[] = {ROW_SAME(diff_common, sites), RATIO(diff_common, ),
						 ROW_END};

#define PER(member) ROW_SAME(diff_per, member)
#define SIDES(field, name)                                                                         \
	ROW_FIELD("base_" name, diff_per, side[DIFF_BASE].field),                                  \
		ROW_FIELD("new_" name, diff_per, side[DIFF_NEW].field)
static const struct row_field per_fields[] = {PER(symbol),
					      PER(outcome),
					      SIDES(units, "units"),
					      SIDES(calls, "calls"),
					      SIDES(ns, "ns"),
					      RATIO(diff_per, time.),
					      ROW_FIELD("p", diff_per, time.p),
					      PER(changed),
					      ROW_END};
static void put_totals(struct json_writer *w, const struct diff *d)
{
	static const char *const names[DIFF_QUANTITIES][2] = {{"working", "waiting"},
							      {"working_cpu", "waiting_cpu"}};
	const struct diff_side *base = &d->side[DIFF_BASE], *new = &d->side[DIFF_NEW];

	json_write_open(w, "totals", '{');
	JSON_MEMBERS(w, d, sites, slower, faster);
	JSON_PUT(w, "no_change_seen", d->same, "not_compared", d->untested);
	JSON_PUT(w, "only_in_base", d->only_base, "only_in_new", d->only_new);
	JSON_MEMBERS(w, d, gone, came);
	JSON_PUT(w, "more_calls", d->more, "fewer_calls", d->fewer);
	JSON_PUT(w, "base_calls", base->calls, "new_calls", new->calls);
	JSON_PUT(w, "base_total_ns", base->total_ns, "new_total_ns", new->total_ns);
	json_write_count(w, "overflow_calls", d->overflow_calls);
	json_write_close(w, '}');
	json_write_open(w, "common", '{');
	for (int i = 0; i < 2 * DIFF_QUANTITIES; i++) {
		const struct diff_common *c = &d->common[i / 2][i % 2];

		json_write_object(w, names[i / 2][i % 2], common_fields, c->sites ? c : NULL);
	}
	json_write_close(w, '}');
	json_write_object(w, "per", per_fields, d->per.symbol ? &d->per : NULL);
}

int diff_json(struct diff *d, FILE *out)
{
	struct json_writer json = {.out = out, .indent = true}, *w = &json;
	const struct words sides = diff_words_sides(d);

	json_write_open(w, NULL, '{');
	JSON_PUT(w, "schema", "scprof-diff/1", "verdict", diff_words_verdict(d).text);
	JSON_PUT(w, "sides", *sides.text ? sides.text : NULL, "exit_status", d->status);
	JSON_PUT(w, "by", report_names_by(d->options.by), "confidence", d->options.confidence);
	json_write_number(w, "threshold", d->options.min_change);
	json_write_number(w, "run_to_run", d->profiles > 2 ? NAN : d->options.run_to_run);
	put_files(w, d, DIFF_BASE);
	put_files(w, d, DIFF_NEW);
	put_totals(w, d);
	JSON_LIST(w, "sites", e, d->site, rows_of_top(d->sites, d->options.top), put_site(w, d, e));
	diff_json_computing(w, d->computing);
	json_warnings_write(w, d->warning, d->warnings);
	return json_write_finish(w);
}
