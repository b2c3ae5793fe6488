// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls the parts of a comparison in turn: matching rows, their estimates, tests and verdicts. */
#include "report/compare/diff.h"
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>

#include "report/compare/match.h"
#include "report/model/model.h"
#include "report/wording/warning_list.h"
#include "profile/base/error.h"

static bool comparable(const struct diff *d, struct profile_error *why)
{
	const struct profile *a = d->profile[0], *b = a;
	bool cpu = a->clock.kind == SCP_CLOCK_THREAD_CPU;

	for (uint32_t i = 1; i < d->profiles && b == a; i++)
		if ((d->profile[i]->clock.kind == SCP_CLOCK_THREAD_CPU) != cpu)
			b = d->profile[i];
	if (b != a)
		error_set(why,
			  "%s was timed with the clock %s and %s with %s. Processor time and "
			  "elapsed time cannot be compared: record both with the same clock (-c)",
			  a->processes ? a->process[0].file : "BASE",
			  report_names_clock(a->clock.kind),
			  b->processes ? b->process[0].file : "NEW",
			  report_names_clock(b->clock.kind));
	return b == a;
}

/* Averages over the runs of a side, those in which the site was not called included. */
static void fill_side(const struct diff *d, struct diff_site *s, int side)
{
	uint32_t first = diff_first_run(d, side), end = diff_end_run(d, side);
	double runs = end - first, kept = 0, kept_ns = 0;
	struct diff_side *to = &s->side[side];

	for (const struct diff_run *r = s->run + first; r < s->run + end; r++) {
		to->calls += (double)r->calls;
		to->total_ns += r->total_ns;
		if (!(r->unswitched_calls > 0) || isnan(r->unswitched.mean))
			continue;
		kept += r->unswitched_calls;
		kept_ns += r->unswitched_calls * r->unswitched.mean;
	}
	to->ns = to->total_ns / to->calls; /* NAN without calls */
	to->unswitched_ns = kept_ns / kept;
	to->calls /= runs;
	to->total_ns /= runs;
}

static void fill_site(struct diff *d, uint32_t index)
{
	const struct match_row *row = &d->match->row[index];
	const struct profile *p = d->profile[row->profile];
	const struct prof_entry *e = &p->entry[row->entry];
	const struct prof_function *f = &p->function[e->function];
	struct diff_site *s = &d->site[index];

	s->symbol = f->name;
	s->library = f->library;
	s->outcome = report_names_outcome(&(struct report_site){.outcome = e->outcome});
	PROF_SET(s, row, profile, entry, moved);
	s->waiting = waiting_function(f);
	s->run = &d->runs[(size_t)index * d->profiles];
	s->states = diff_estimate_has_states(d, s->run);
	for (int side = 0; side < DIFF_SIDES; side++) {
		fill_side(d, s, side);
		d->side[side].calls += s->side[side].calls;
		d->side[side].total_ns += s->waiting ? 0 : s->side[side].total_ns;
	}
	s->effect_ns = s->side[DIFF_NEW].total_ns - s->side[DIFF_BASE].total_ns;
	d->any_waits = d->any_waits || s->waiting;
}

/* Compensated, as the calls that they are inside of. */
static double nested_ns(const struct profile *p)
{
	double calls = 0;

	for (uint32_t i = 0; i < p->tables; i++)
		calls += (double)p->table[i].nested_calls;
	return fmax(account_nested_ns(p) - calls * estimate_overhead(&p->clock).inside_ns, 0);
}

static int subtract_nested(struct diff *d)
{
	d->nested_ns = calloc(d->profiles, sizeof(*d->nested_ns));
	for (uint32_t i = 0; i < d->profiles && d->nested_ns; i++) {
		int side = i >= d->bases;
		double *total = &d->side[side].total_ns;

		d->nested_ns[i] = nested_ns(d->profile[i]);
		*total -= d->nested_ns[i] / (diff_end_run(d, side) - diff_first_run(d, side));
		*total = fmax(*total, 0);
	}
	return d->nested_ns ? 0 : -1;
}

static int add_computing(struct diff *d)
{
	int status = diff_computing_compare(d);

	if (!status && d->computing && d->status != 1 &&
	    (d->computing->status == 1 || d->computing->status < d->status))
		d->status = d->computing->status;
	return status;
}

static int fill(struct diff *d, struct profile_error *why)
{
	d->match = match_build(d->profile, d->profiles, d->bases, d->options.by);
	if (!d->match || diff_estimate_fill_runs(d) < 0)
		return -1;
	d->sites = d->match->rows;
	d->site = calloc(d->sites + 1, sizeof(*d->site));
	for (uint32_t i = 0; d->site && i < d->sites; i++)
		fill_site(d, i);
	for (uint32_t i = 0; i < d->profiles; i++)
		d->overflow_calls += d->profile[i]->losses.overflow_calls;
	return !d->site || subtract_nested(d) < 0 || diff_per_fill(d, why) < 0 ||
			       (d->profiles > 2 ? diff_runs_test(d) : diff_pair_test(d)) < 0 ||
			       diff_judge(d) < 0
		       ? -1
		       : add_computing(d);
}

struct diff *diff_model_build(const struct profile *const *profile, uint32_t profiles,
			      uint32_t bases, const struct diff_options *o,
			      struct profile_error *why)
{
	struct diff *d = calloc(1, sizeof(*d));

	error_set(why, "out of memory");
	if (!d)
		return NULL;
	*d = (struct diff){.profile = profile, .profiles = profiles, .bases = bases, .options = *o};
	if (!comparable(d, why) || fill(d, why) < 0) {
		diff_model_free(d);
		return NULL;
	}
	diff_warnings_make(d);
	return d;
}

void diff_model_free(struct diff *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->warnings; i++)
		warning_list_clear(&d->warning[i]);
	PROF_FREE(d, warning, per.units, nested_ns, site, runs);
	diff_model_free(d->computing);
	match_free(d->match);
	free(d);
}
