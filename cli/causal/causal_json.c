// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof causal --json`: docs/scprof-causal.schema.json. Times are in seconds but where a key
 * says otherwise, percentages in percent. */

#include "cli/causal/causal_private.h"
#include "report/render/json/json.h"

static const char *const bases[] = {NULL, "cpu", "cpu-and-files", "elapsed"};
static const char *const shapes[] = {"straight", "convex", "concave", "conditional"};

static void put_limits(struct json_writer *w, const char *key, struct causal_limits v)
{
	JSON_OBJECT(w, key, "value", v.value, "ci_low", v.low, "ci_high", v.high);
}

static void put_value(struct json_writer *w, const char *key, const struct slopes_value *v,
		      double scale)
{
	put_limits(w, key, causal_report_limits(v, scale));
}

static void put_prediction(struct json_writer *w, const char *key,
			   const struct slopes_prediction *p)
{
	json_write_open(w, key, '{');
	JSON_PUT(w, "percent", p->percent, "ci_low", p->low, "ci_high", p->high);
	JSON_MEMBERS(w, p, at_most, at_least, latency_percent);
	JSON_PUT(w, "latency_ci_low", p->latency_low, "latency_ci_high", p->latency_high);
	json_write_close(w, '}');
}

static void put_progress(struct json_writer *w, const struct causal_report *r)
{
	const struct causal_result *c = r->result;
	struct causal_limits unit = causal_report_limits(&c->slopes.unit, 1);

	json_write_open_lines(w, "progress", '{');
	JSON_PUT(w, "symbol", r->progress, "rate_per_s", c->rate_per_s, "rate_ci_low",
		 unit.low > 0 ? 1 / unit.high : NAN, "rate_ci_high",
		 unit.low > 0 ? 1 / unit.low : NAN);
	put_value(w, "latency_ns", &c->slopes.latency, 1e9);
	json_write_close(w, '}');
}

static void put_experiment(struct json_writer *w, const struct causal_result *c)
{
	struct causal_limits slowdown = causal_report_limits(&c->slopes.slowdown, 100);

	json_write_count(w, "windows", c->slopes.windows);
	JSON_MEMBERS(w, c, window_s, elapsed_s);
	JSON_PUT(w, "asked_percent", 100 * c->asked, "slowdown_percent", slowdown.value,
		 "slowdown_ci_low", slowdown.low, "slowdown_ci_high", slowdown.high, "carried_p",
		 c->slopes.carried, "confidence", CAUSAL_CONFIDENCE, "seed", c->seed);
}

static void put_levels(struct json_writer *w, const struct causal_result_site *s)
{
	const double delay[SLOPES_LEVELS] = {0, s->delay_low, s->delay_high};

	json_write_open_lines(w, "levels", '[');
	for (int i = 0; i < SLOPES_LEVELS; i++) {
		struct causal_limits unit = causal_report_limits(&s->level[i], 1e9);

		JSON_OBJECT(w, NULL, "delay_ns", 1e9 * delay[i], "unit_ns", unit.value, "ci_low",
			    unit.low, "ci_high", unit.high);
	}
	json_write_close(w, ']');
}

/* The call as the profile and the page know it. */
static void put_call(struct json_writer *w, const struct causal_row *row)
{
	const struct causal_result_site *s = row->site;
	struct causal_limits mean = causal_report_limits(&row->found.mean, 1e9);

	JSON_PUT(w, "calls_per_unit", row->calls_unit, "calls_per_s", s->candidate.calls_s,
		 "mean_ns", mean.value, "mean_ci_low_ns", mean.low, "mean_ci_high_ns", mean.high,
		 "basis", bases[row->found.basis]);
	JSON_OBJECT(w, "delay_ns", "low", 1e9 * s->delay_low, "high", 1e9 * s->delay_high);
	put_levels(w, s);
}

static void put_effect(struct json_writer *w, const struct causal_report *r,
		       const struct causal_row *row)
{
	const struct slopes_site *s = &row->site->slopes;
	struct causal_limits slope = causal_report_limits(&s->slope, 1);
	const struct words note = causal_report_note(r, row);

	if (!row->told)
		slope = (struct causal_limits){NAN, NAN, NAN};
	JSON_PUT(w, "slope", slope.value, "ci_low", slope.low, "ci_high", slope.high);
	put_limits(w, "kappa", row->kappa);
	put_value(w, "slope_low", &s->low, 1);
	put_value(w, "slope_high", &s->high, 1);
	put_value(w, "slope_others_slower", &s->others_slower, 1);
	put_value(w, "latency", &s->latency, 1);
	JSON_MEMBERS(w, s, p, q);
	JSON_PUT(w, "told", row->told, "shape", row->told ? shapes[s->shape] : NULL);
	JSON_MEMBERS(w, &row->ten, at_most, at_least);
	put_prediction(w, "brings_10_percent", &row->ten);
	put_prediction(w, "brings_30_percent", &row->thirty);
	put_prediction(w, "brings_removed", &row->removed);
	json_write_text(w, "note", *note.text ? note.text : NULL);
}

static void put_site(struct json_writer *w, const struct causal_report *r,
		     const struct causal_row *row)
{
	json_write_open_lines(w, NULL, '{');
	JSON_PUT(w, "symbol", row->function, "label", row->label);
	if (row->found.row && r->sites) {
		json_stack_write(w, r->sites->report, row->found.row);
	} else {
		json_write_open(w, "stack", '[');
		json_write_close(w, ']');
	}
	put_call(w, row);
	put_effect(w, r, row);
	json_write_close(w, '}');
}

static void put_confirmed(struct json_writer *w, const struct causal_confirmed *c)
{
	if (!c) {
		json_write_null(w, "confirmed");
		return;
	}
	json_write_open_lines(w, "confirmed", '{');
	JSON_MEMBERS(w, c, site, runs);
	json_write_number(w, "faster_percent", 100 * c->faster);
	put_limits(w, "before_s", c->before);
	put_limits(w, "after_s", c->after);
	put_limits(w, "measured_share", c->measured);
	JSON_PUT(w, "rate_before_per_s", c->rate_before, "rate_after_per_s", c->rate_after);
	put_prediction(w, "predicted", &c->predicted);
	put_prediction(w, "predicted_for_measured", &c->for_measured);
	put_limits(w, "realised_percent", c->realised);
	if (c->known)
		json_write_flag(w, "agrees", c->agrees);
	else
		json_write_null(w, "agrees");
	json_write_close(w, '}');
}

int causal_json_print(const struct causal_report *r, FILE *out)
{
	struct json_writer w = {.out = out};
	const struct words verdict = causal_report_verdict(r);

	json_write_open_lines(&w, NULL, '{');
	json_write_text(&w, "schema", "scprof-causal/1");
	put_progress(&w, r);
	put_experiment(&w, r->result);
	JSON_LIST_LINES(&w, "sites", e, r->row, r->rows, put_site(&w, r, e));
	if (!r->computing)
		json_write_null(&w, "computing");
	else if (json_computing_write(&w, r->computing, UINT32_MAX))
		return -1;
	json_write_text(&w, "verdict", *verdict.text ? verdict.text : NULL);
	JSON_LIST_LINES(&w, "warnings", e, r->warning, r->warnings,
			JSON_OBJECT_OF(&w, NULL, e, code, text));
	put_confirmed(&w, r->confirmed);
	return json_write_finish(&w);
}
