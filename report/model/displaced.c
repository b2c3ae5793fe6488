// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals and significance of costs by displacement. Significance is of the uncharged cost,
 * one test a group of sites, by Benjamini and Hochberg's rule. */
#include "report/model/model.h"
#include "report/wording/warning_list.h"

#include <math.h>
#include <stdlib.h>

#include "stats/displacement/displacement.h"
#include "stats/numerics/distributions.h"
#include "stats/regression/site_costs.h"

/* Work that falls into the time of other tasks is accounted to them, and corrected for: above these
 * shares the assumption behind that deserves a warning. */
#define BUSY 0.1
#define KEPT 0.5

static struct report_cost cost_of(const struct prof_cost_value *v, double confidence)
{
	struct displacement_value value = {v->ns, v->error_ns, v->freedom};
	struct report_cost c = {.ns = v->ns, .error_ns = v->error_ns, .q = NAN};

	displacement_limits(value, confidence, &c.low_ns, &c.high_ns);
	c.p = site_costs_p(value);
	return c;
}

void displaced_fill(const struct report *r, struct report_site *s,
		    const struct prof_site_cost *cost)
{
	static const struct report_cost none = {NAN, NAN, NAN, NAN, NAN, NAN};
	struct report_displaced *d = &s->displaced;

	*d = (struct report_displaced){.uncharged = none, .true_cost = none, .both = none};
	PROF_SET(d, cost, state, group, spans, run, kept, busy, inflation);
	if (cost->state != SCP_SITE_COST_KNOWN)
		return;
	d->uncharged = cost_of(&cost->uncharged, r->confidence);
	d->true_cost = cost_of(&cost->true_cost, r->confidence);
}

static bool together(const struct report_displaced *a, const struct report_displaced *b)
{
	return a->state == SCP_SITE_COST_KNOWN && b->state == SCP_SITE_COST_KNOWN &&
	       a->run == b->run && a->group == b->group;
}

uint32_t displaced_partner(const struct report *r, uint32_t of, uint32_t from)
{
	for (uint32_t i = from + 1; i < r->sites; i++)
		if (i != of && together(&r->site[i].displaced, &r->site[of].displaced))
			return i;
	return r->sites;
}

/* A group is one test: its first site's. */
static uint32_t first_of(const struct report *r, uint32_t site)
{
	uint32_t partner = displaced_partner(r, site, PROF_NONE);

	return partner < site ? partner : site;
}

/* Sites of the profile that share the cost: a row of several sites has none of its own. */
static uint32_t sharing(const struct report *r, const struct report_displaced *d)
{
	uint32_t count = 0;

	for (const struct prof_site_cost *c = r->profile->site_cost;
	     c < r->profile->site_cost + r->profile->site_costs; c++) {
		count +=
			c->state == SCP_SITE_COST_KNOWN && c->run == d->run && c->group == d->group;
	}
	return count;
}

/* What the kernel charged, over the calls of all sites that share the cost of `site`; ns NAN: not
 * known of all, or of calls inside others, which are charged to both. */
static struct report_cost charged_of(const struct report *r, uint32_t site)
{
	struct report_cost c = {.p = NAN, .q = NAN};
	uint32_t rows = 0;
	double calls = 0;

	for (uint32_t i = site; i < r->sites;
	     i = displaced_partner(r, site, rows++ ? i : PROF_NONE)) {
		const struct report_site *s = &r->site[i];
		const struct mean_interval *m = &s->states.charged;
		double n = (double)s->calls;

		calls += n;
		c.ns += s->states.known && !s->inner_calls ? n * m->mean : NAN;
		c.low_ns += n * m->low;
		c.high_ns += n * m->high;
		c.error_ns += n * m->error;
	}
	if (rows != sharing(r, &r->site[site].displaced))
		c.ns = NAN;
	c.ns /= calls;
	c.low_ns /= calls;
	c.high_ns /= calls;
	c.error_ns /= calls;
	return c;
}

/* Charged and uncharged are measured in the same moments, so their errors may go together or
 * against each other: limits are added, which holds whatever their correlation (the standard error
 * of a sum is at most the sum of the standard errors). */
static void add_charged(struct report *r, uint32_t site)
{
	const struct report_cost *u = &r->site[site].displaced.uncharged;
	struct report_cost both = charged_of(r, site);

	if (isnan(both.ns))
		return;
	PROF_ADD(&both, u, ns, low_ns, high_ns, error_ns);
	r->site[site].displaced.both = both;
	for (uint32_t i = displaced_partner(r, site, PROF_NONE); i < r->sites;
	     i = displaced_partner(r, site, i))
		r->site[i].displaced.both = both;
}

