// SPDX-License-Identifier: GPL-3.0-or-later
/* A comparison as one JSON object, schema "scprof-diff/1". As in the report: every field
 * is always there, what is not known is null, names are valid UTF-8 written in ASCII.
 * docs/diff.md has the list; fields may be added, never renamed. */
#include <math.h>

#include "report/compare/diff.h"
#include "report/render/json/json_stack.h"
#include "report/compare/match.h"

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

static void put_run(struct json_writer *w, const struct diff_run *r)
{
	json_write_open(w, NULL, '{');
	json_write_count(w, "calls", r->calls);
	json_write_number(w, "mean_ns", r->calls ? r->mean.mean : NAN);
	json_write_number(w, "standard_error_ns", r->calls ? r->mean.error : NAN);
	json_write_number(w, "degrees_of_freedom", r->calls ? r->mean.freedom : NAN);
	json_write_number(w, "design_effect", r->calls ? r->design_effect : NAN);
	json_write_number(w, "undisturbed_ns", r->undisturbed.mean);
	json_write_number(w, "undisturbed_error_ns", r->undisturbed.error);
	json_write_flag(w, "few_ticks", r->few);
	json_write_number(w, "unswitched_calls", r->unswitched_calls);
	json_write_number(w, "unswitched_mean_ns", r->unswitched.mean);
	json_write_number(w, "unswitched_error_ns", r->unswitched.error);
	json_write_number(w, "unswitched_undisturbed_ns", r->unswitched_undisturbed.mean);
	json_write_number(w, "unswitched_undisturbed_error_ns", r->unswitched_undisturbed.error);
	json_write_number(w, "runnable_mean_ns", r->runnable_ns);
	json_write_number(w, "asleep_mean_ns", r->asleep_ns);
	json_write_close(w, '}');
}

/* An average run, and each of them. */
static void put_side(struct json_writer *w, const struct diff *d, const struct diff_site *s,
		     bool new)
{
	uint32_t first = new ? d->bases : 0, end = new ? d->profiles : d->bases;

	json_write_open(w, new ? "new" : "base", '{');
	json_write_number(w, "calls", new ? s->new_calls : s->base_calls);
	json_write_number(w, "mean_ns", new ? s->new_ns : s->base_ns);
	json_write_number(w, "unswitched_mean_ns",
			  new ? s->new_unswitched_ns : s->base_unswitched_ns);
	json_write_number(w, "total_ns", new ? s->new_total_ns : s->base_total_ns);
	json_write_open(w, "runs", '[');
	for (uint32_t i = first; i < end; i++)
		put_run(w, &s->run[i]);
	json_write_close(w, ']');
	json_write_close(w, '}');
}

static void put_finding(struct json_writer *w, const struct diff_finding *f)
{
	bool tested = f->status <= DIFF_SAME;
	const struct diff_test *t = &f->shown;

	json_write_text(w, "status", diff_words_status_name(f->status));
	json_write_text(w, "reason", f->reason);
	json_write_number(w, "ratio", tested ? t->ratio : NAN);
	json_write_number(w, "ci_low", tested ? t->low : NAN);
	json_write_number(w, "ci_high", tested ? t->high : NAN);
	json_write_number(w, "p", f->p);
	json_write_number(w, "q", f->q);
	json_write_number(w, "detectable", tested ? t->detectable : NAN);
	json_write_text(w, "of", tested ? diff_words_view_name(f->view) : NULL);
	json_write_text(w, "against", tested ? diff_words_against_name(f->against) : NULL);
}

static void put_quantity(struct json_writer *w, const struct diff_site *s, const char *key,
			 enum diff_quantity of)
{
	json_write_open(w, key, '{');
	put_finding(w, &s->found[of]);
	json_write_close(w, '}');
}

static void put_rate(struct json_writer *w, const struct diff_rate *r)
{
	if (isnan(r->base)) {
		json_write_null(w, "per_unit");
		return;
	}
	json_write_open(w, "per_unit", '{');
	json_write_number(w, "base_calls", r->base);
	json_write_number(w, "new_calls", r->new);
	json_write_number(w, "ratio", r->ratio);
	json_write_number(w, "ci_low", r->low);
	json_write_number(w, "ci_high", r->high);
	json_write_number(w, "p", r->p);
	json_write_number(w, "q", r->q);
	json_write_flag(w, "changed", r->changed);
	json_write_close(w, '}');
}

static void put_site(struct json_writer *w, const struct diff *d, const struct diff_site *s)
{
	char words[DIFF_WORDS], other[DIFF_WORDS];

	diff_words(d, s, words, sizeof(words));
	diff_words_other(d, s, other, sizeof(other));
	json_write_open(w, NULL, '{');
	json_write_text(w, "symbol", s->symbol);
	json_write_text(w, "library", s->library);
	json_write_text(w, "outcome", s->outcome);
	json_write_text(w, "verdict", words);
	json_write_text(w, "other", *other ? other : NULL);
	put_finding(w, &s->verdict);
	put_quantity(w, s, "elapsed", DIFF_ELAPSED);
	put_quantity(w, s, "cpu", DIFF_CPU_TIME);
	json_write_number(w, "effect_ns", s->effect_ns);
	json_write_flag(w, "counts", s->counts);
	put_rate(w, &s->rate);
	json_write_flag(w, "waits", s->waiting);
	json_write_flag(w, "lines_differ", s->moved);
	put_side(w, d, s, false);
	put_side(w, d, s, true);
	put_stack(w, d, s);
	json_write_close(w, '}');
}

