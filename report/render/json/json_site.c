// SPDX-License-Identifier: GPL-3.0-or-later
/* The fields of a site, with its call path. */
#include "report/render/json/json.h"
#include "report/model/reliability.h"

#include <math.h>
#include "report/model/displaced.h"
#include "stats/histogram/tail.h"

static void put_limits(struct json_writer *w, const char *key, double low, double high)
{
	json_write_open(w, key, '[');
	json_write_number(w, NULL, low);
	json_write_number(w, NULL, high);
	json_write_close(w, ']');
}

static void put_tail_doubts(struct json_writer *w, const char *key, unsigned unreliable)
{
	json_write_open(w, key, '[');
	for (unsigned bit = TAIL_UNKNOWN; bit <= TAIL_FEW_INDEPENDENT; bit *= 2)
		if (unreliable & bit)
			json_write_text(w, NULL, reliability_tail_name(bit));
	json_write_close(w, ']');
}

static void put_percentiles(struct json_writer *w, const struct report_site *s)
{
	const struct report_percentiles *p = &s->percentiles;

	if (!s->has_percentiles) {
		json_write_null(w, "percentiles_ns");
		return;
	}
	json_write_open(w, "percentiles_ns", '{');
	json_write_number(w, "p50", p->p50_ns);
	json_write_number(w, "p90", p->p90_ns);
	json_write_number(w, "p99", p->p99_ns);
	json_write_number(w, "p999", p->p999_ns);
	json_write_number(w, "max", p->max_ns);
	put_limits(w, "p50_ci", p->p50_low_ns, p->p50_high_ns);
	put_limits(w, "p90_ci", p->p90_low_ns, p->p90_high_ns);
	put_limits(w, "p99_ci", p->p99_low_ns, p->p99_high_ns);
	put_limits(w, "p999_ci", p->p999_low_ns, p->p999_high_ns);
	json_write_open(w, "doubts", '{');
	put_tail_doubts(w, "p50", p->p50_unreliable);
	put_tail_doubts(w, "p90", p->p90_unreliable);
	put_tail_doubts(w, "p99", p->p99_unreliable);
	put_tail_doubts(w, "p999", p->p999_unreliable);
	json_write_close(w, '}');
	json_write_close(w, '}');
}

/* Buckets with calls in them only, so that a few calls take a few numbers. */
static void put_histogram(struct json_writer *w, const struct report_site *s)
{
	if (!s->has_percentiles) {
		json_write_null(w, "histogram");
		return;
	}
	json_write_open(w, "histogram", '{');
	json_write_open(w, "from_ns", '[');
	for (uint32_t i = 0; i < s->bars; i++)
		json_write_number(w, NULL, s->bar[i].from_ns);
	json_write_close(w, ']');
	json_write_open(w, "to_ns", '[');
	for (uint32_t i = 0; i < s->bars; i++)
		json_write_number(w, NULL, s->bar[i].to_ns);
	json_write_close(w, ']');
	json_write_open(w, "calls", '[');
	for (uint32_t i = 0; i < s->bars; i++)
		json_write_count(w, NULL, s->bar[i].calls);
	json_write_close(w, ']');
	json_write_close(w, '}');
}

static void put_estimate(struct json_writer *w, const struct mean_interval *e)
{
	json_write_fields(w, row_fields_estimate, e, true);
	json_write_open(w, "doubts", '[');
	for (unsigned bit = 1; bit <= e->unreliable; bit *= 2)
		if (e->unreliable & bit)
			json_write_text(w, NULL, reliability_name(bit));
	json_write_close(w, ']');
}

static void put_slow(struct json_writer *w, const struct report_site *s)
{
	if (!s->has_slow) {
		json_write_null(w, "slow");
		return;
	}
	json_write_open(w, "slow", '{');
	json_write_count(w, "ticks", s->slow.ticks);
	put_estimate(w, &s->slow.estimate);
	json_write_flag(w, "covers_fast_mean", s->slow.covers);
	json_write_close(w, '}');
}

/* Indices of the sites[] that share its cost. One that --top left out is named all the same:
 * the index is that of the whole report. */
static void put_partners(struct json_writer *w, const struct report *r, uint32_t site, bool known)
{
	json_write_open(w, "inseparable_with", '[');
	for (uint32_t i = known ? displaced_partner(r, site, PROF_NONE) : r->sites; i < r->sites;
	     i = displaced_partner(r, site, i))
		json_write_count(w, NULL, i);
	json_write_close(w, ']');
}

static void put_displaced(struct json_writer *w, const struct report *r,
			  const struct report_site *s)
{
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;

	json_write_fields(w, row_fields_cost, d, known);
	put_partners(w, r, (uint32_t)(s - r->site), known);
	json_write_text(w, "displacement", d->state ? displaced_state_name(d->state) : NULL);
	json_write_text(w, "displacement_undithered",
			d->undithered ? displaced_state_name(d->undithered) : NULL);
	json_write_fields(w, row_fields_windows, d, d->state);
	json_write_number(w, "variance_inflation", known ? d->inflation : NAN);
}

void json_site_write(struct json_writer *w, struct report *r, const struct report_site *s,
		     struct json_stack_cache *cache)
{
	json_write_fields(w, row_fields_function, &r->profile->function[s->function], true);
	json_write_text(w, "outcome", report_names_outcome(s));
	json_write_count_if(w, "program", s->program < r->programs, s->program);
	json_write_number(w, "program_share", s->program < r->programs ? s->program_share : NAN);
	json_write_fields(w, row_fields_volume, s, true);
	put_estimate(w, &s->estimate);
	json_write_flag(w, "few_calls", (s->findings & REPORT_FEW_CALLS) != 0);
	json_write_fields(w, row_fields_overhead, s, true);
	json_write_fields(w, row_fields_total, s, true);
	put_percentiles(w, s);
	put_histogram(w, s);
	json_write_fields(w, row_fields_size, s, true);
	put_slow(w, s);
	json_steady_write(w, s);
	json_states_write_site(w, s);
	put_displaced(w, r, s);
	json_stack_write(w, r, s, cache);
}
