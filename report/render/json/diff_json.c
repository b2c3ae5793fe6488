// SPDX-License-Identifier: GPL-3.0-or-later
/* A comparison as one JSON object, schema "scprof-diff/1". As in the report: every field
 * is always there, what is not known is null, names are valid UTF-8 written in ASCII.
 * docs/diff.md has the list; fields may be added, never renamed. */
#include "report/compare/diff.h"
#include "report/render/json/json.h"
#include "report/compare/match.h"

static const char *view_name(enum diff_view view)
{
	return view == DIFF_UNDISTURBED ? "undisturbed" : "mean";
}

static const char *against_name(enum diff_against against)
{
	return against == DIFF_OWN ? "other-sites" : "base";
}

static json_t *stack_of(const struct diff *d, const struct diff_site *s, int *failed)
{
	uint32_t frames = diff_path_frames(d, s);
	json_t *stack = json_array();

	for (uint32_t i = 0; i < frames; i++) {
		size_t count;
		const struct symbol *symbol = diff_path_symbols(d, s, i, &count);

		for (size_t k = 0; k < count; k++)
			*failed += json_array_append_new(stack,
							 json_parts_frame(&symbol[k], failed)) < 0;
	}
	return stack;
}

static json_t *run_of(const struct diff_run *r, int *failed)
{
	json_t *o = json_object();

	json_parts_put(o, "calls", json_parts_count(r->calls), failed);
	json_parts_put(o, "mean_ns", r->calls ? json_parts_number(r->mean.mean) : json_null(),
		       failed);
	json_parts_put(o, "standard_error_ns",
		       r->calls ? json_parts_number(r->mean.error) : json_null(), failed);
	json_parts_put(o, "degrees_of_freedom",
		       r->calls ? json_parts_number(r->mean.freedom) : json_null(), failed);
	json_parts_put(o, "design_effect",
		       r->calls ? json_parts_number(r->design_effect) : json_null(), failed);
	json_parts_put(o, "undisturbed_ns", json_parts_number(r->undisturbed.mean), failed);
	json_parts_put(o, "undisturbed_error_ns", json_parts_number(r->undisturbed.error), failed);
	json_parts_put(o, "few_ticks", json_boolean(r->few), failed);
	return o;
}

/* An average run, and each of them. */
static json_t *side_of(const struct diff *d, const struct diff_site *s, bool new, int *failed)
{
	uint32_t first = new ? d->bases : 0, end = new ? d->profiles : d->bases;
	json_t *o = json_object(), *runs = json_array();

	for (uint32_t i = first; i < end; i++)
		*failed += json_array_append_new(runs, run_of(&s->run[i], failed)) < 0;
	json_parts_put(o, "calls", json_parts_number(new ? s->new_calls : s->base_calls), failed);
	json_parts_put(o, "mean_ns", json_parts_number(new ? s->new_ns : s->base_ns), failed);
	json_parts_put(o, "total_ns", json_parts_number(new ? s->new_total_ns : s->base_total_ns),
		       failed);
	json_parts_put(o, "runs", runs, failed);
	return o;
}

static void put_test(json_t *o, const struct diff_site *s, int *failed)
{
	bool tested = s->status <= DIFF_SAME;
	const struct diff_test *t = &s->shown;

	json_parts_put(o, "ratio", tested ? json_parts_number(t->ratio) : json_null(), failed);
	json_parts_put(o, "ci_low", tested ? json_parts_number(t->low) : json_null(), failed);
	json_parts_put(o, "ci_high", tested ? json_parts_number(t->high) : json_null(), failed);
	json_parts_put(o, "p", json_parts_number(s->p), failed);
	json_parts_put(o, "q", json_parts_number(s->q), failed);
	json_parts_put(o, "detectable", tested ? json_parts_number(t->detectable) : json_null(),
		       failed);
	json_parts_put(o, "of", tested ? json_parts_text(view_name(s->view)) : json_null(), failed);
	json_parts_put(o, "against",
		       tested ? json_parts_text(against_name(s->against)) : json_null(), failed);
}