static void put_sites(struct json_writer *w, const struct diff *d)
{
	const struct diff_options *o = &d->options;
	bool all = o->top == REPORT_TOP_DEFAULT || o->top == 0 || o->top > d->sites;

	json_write_open(w, "sites", '[');
	for (uint32_t i = 0; i < (all ? d->sites : o->top); i++)
		put_site(w, d, &d->site[i]);
	json_write_close(w, ']');
}

static void put_file(struct json_writer *w, const struct profile *p)
{
	json_write_open(w, NULL, '{');
	json_write_text(w, "file", p->processes ? p->process[0].file : NULL);
	json_write_text(w, "name", p->processes ? p->process[0].program : NULL);
	json_write_text(w, "exe", p->processes ? p->process[0].exe : NULL);
	json_write_text(w, "clock", report_names_clock(p->clock.kind));
	json_write_number(w, "tick_ns", p->clock.tick_ns);
	json_write_close(w, '}');
}

static void put_files(struct json_writer *w, const struct diff *d, bool new)
{
	uint32_t first = new ? d->bases : 0, end = new ? d->profiles : d->bases;

	json_write_open(w, new ? "new" : "base", '[');
	for (uint32_t i = first; i < end; i++)
		put_file(w, d->profile[i]);
	json_write_close(w, ']');
}

static void put_common(struct json_writer *w, const struct diff *d, const char *key,
		       enum diff_quantity of, bool waiting)
{
	const struct diff_common *c = &d->common[of][waiting];

	if (!c->sites) {
		json_write_null(w, key);
		return;
	}
	json_write_open(w, key, '{');
	json_write_count(w, "sites", c->sites);
	json_write_number(w, "ratio", c->ratio);
	json_write_number(w, "ci_low", c->low);
	json_write_number(w, "ci_high", c->high);
	json_write_number(w, "scatter", c->scatter);
	json_write_close(w, '}');
}

static void put_per(struct json_writer *w, const struct diff *d)
{
	const struct diff_per *per = &d->per;

	if (!per->symbol) {
		json_write_null(w, "per");
		return;
	}
	json_write_open(w, "per", '{');
	json_write_text(w, "symbol", per->symbol);
	json_write_text(w, "outcome", per->outcome);
	json_write_number(w, "base_units", per->base_units);
	json_write_number(w, "new_units", per->new_units);
	json_write_number(w, "base_calls", per->base_calls);
	json_write_number(w, "new_calls", per->new_calls);
	json_write_number(w, "base_ns", per->base_ns);
	json_write_number(w, "new_ns", per->new_ns);
	json_write_number(w, "ratio", per->time.ratio);
	json_write_number(w, "ci_low", per->time.low);
	json_write_number(w, "ci_high", per->time.high);
	json_write_number(w, "p", per->time.p);
	json_write_flag(w, "changed", per->changed);
	json_write_close(w, '}');
}

static void put_totals(struct json_writer *w, const struct diff *d)
{
	json_write_open(w, "totals", '{');
	json_write_count(w, "sites", d->sites);
	json_write_count(w, "slower", d->slower);
	json_write_count(w, "faster", d->faster);
	json_write_count(w, "no_change_seen", d->same);
	json_write_count(w, "not_compared", d->untested);
	json_write_count(w, "only_in_base", d->only_base);
	json_write_count(w, "only_in_new", d->only_new);
	json_write_count(w, "gone", d->gone);
	json_write_count(w, "came", d->came);
	json_write_count(w, "more_calls", d->more);
	json_write_count(w, "fewer_calls", d->fewer);
	json_write_number(w, "base_calls", d->base_calls);
	json_write_number(w, "new_calls", d->new_calls);
	json_write_number(w, "base_total_ns", d->base_total_ns);
	json_write_number(w, "new_total_ns", d->new_total_ns);
	json_write_count(w, "overflow_calls", d->overflow_calls);
	json_write_close(w, '}');
	json_write_open(w, "common", '{');
	put_common(w, d, "working", DIFF_ELAPSED, false);
	put_common(w, d, "waiting", DIFF_ELAPSED, true);
	put_common(w, d, "working_cpu", DIFF_CPU_TIME, false);
	put_common(w, d, "waiting_cpu", DIFF_CPU_TIME, true);
	json_write_close(w, '}');
}

static void put_warnings(struct json_writer *w, const struct diff *d)
{
	json_write_open(w, "warnings", '[');
	for (uint32_t i = 0; i < d->warnings; i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "code", d->warning[i].code);
		json_write_text(w, "text", d->warning[i].text);
		json_write_text(w, "brief", d->warning[i].brief);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

int diff_json(struct diff *d, FILE *out)
{
	struct json_writer json = {.out = out, .indent = true}, *w = &json;
	char verdict[400];

	diff_words_verdict(d, verdict, sizeof(verdict));
	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-diff/1");
	json_write_text(w, "verdict", verdict);
	diff_words_sides(d, verdict, sizeof(verdict));
	json_write_text(w, "sides", *verdict ? verdict : NULL);
	json_write_integer(w, "exit_status", d->status);
	json_write_text(w, "by", report_names_by(d->options.by));
	json_write_number(w, "confidence", d->options.confidence);
	json_write_number(w, "threshold", d->options.min_change);
	json_write_number(w, "run_to_run", d->profiles > 2 ? NAN : d->options.run_to_run);
	put_files(w, d, false);
	put_files(w, d, true);
	put_totals(w, d);
	put_per(w, d);
	put_sites(w, d);
	put_warnings(w, d);
	json_write_close(w, '}');
	fputc('\n', out);
	return w->failed ? -1 : 0;
}
