// SPDX-License-Identifier: GPL-3.0-or-later
/* Runs are few, so the variance of a site's is shrunk towards that of all sites: a moderated t test
 * (Smyth 2004), on logarithms, as in comparisons of runs. */
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>

#include "stats/compare/between_runs.h"
#include "stats/numerics/distributions.h"

enum view { ELAPSED, KEPT, ON_CPU, VIEWS };

/* Sums of a row's calls in one run, in clock units. */
struct run_sums {
	double calls[VIEWS], units[VIEWS];
};

/* Of a site: variance of the runs' logarithms, each by its calls, with its degrees of freedom; sums
 * over the runs of their calls, of the squares and cubes of these. */
struct scatter {
	double variance, freedom;
	uint32_t runs;
	double calls, squares, cubes;
};

struct run_to_run {
	struct run_sums *run;	    /* by run: of one row at a time */
	struct scatter *site;	    /* [place][view] */
	double *variance, *freedom; /* room for each site's */
};

static void release(struct run_to_run *t)
{
	if (!t)
		return;
	PROF_FREE(t, run, site, variance, freedom);
	free(t);
}

struct run_to_run *run_to_run_begin(const struct report *r)
{
	struct run_to_run *t = r->runs >= RUN_TO_RUN_LEAST ? calloc(1, sizeof(*t)) : NULL;
	size_t sites = (size_t)r->sites + 1;

	if (!t)
		return NULL;
	t->run = calloc(r->runs, sizeof(*t->run));
	t->site = calloc(sites * VIEWS, sizeof(*t->site));
	t->variance = calloc(sites, sizeof(*t->variance));
	t->freedom = calloc(sites, sizeof(*t->freedom));
	if (t->run && t->site && t->variance && t->freedom)
		return t;
	release(t);
	return NULL;
}

static void add_view(struct run_sums *to, enum view view, double calls, double units)
{
	to->calls[view] += calls;
	to->units[view] += units;
}

/* As in stats/mean/states.h: what was off the CPU is estimated from what was read. */
static void add_states(struct run_sums *to, const struct prof_sums *s, double unit)
{
	const struct prof_states *t = s->states;
	const struct scp_off_cpu *o = &t->off_cpu;
	bool sampled = s->detector == SCP_SWITCH_SAMPLED;
	double known = sampled ? (double)s->calls : (double)o->known, off;

	if (!o->weighted && t->calls)
		return;
	off = o->weighted ? known / (double)o->weighted *
				    ((double)o->runnable_ns + (double)o->asleep_ns)
			  : 0;
	add_view(to, ON_CPU, (double)s->calls, (double)s->units - off / unit);
	if (sampled)
		add_view(to, KEPT, (double)t->calls, (double)t->units);
	else
		add_view(to, KEPT, (double)s->calls - (double)t->calls,
			 (double)s->units - (double)t->units);
}

static uint32_t run_of(const struct report *r, uint32_t entry)
{
	const struct profile *p = r->profile;

	return r->run_of[p->table[p->entry[entry].table].process];
}

static void add_entry(struct run_sums *to, const struct prof_sums *s, double unit)
{
	add_view(to, ELAPSED, (double)s->calls, (double)s->units);
	if (s->states) {
		add_states(to, s, unit);
	} else if (s->detector != SCP_SWITCH_NONE && s->detector != SCP_SWITCH_SAMPLED) {
		add_view(to, KEPT, (double)s->calls, (double)s->units);
		add_view(to, ON_CPU, (double)s->calls, (double)s->units);
	}
}

/* Welford's recurrence, with weights (West 1979). */
static void add_run(struct scatter *to, double *mean, double calls, double y)
{
	double off = y - *mean;

	to->runs++;
	to->calls += calls;
	to->squares += calls * calls;
	to->cubes += calls * calls * calls;
	*mean += off * calls / to->calls;
	to->variance += calls * off * (y - *mean);
}

/* Of runs that differ alike, from the weighted sum of squares: degrees of freedom by Satterthwaite
 * (1946), of n equal runs n - 1. */
static void finish_scatter(struct scatter *s)
{
	double p2 = s->squares / pow(s->calls, 2), p3 = s->cubes / pow(s->calls, 3);

	s->variance = s->runs > 1 ? s->variance / s->calls / (1 - p2) : NAN;
	s->freedom = pow(1 - p2, 2) / (p2 - 2 * p3 + p2 * p2);
	s->freedom = fmin(fmax(s->freedom, 1), s->runs - 1.0); /* rounding, of nearly one run */
}