static json_t *site_of(const struct diff *d, const struct diff_site *s)
{
	json_t *o = json_object();
	char words[200];
	int failed = 0;

	diff_words(d, s, words, sizeof(words));
	json_parts_put(o, "symbol", json_parts_text(s->symbol), &failed);
	json_parts_put(o, "library", json_parts_text(s->library), &failed);
	json_parts_put(o, "outcome", json_parts_text(s->outcome), &failed);
	json_parts_put(o, "status", json_parts_text(diff_words_status_name(s->status)), &failed);
	json_parts_put(o, "verdict", json_parts_text(words), &failed);
	json_parts_put(o, "reason", json_parts_text(s->reason), &failed);
	put_test(o, s, &failed);
	json_parts_put(o, "effect_ns", json_parts_number(s->effect_ns), &failed);
	json_parts_put(o, "waits", json_boolean(s->waiting), &failed);
	json_parts_put(o, "lines_differ", json_boolean(s->moved), &failed);
	json_parts_put(o, "base", side_of(d, s, false, &failed), &failed);
	json_parts_put(o, "new", side_of(d, s, true, &failed), &failed);
	json_parts_put(o, "stack", stack_of(d, s, &failed), &failed);
	if (failed) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *sites_of(const struct diff *d, int *failed)
{
	const struct diff_options *o = &d->options;
	bool all = o->top == REPORT_TOP_DEFAULT || o->top == 0 || o->top > d->sites;
	json_t *sites = json_array();

	for (uint32_t i = 0; i < (all ? d->sites : o->top); i++)
		*failed += json_array_append_new(sites, site_of(d, &d->site[i])) < 0;
	return sites;
}

static json_t *file_of(const struct profile *p, int *failed)
{
	json_t *o = json_object();

	json_parts_put(o, "file", json_parts_text(p->processes ? p->process[0].file : NULL),
		       failed);
	json_parts_put(o, "name", json_parts_text(p->processes ? p->process[0].program : NULL),
		       failed);
	json_parts_put(o, "exe", json_parts_text(p->processes ? p->process[0].exe : NULL), failed);
	json_parts_put(o, "clock", json_parts_text(words_clock_name(p->clock.kind)), failed);
	json_parts_put(o, "tick_ns", json_parts_number(p->clock.tick_ns), failed);
	return o;
}

static json_t *files_of(const struct diff *d, uint32_t first, uint32_t end, int *failed)
{
	json_t *files = json_array();

	for (uint32_t i = first; i < end; i++)
		*failed += json_array_append_new(files, file_of(d->profile[i], failed)) < 0;
	return files;
}

static json_t *common_of(const struct diff *d, bool waiting, int *failed)
{
	const struct diff_common *c = &d->common[waiting];
	json_t *o;

	if (!c->sites)
		return json_null();
	o = json_object();
	json_parts_put(o, "sites", json_parts_count(c->sites), failed);
	json_parts_put(o, "ratio", json_parts_number(c->ratio), failed);
	json_parts_put(o, "ci_low", json_parts_number(c->low), failed);
	json_parts_put(o, "ci_high", json_parts_number(c->high), failed);
	json_parts_put(o, "scatter", json_parts_number(c->scatter), failed);
	return o;
}

static void put_totals(json_t *doc, const struct diff *d, int *failed)
{
	json_t *o = json_object(), *common = json_object();

	json_parts_put(o, "sites", json_parts_count(d->sites), failed);
	json_parts_put(o, "slower", json_parts_count(d->slower), failed);
	json_parts_put(o, "faster", json_parts_count(d->faster), failed);
	json_parts_put(o, "no_change_seen", json_parts_count(d->same), failed);
	json_parts_put(o, "not_compared", json_parts_count(d->untested), failed);
	json_parts_put(o, "only_in_base", json_parts_count(d->only_base), failed);
	json_parts_put(o, "only_in_new", json_parts_count(d->only_new), failed);
	json_parts_put(o, "base_calls", json_parts_number(d->base_calls), failed);
	json_parts_put(o, "new_calls", json_parts_number(d->new_calls), failed);
	json_parts_put(o, "base_total_ns", json_parts_number(d->base_total_ns), failed);
	json_parts_put(o, "new_total_ns", json_parts_number(d->new_total_ns), failed);
	json_parts_put(o, "overflow_calls", json_parts_count(d->overflow_calls), failed);
	json_parts_put(doc, "totals", o, failed);
	json_parts_put(common, "working", common_of(d, false, failed), failed);
	json_parts_put(common, "waiting", common_of(d, true, failed), failed);
	json_parts_put(doc, "common", common, failed);
}

static json_t *warnings_of(const struct diff *d, int *failed)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < d->warnings; i++) {
		json_t *o = json_object();

		json_parts_put(o, "code", json_parts_text(d->warning[i].code), failed);
		json_parts_put(o, "text", json_parts_text(d->warning[i].text), failed);
		*failed += json_array_append_new(array, o) < 0;
	}
	return array;
}

int diff_json(struct diff *d, FILE *out)
{
	json_t *doc = json_object();
	char verdict[200];
	int failed = 0, status;

	diff_words_verdict(d, verdict, sizeof(verdict));
	json_parts_put(doc, "schema", json_string("scprof-diff/1"), &failed);
	json_parts_put(doc, "verdict", json_parts_text(verdict), &failed);
	json_parts_put(doc, "exit_status", json_integer(d->status), &failed);
	json_parts_put(doc, "by", json_parts_text(words_by_name(d->options.by)), &failed);
	json_parts_put(doc, "confidence", json_parts_number(d->options.confidence), &failed);
	json_parts_put(doc, "threshold", json_parts_number(d->options.min_change), &failed);
	json_parts_put(doc, "run_to_run",
		       d->profiles > 2 ? json_null() : json_parts_number(d->options.run_to_run),
		       &failed);
	json_parts_put(doc, "base", files_of(d, 0, d->bases, &failed), &failed);
	json_parts_put(doc, "new", files_of(d, d->bases, d->profiles, &failed), &failed);
	put_totals(doc, d, &failed);
	json_parts_put(doc, "sites", sites_of(d, &failed), &failed);
	json_parts_put(doc, "warnings", warnings_of(d, &failed), &failed);
	status = failed ? -1
			: json_dumpf(doc, out,
				     JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
	json_decref(doc);
	return status == 0 && fputc('\n', out) == EOF ? -1 : status;
}
