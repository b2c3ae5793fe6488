// SPDX-License-Identifier: GPL-3.0-or-later
/* What the rows of each grouping are, field by field. */
#include "report/render/csv/csv.h"
#include "report/model/reliability.h"

#include <math.h>

#include "report/render/csv/csv_path.h"
#include "report/model/rows.h"

static void put_estimate(struct csv *c, const struct report_estimate *e)
{
	csv_write_number(c, "mean_ns", e->mean_ns);
	csv_write_number(c, "ci_low_ns", e->low_ns);
	csv_write_number(c, "ci_high_ns", e->high_ns);
	csv_write_text(c, "method", e->method);
	csv_write_number(c, "standard_error_ns", e->error_ns);
	csv_write_number(c, "degrees_of_freedom", e->freedom);
	csv_write_number(c, "design_effect", e->design_effect);
}

static void put_slow(struct csv *c, const struct report_site *s)
{
	const struct report_estimate *e = &s->slow.estimate;

	if (s->has_slow) {
		csv_write_count(c, "slow_ticks", s->slow.ticks);
		csv_write_flag(c, "slow_covers_fast_mean", s->slow.covers);
	} else {
		csv_write_nothing(c, "slow_ticks");
		csv_write_nothing(c, "slow_covers_fast_mean");
	}
	csv_write_number(c, "slow_mean_ns", s->has_slow ? e->mean_ns : NAN);
	csv_write_number(c, "slow_ci_low_ns", s->has_slow ? e->low_ns : NAN);
	csv_write_number(c, "slow_ci_high_ns", s->has_slow ? e->high_ns : NAN);
}

static void put_percentiles(struct csv *c, const struct report_site *s)
{
	const struct report_percentiles *p = &s->percentiles;
	bool has = s->has_percentiles;

	csv_write_number(c, "p50_ns", has ? p->p50_ns : NAN);
	csv_write_number(c, "p50_ci_low_ns", has ? p->p50_low_ns : NAN);
	csv_write_number(c, "p50_ci_high_ns", has ? p->p50_high_ns : NAN);
	csv_write_number(c, "p90_ns", has ? p->p90_ns : NAN);
	csv_write_number(c, "p90_ci_low_ns", has ? p->p90_low_ns : NAN);
	csv_write_number(c, "p90_ci_high_ns", has ? p->p90_high_ns : NAN);
	csv_write_number(c, "p99_ns", has ? p->p99_ns : NAN);
	csv_write_number(c, "p99_ci_low_ns", has ? p->p99_low_ns : NAN);
	csv_write_number(c, "p99_ci_high_ns", has ? p->p99_high_ns : NAN);
}

static void put_line(struct csv *c, const struct report_site *s)
{
	csv_write_number(c, "per_call_ns", s->per_call_ns);
	csv_write_number(c, "per_call_ci_low_ns", s->per_call_low_ns);
	csv_write_number(c, "per_call_ci_high_ns", s->per_call_high_ns);
	csv_write_number(c, "per_byte_ns", s->per_byte_ns);
	csv_write_number(c, "per_byte_ci_low_ns", s->per_byte_low_ns);
	csv_write_number(c, "per_byte_ci_high_ns", s->per_byte_high_ns);
}

/* Names of all that a bit says, separated by ';'. */
static void put_findings(struct csv *c, const struct report_site *s)
{
	unsigned all = s->findings | s->estimate.unreliable;
	char text[256];
	size_t at = 0;

	text[0] = '\0';
	for (unsigned bit = 1; bit <= all && at < sizeof(text); bit *= 2)
		if (all & bit)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? ";" : "",
					       reliability_name(bit));
	csv_write_text(c, "findings", text);
}

static void put_steadiness(struct csv *c, const struct report_site *s)
{
	const struct report_steadiness *t = &s->steadiness;

	put_findings(c, s);
	csv_write_count(c, "warm_up_calls", t->warmup_calls);
	csv_write_number(c, "warm_up_mean_ns", t->warmup_calls ? t->warmup_ns : NAN);
	csv_write_number(c, "first_call_ns", s->overflow ? NAN : t->first_ns);
	csv_write_number(c, "drift_change", t->drift_known ? t->change : NAN);
	if (isfinite(t->fence_ns))
		csv_write_count(c, "outlier_calls", t->outliers);
	else
		csv_write_nothing(c, "outlier_calls");
	csv_write_number(c, "outlier_total_ns", isfinite(t->fence_ns) ? t->outlier_ns : NAN);
}

static void put_site(struct csv *c, struct csv_paths *p, const struct report_site *site)
{
	static const struct prof_function none;
	const struct report *r = p->stacks.report;
	const struct prof_function *f = c->names ? &none : &r->profile->function[site->function];

	csv_write_text(c, "symbol", f->name);
	csv_write_text(c, "library", f->library);
	csv_write_text(c, "outcome", report_names_outcome(site));
	csv_write_count(c, "calls", site->calls);
	csv_write_count(c, "bytes", site->bytes);
	csv_write_count(c, "ticks", site->ticks);
	put_estimate(c, &site->estimate);
	csv_write_number(c, "apriori_error_ns", site->apriori_ns);
	csv_write_number(c, "raw_mean_ns", site->raw_mean_ns);
	csv_write_number(c, "overhead_ns", site->overhead_ns);
	csv_write_number(c, "overhead_error_ns", site->overhead_error_ns);
	csv_write_count(c, "inner_calls", site->inner_calls);
	csv_write_number(c, "inner_overhead_ns", site->inner_overhead_ns);
	csv_displaced(c, r, site);
	csv_write_number(c, "total_ns", site->total_ns);
	csv_write_number(c, "share", site->share);
	csv_write_number(c, "min_ns", site->min_ns);
	csv_write_number(c, "max_ns", site->max_ns);
	put_percentiles(c, site);
	put_line(c, site);
	put_slow(c, site);
	put_steadiness(c, site);
	csv_write_text(c, "path_end", report_names_path_end(site));
	csv_path(c, p, site, "path", false);
	csv_path(c, p, site, "path_places", true);
	csv_write_end(c);
}

static int print_sites(struct csv *c, struct report *r, const struct report_options *o)
{
	static const struct report_site none;
	uint32_t rows = rows_shown(r->sites, o);
	struct csv_paths p;

	if (csv_path_begin(&p, r) < 0)
		c->failed = true;
	else
		put_site(c, &p, &none);
	for (uint32_t i = 0; !c->failed && i < rows; i++)
		put_site(c, &p, &r->site[i]);
	csv_path_end(&p);
	return c->failed ? -1 : 0;
}

int csv_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct csv c = {.out = out, .names = true};

	switch (r->by) {
	case REPORT_BY_GAP:
		return csv_others_gaps(&c, r, o);
	case REPORT_BY_THREAD:
		return csv_others_threads(&c, r, o);
	case REPORT_BY_PROCESS:
		return csv_others_processes(&c, r, o);
	default:
		return print_sites(&c, r, o);
	}
}