/* The row's entries again: only its own runs are looked at, however many there are. */
static void take_runs(struct run_to_run *t, const struct report *r, const struct groups *groups,
		      const struct group_row *row, struct scatter *to)
{
	double mean[VIEWS] = {0};

	for (uint32_t e = row->first; e != PROF_NONE; e = groups->next[e]) {
		uint32_t run = run_of(r, e);
		struct run_sums *s = run < r->runs ? &t->run[run] : NULL;

		for (int v = 0; s && v < VIEWS; v++)
			if (s->calls[v] > 0 && s->units[v] > 0)
				add_run(&to[v], &mean[v], s->calls[v],
					log(s->units[v] / s->calls[v]));
		if (s)
			*s = (struct run_sums){0};
	}
	for (int v = 0; v < VIEWS; v++)
		finish_scatter(&to[v]);
}

void run_to_run_note(struct run_to_run *t, const struct report *r, const struct groups *groups,
		     const struct group_row *row, uint32_t place)
{
	double unit = r->profile->clock.ns_per_unit;

	if (!t || row->first == GROUP_OVERFLOW)
		return;
	for (uint32_t e = row->first; e != PROF_NONE; e = groups->next[e]) {
		uint32_t run = run_of(r, e);

		if (run < r->runs)
			add_entry(&t->run[run], &r->profile->entry[e].sums, unit);
	}
	take_runs(t, r, groups, row, &t->site[(size_t)place * VIEWS]);
}

static struct between_runs_prior find_prior(struct run_to_run *t, uint32_t sites, enum view view)
{
	size_t n = 0;

	for (uint32_t i = 0; i < sites; i++) {
		const struct scatter *s = &t->site[(size_t)i * VIEWS + view];

		if (s->runs < RUN_TO_RUN_LEAST)
			continue;
		t->variance[n] = s->variance;
		t->freedom[n++] = s->freedom;
	}
	return between_runs_prior(t->variance, t->freedom, n);
}

/* Relative to the mean, in which a run counts as often as it has calls. 0: not known. */
static double half_width(const struct scatter *s, const struct between_runs_prior *prior,
			 double confidence, double *error, double *freedom)
{
	double variance = s->variance;

	if (s->runs < RUN_TO_RUN_LEAST)
		return 0;
	*freedom = s->freedom;
	if (prior->freedom > 0) {
		variance = between_runs_moderated(prior, variance, *freedom);
		/* what a run does to all sites alike counts once, however many they are */
		*freedom += fmin(prior->freedom, *freedom);
	}
	*error = sqrt(variance * s->squares) / s->calls;
	return *error * distributions_t_quantile(0.5 + confidence / 2, *freedom);
}

/* The mean as it was measured has the scatter: what recording cost was subtracted from all. */
static void widen(struct mean_interval *m, double measured, double relative, double error,
		  double freedom)
{
	double half = relative * measured;

	if (isnan(m->mean) || !(measured > 0) || !(half > 0))
		return;
	if (half > m->high - m->mean || half > m->mean - m->low) {
		m->method = "between-runs";
		m->error = fmax(error * measured, isfinite(m->error) ? m->error : 0);
		m->freedom = freedom;
	}
	m->low = fmin(m->low, m->mean - half);
	m->high = fmax(m->high, m->mean + half);
}

static void widen_site(struct report_site *s, const struct scatter *of,
		       const struct between_runs_prior *prior, double confidence)
{
	struct mean_interval *mean[VIEWS] = {&s->estimate, &s->states.unswitched,
					     &s->states.on_cpu};

	for (int v = 0; v < VIEWS; v++) {
		double error = 0, freedom = 0;
		double half = half_width(&of[v], &prior[v], confidence, &error, &freedom);

		if (v != ELAPSED && !s->states.known)
			continue;
		widen(mean[v], mean[v]->mean + s->overhead_ns, half, error, freedom);
		if (v == ON_CPU)
			widen(&s->states.charged, s->states.charged.mean + s->overhead_ns, half,
			      error, freedom);
	}
}

void run_to_run_finish(struct run_to_run *t, struct report *r)
{
	struct between_runs_prior prior[VIEWS];

	for (int v = 0; t && v < VIEWS; v++)
		prior[v] = find_prior(t, r->sites, (enum view)v);
	for (struct report_site *s = NULL; t && (s = report_next_site(r, s));)
		if (!s->overflow)
			widen_site(s, &t->site[(s - r->site) * VIEWS], prior, r->confidence);
	release(t);
}
