// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions that compute are compared as call sites are: their mean is the CPU time of a run that
 * samples say they had, and samples are their calls. CPU time decides, not the share of it: where
 * one function becomes slower, the shares of all others fall. Functions are matched by name. */
#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/compare/match.h"
#include "report/model/model.h"
#include "report/wording/utf8.h"
#include "stats/mean/proportion.h"

#define UNKNOWN_EFFECT 10 /* of few samples: so many of them may say no more than one */

struct making {
	struct diff *d;
	const struct match *match;
	struct report **report;	  /* of each profile: what was computed, and nothing else */
	struct string_index keys; /* by site */
	uint32_t site_room, run_room;
};

static uint32_t number_of(struct making *m, uint32_t profile,
			  const struct report_computing_row *row)
{
	char *family = match_key_family(m->match, profile, row->module ? row->module : "");
	const char *name = row->function ? row->function : "";
	char *key =
		family ? utf8_text("%.*s\x1f%s", (int)symbolize_stem(name), name, family) : NULL;

	free(family);
	return string_index_take(&m->keys, key);
}

/* -1: out of memory. */
static int add_row(struct making *m, uint32_t profile, const struct report_computing_row *row)
{
	struct diff *d = m->d;
	uint32_t number = number_of(m, profile, row), at = number * d->profiles + profile;
	int side = profile >= d->bases;

	if (number >= UINT32_MAX / d->profiles - 1 ||
	    !array_reach((void **)&d->site, &m->site_room, number, sizeof(*d->site), 0) ||
	    !array_reach((void **)&d->runs, &m->run_room, at - profile + d->profiles,
			 sizeof(*d->runs), 0))
		return -1;
	d->sites = m->keys.count;
	struct diff_site *s = &d->site[number];
	struct diff_run *r = &d->runs[at];

	s->brief = row->brief;
	s->symbol = row->function ? row->function : computing_name(row);
	s->library = row->module ? row->module : "";
	r->calls += row->samples;
	r->total_ns += 1e9 * row->cpu_s;
	r->mean.error = hypot(r->mean.error, 1e9 * row->cpu_error_s);
	s->side[side].share += row->share / (diff_end_run(d, side) - diff_first_run(d, side));
	return 0;
}

static void fill_site(struct diff *d, uint32_t index)
{
	const struct compare_mean none = {NAN, INFINITY, 0};
	struct diff_run *run = &d->runs[(size_t)index * d->profiles];
	struct diff_site *s = &d->site[index];

	s->run = run;
	s->outcome = "";
	s->rate = (struct diff_rate){{NAN, NAN}, NAN, NAN, NAN, NAN, NAN, false};
	for (struct diff_run *r = run; r < run + d->profiles; r++) {
		r->mean.mean = r->total_ns;
		r->mean.freedom = SCP_SAMPLE_BATCHES - 1;
		r->undisturbed = r->unswitched = r->unswitched_undisturbed = none;
		r->quick_ns = r->spread = r->unswitched_calls = NAN;
		r->runnable_ns = r->asleep_ns = NAN;
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		uint32_t first = diff_first_run(d, side), end = diff_end_run(d, side);
		struct diff_side *to = &s->side[side];

		for (uint32_t i = first; i < end; i++) {
			to->calls += (double)run[i].calls / (end - first);
			to->total_ns += run[i].total_ns / (end - first);
		}
		to->ns = to->total_ns;
		to->unswitched_ns = NAN;
		PROF_ADD(&d->side[side], to, calls, total_ns);
	}
	s->effect_ns = s->side[DIFF_NEW].total_ns - s->side[DIFF_BASE].total_ns;
}

/* Of one side only: no change is what machines do from run to run, of its CPU time and of its
 * share. By samples, none of which is on the other side; of several runs as many as the one with
 * the fewest has, each. */
