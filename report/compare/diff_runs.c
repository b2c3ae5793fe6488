// SPDX-License-Identifier: GPL-3.0-or-later
/* Several runs a side show the run-to-run variation. A site's runs are too few to estimate their
 * variance well, so it is shrunk towards that of all sites (Smyth 2004, moderated t test). Each
 * site is tested twice: as it is, and without what all sites of its kind share in each run, which
 * varies far less. */
#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>

#include "stats/compare/between_runs.h"
#include "stats/mean/replications.h"
#include "stats/numerics/distributions.h"

/* Sites in all runs that are needed to separate what they share from their own changes. */
#define LEAST_SHARING 4
#define SURE	      0.25
#define WEIGHT	      0.25
/* Simulated: with more, sites whose deviations differ by a factor of 2 raise 12 % false alarms. */
#define MOST_OF_THREE_RUNS 6

/* Logarithms of the means of one view, and squared relative errors: [site][profile]. */
struct logs {
	double *y, *v;	/* y NAN: not there */
	double *shared; /* of each profile */
	uint32_t sites, profiles, bases, sharing;
};

static double *at(double *values, const struct logs *l, uint32_t site, uint32_t profile)
{
	return &values[(size_t)site * l->profiles + profile];
}

static void fill_logs(const struct diff *d, enum diff_view view, bool waiting, struct logs *l)
{
	for (uint32_t i = 0; i < l->sites; i++) {
		const struct diff_site *s = &d->site[i];
		bool usable = s->waiting == waiting && !diff_estimate_hindrance(d, s, view);

		for (uint32_t k = 0; k < l->profiles; k++) {
			double *y = at(l->y, l, i, k), *v = at(l->v, l, i, k);

			if (usable)
				diff_estimate_log(&s->run[k], view, y, v);
			else
				*y = *v = NAN;
		}
	}
}

static bool is_sharing(struct logs *l, uint32_t site)
{
	for (uint32_t k = 0; k < l->profiles; k++)
		if (!(*at(l->v, l, site, k) <= SURE * SURE))
			return false;
	return true;
}

/* The median over sites of how far each run lies from the site's own mean: sites that
 * changed do not move it while they are fewer than half. */
static int find_shared(struct logs *l)
{
	double *off = calloc(l->sites + 1, sizeof(*off));

	if (!off)
		return -1;
	for (uint32_t k = 0; k < l->profiles; k++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < l->sites; i++) {
			double mean = 0;

			if (!is_sharing(l, i))
				continue;
			for (uint32_t j = 0; j < l->profiles; j++)
				mean += *at(l->y, l, i, j) / l->profiles;
			off[n++] = *at(l->y, l, i, k) - mean;
		}
		replications_median(off, n); /* sorts */
		l->shared[k] = n ? replications_quantile(off, n, 0.5) : 0;
		l->sharing = n;
	}
	free(off);
	return 0;
}

/* A site's runs: the mean of each side, and the scatter within sides. */
struct scatter {
	uint32_t n[2];
	double mean[2], variance, freedom;
	double within; /* squared error of the difference, from the runs' own errors */
};

static struct scatter scatter_of(struct logs *l, uint32_t site, bool own)
{
	struct scatter s = {0};
	double squares = 0;

	for (uint32_t k = 0; k < l->profiles; k++) {
		double y = *at(l->y, l, site, k) - (own ? l->shared[k] : 0);
		int side = k >= l->bases;

		if (isnan(y))
			continue;
		s.n[side]++;
		squares += (y - s.mean[side]) * (y - s.mean[side]) * (s.n[side] - 1) / s.n[side];
		s.mean[side] += (y - s.mean[side]) / s.n[side];
	}
	s.freedom = (double)s.n[0] + s.n[1] - 2;
	s.variance = s.freedom > 0 ? squares / s.freedom : NAN;
	for (uint32_t k = 0; k < l->profiles; k++) {
		double v = *at(l->v, l, site, k), n = s.n[k >= l->bases];

		if (isfinite(v))
			s.within += v / (n * n);
	}
	return s;
}

static bool can_tell(const struct scatter *s)
{
	return s->n[0] && s->n[1] && s->freedom > 0;
}