int displaced_judge(struct report *r)
{
	double *q;
	int status;

	if (!displaced_any(r))
		return 0;
	q = calloc((size_t)r->sites + 1, sizeof(*q));
	for (uint32_t i = 0; q && i < r->sites; i++)
		q[i] = r->site[i].displaced.state == SCP_SITE_COST_KNOWN && first_of(r, i) == i
			       ? r->site[i].displaced.uncharged.p
			       : NAN;
	status = q ? distributions_q_values(q, r->sites) : -1;
	for (uint32_t i = 0; !status && i < r->sites; i++) {
		struct report_displaced *d = &r->site[i].displaced;

		if (d->state != SCP_SITE_COST_KNOWN)
			continue;
		d->uncharged.q = q[first_of(r, i)];
		d->significant = d->uncharged.q <= 1 - r->confidence;
		if (first_of(r, i) == i)
			add_charged(r, i);
	}
	free(q);
	return status;
}

bool displaced_any(const struct report *r)
{
	for (uint32_t i = 0; r->profile->site_costs && i < r->kept; i++)
		if (r->site[i].displaced.state)
			return true;
	return false;
}

const char *displaced_state_name(uint32_t state)
{
	static const char *const names[] = {[SCP_SITE_COST_KNOWN] = "known",
					    [SCP_SITE_COST_RARE] = "rare",
					    [SCP_SITE_COST_STEADY] = "steady",
					    [SCP_SITE_COST_FEW] = "too-few-windows"};

	return names[state <= SCP_SITE_COST_FEW ? state : SCP_SITE_COST_FEW];
}

void displaced_warn(struct report *r)
{
	double busy = 0, kept = 1;

	for (uint32_t i = 0; i < r->kept; i++) {
		const struct report_displaced *d = &r->site[i].displaced;

		if (d->state != SCP_SITE_COST_KNOWN)
			continue;
		busy = fmax(busy, d->busy);
		kept = fmin(kept, d->kept);
	}
	if (busy > BUSY)
		warning_list_note(
			r, "others-busy",
			"While the program ran, other tasks had up to %.0f %% of a CPU's time",
			100 * busy);
	if (kept < KEPT)
		warning_list_note(r, "others-busy",
				  "Only %.0f %% of the fluid's windows were undisturbed",
				  100 * kept);
	if (!displaced_any(r) && r->profile->site_costs)
		warning_list_note(
			r, "site-costs-apart",
			"Costs by displacement are in the profile, but not of these rows");
}

/* ---- the account of the CPUs' time ---- */

/* As in the account that was printed when it was recorded. */
static double hidden(const struct prof_account *a)
{
	double others = 0, wall = 0, sum = 0;

	for (uint32_t i = 0; i < a->cpus; i++) {
		const double *part = a->cpu[i].part_ns;

		others += part[SCP_ACCOUNT_OTHERS] + fmax(0, part[SCP_ACCOUNT_REMAINDER]);
		wall += a->cpu[i].wall_ns;
	}
	for (uint32_t i = 0; i < a->cpus; i++) {
		const double *part = a->cpu[i].part_ns;

		sum += displacement_hidden(
			part[SCP_ACCOUNT_UNCHARGED],
			part[SCP_ACCOUNT_UNCHARGED] + part[SCP_ACCOUNT_INTERRUPTS] +
				part[SCP_ACCOUNT_IDLE],
			part[SCP_ACCOUNT_OTHERS] + fmax(0, part[SCP_ACCOUNT_REMAINDER]),
			displacement_is_bound(others, wall));
	}
	return sum;
}

struct report_cost displaced_uncharged(const struct prof_account *a, double confidence)
{
	struct report_cost c = cost_of(&a->uncharged, confidence);

	if (!isfinite(a->uncharged.error_ns))
		return (struct report_cost){NAN, NAN, NAN, NAN, NAN, NAN};
	c.high_ns += hidden(a);
	return c;
}

double displaced_share(double part_ns, double of_ns)
{
	return of_ns > 0 ? part_ns / of_ns : NAN;
}

struct prof_account_cpu displaced_all_cpus(const struct prof_account *a)
{
	struct prof_account_cpu all = {.cpu = PROF_NONE};

	for (uint32_t i = 0; i < a->cpus; i++) {
		all.wall_ns += a->cpu[i].wall_ns;
		for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
			all.part_ns[k] += a->cpu[i].part_ns[k];
	}
	return all;
}