static void test_one_sided(const struct making *m, struct diff_site *s)
{
	struct diff *d = m->d;
	struct diff_test *t = &s->test[DIFF_MEAN][DIFF_TOTAL];
	int side = s->side[DIFF_NEW].calls ? DIFF_NEW : DIFF_BASE;
	double most = 1 + d->options.run_to_run, fewest = INFINITY, effect = 1;
	uint32_t first = diff_first_run(d, side), end = diff_end_run(d, side);
	const struct compare_null null = {1 / most, most, 0, INFINITY};

	/* Of a few how far they depend on each other is not known. */
	for (uint32_t i = 0; i < d->profiles; i++)
		if (m->report[i]->computing->samples < PROPORTION_LEAST)
			effect = UNKNOWN_EFFECT;
	for (uint32_t i = first; i < end; i++) {
		double share = s->run[i].mean.mean / s->run[i].mean.error;

		fewest = fmin(fewest, s->run[i].calls ? share * share : 0);
	}
	*t = (struct diff_test){.weight = 1};
	for (int own = 0; own < DIFF_AGAINSTS; own++) {
		struct compare_count count[DIFF_SIDES] = {{0, 0}, {0, 0}};

		count[side].events = fewest * (end - first) / effect;
		for (uint32_t i = 0; i < d->profiles; i++) {
			const struct report_computing *c = m->report[i]->computing;

			count[i >= d->bases].exposure +=
				own ? (double)(c->samples - c->in_calls)
				    : (double)c->samples / (c->cpu_s + c->in_calls_cpu_s);
		}
		t->p = fmax(t->p, compare_counts_p(&count[DIFF_BASE], &count[DIFF_NEW], &null));
	}
	/* So few samples could not have had a smaller p: they take nothing from the tests of the
	 * others (Gilbert 2005). */
	t->made = t->p <= 1 - d->options.confidence;
}

static int compare(struct making *m)
{
	struct diff *d = m->d;

	for (uint32_t i = 0; i < d->profiles; i++)
		for (uint32_t k = 0; k < m->report[i]->computing->rows; k++)
			if (add_row(m, i, &m->report[i]->computing->row[k]))
				return -1;
	for (uint32_t i = 0; i < d->sites; i++) {
		fill_site(d, i);
		if (!d->site[i].side[DIFF_BASE].calls || !d->site[i].side[DIFF_NEW].calls)
			test_one_sided(m, &d->site[i]);
	}
	return (d->profiles > 2 ? diff_runs_test(d) : diff_pair_test(d)) < 0 ? -1 : diff_judge(d);
}

/* User space is compared with user space; a run without any sample says nothing. */
static bool is_known(const struct diff *d)
{
	const struct prof_sampling *first = &d->profile[0]->sampling;

	for (uint32_t i = 0; i < d->profiles; i++)
		if (!d->profile[i]->sampling.period_ns || !d->profile[i]->samples ||
		    first->flags & SCP_SAMPLING_MIXED ||
		    d->profile[i]->sampling.flags != first->flags)
			return false;
	return true;
}

static int compare_all(const struct diff *d, struct making *m)
{
	for (uint32_t i = 0; i < d->profiles; i++) {
		m->report[i] = computing_report(d->profile[i], d->match->symbols[i],
						d->options.confidence);
		if (!m->report[i])
			return -1;
	}
	return compare(m);
}

int diff_computing_compare(struct diff *d)
{
	struct making m = {.match = d->match, .report = calloc(d->profiles, sizeof(*m.report))};

	if (!is_known(d)) {
		free(m.report);
		return 0;
	}
	m.d = d->computing = calloc(1, sizeof(*m.d));
	int status = m.d && m.report ? 0 : -1;

	if (!status) {
		*m.d = (struct diff){.profile = d->profile,
				     .profiles = d->profiles,
				     .bases = d->bases,
				     .options = d->options,
				     .samples = true};
		/* Names come and go with a few samples. */
		if (d->options.sides == DIFF_SIDES_ALL)
			m.d->options.sides = DIFF_SIDES_FREQUENT;
		/* What is unknown of the fastest calls doubles it in diff_pair.c. */
		m.d->options.run_to_run = sqrt(1 + d->options.run_to_run) - 1;
		status = compare_all(d, &m);
	}
	for (uint32_t i = 0; m.report && i < d->profiles && m.report[i]; i++) {
		m.report[i]->symbols = NULL;
		computing_report_free(m.report[i]);
	}
	free(m.report);
	string_index_clear(&m.keys);
	return status;
}