static int find_prior(struct logs *l, bool own, struct between_runs_prior *prior)
{
	double *variance = calloc(l->sites + 1, sizeof(*variance));
	double *freedom = calloc(l->sites + 1, sizeof(*freedom));
	double all = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->sites && variance && freedom; i++) {
		struct scatter s = scatter_of(l, i, own);

		if (!can_tell(&s))
			continue;
		variance[n] = s.variance;
		freedom[n++] = s.freedom;
		all += s.freedom;
	}
	if (variance && freedom) {
		*prior = between_runs_prior(variance, freedom, n);
		/* Sites that agree by chance get no more freedom than all have together. What a run
		 * does to all sites alike counts once, however many sites there are. */
		prior->freedom = own ? fmin(prior->freedom, all) : 0;
		/* Of three runs in all nobody can tell whether the sites' variances are equal. */
		if (all <= n)
			prior->freedom = fmin(prior->freedom, MOST_OF_THREE_RUNS);
	}
	free(variance);
	free(freedom);
	return variance && freedom ? 0 : -1;
}

static void test_site(const struct diff *d, const struct scatter *s,
		      const struct between_runs_prior *prior, double margin, struct diff_test *t)
{
	double variance = between_runs_moderated(prior, s->variance, s->freedom), t_value, effect;

	effect = s->mean[1] - s->mean[0];
	t->made = true;
	t->weight = WEIGHT;
	t->margin = margin;
	t->freedom = fmin(s->freedom + prior->freedom, 1e6);
	/* Runs that agree more closely than their own errors allow do so by chance. */
	t->error = sqrt(fmax(variance * (1.0 / s->n[0] + 1.0 / s->n[1]), s->within));
	t->p = compare_effect_p(effect, t->error, t->freedom, t->margin);
	t_value = distributions_t_quantile(0.5 + d->options.confidence / 2, t->freedom);
	t->ratio = exp(effect);
	t->low = exp(effect - t_value * t->error);
	t->high = exp(effect + t_value * t->error);
}

/* What all sites share, of one side against the other. */
static double shared_change(const struct logs *l)
{
	double sum[2] = {0, 0};

	for (uint32_t k = 0; k < l->profiles; k++)
		sum[k >= l->bases] += l->shared[k];
	return sum[1] / (l->profiles - l->bases) - sum[0] / l->bases;
}

static int test_against(struct diff *d, enum diff_view view, bool waiting, bool own, struct logs *l)
{
	double shared = own ? fabs(shared_change(l)) : 0;
	struct between_runs_prior prior;

	if (find_prior(l, own, &prior) < 0)
		return -1;
	for (uint32_t i = 0; i < d->sites; i++) {
		struct scatter s = scatter_of(l, i, own);
		struct diff_site *site = &d->site[i];
		double margin = diff_estimate_margin(d, site, view);

		if (diff_estimate_may_stay(site, view))
			margin += shared;
		if (site->waiting == waiting && can_tell(&s))
			test_site(d, &s, &prior, margin,
				  &site->test[view][own ? DIFF_OWN : DIFF_TOTAL]);
	}
	return 0;
}

static void note_common(struct diff *d, enum diff_view view, bool waiting, struct logs *l)
{
	struct diff_common *c = &d->common[diff_estimate_quantity(view)][waiting];
	struct logs shared = *l;

	shared.y = l->shared; /* as if of one site */
	shared.sites = 1;
	struct scatter s = scatter_of(&shared, 0, false);
	if (c->sites || l->sharing < LEAST_SHARING || !can_tell(&s))
		return;
	double half = distributions_t_quantile(0.5 + d->options.confidence / 2, s.freedom) *
		      sqrt(s.variance * (1.0 / s.n[0] + 1.0 / s.n[1]));
	c->sites = l->sharing;
	c->ratio = exp(s.mean[1] - s.mean[0]);
	c->low = exp(s.mean[1] - s.mean[0] - half);
	c->high = exp(s.mean[1] - s.mean[0] + half);
}

static int test_view(struct diff *d, enum diff_view view, bool waiting, struct logs *l)
{
	fill_logs(d, view, waiting, l);
	if (find_shared(l) < 0 || test_against(d, view, waiting, false, l) < 0)
		return -1;
	note_common(d, view, waiting, l);
	return l->sharing < LEAST_SHARING ? 0 : test_against(d, view, waiting, true, l);
}

int diff_runs_test(struct diff *d)
{
	size_t cells = (size_t)d->sites * d->profiles + d->profiles;
	struct logs l = {.y = calloc(cells, sizeof(double)),
			 .v = calloc(cells, sizeof(double)),
			 .shared = calloc(d->profiles, sizeof(double)),
			 .sites = d->sites,
			 .profiles = d->profiles,
			 .bases = d->bases};
	int status = l.y && l.v && l.shared ? 0 : -1;

	for (int view = 0; view < DIFF_VIEWS && !status; view++)
		for (int waiting = 0; waiting < 2 && !status; waiting++)
			status = test_view(d, (enum diff_view)view, waiting, &l);
	PROF_FREE(&l, y, v, shared);
	return status;
}
