// SPDX-License-Identifier: GPL-3.0-or-later
/* The pilot. More sites than slots are counted in turn. */
#include <math.h>
#include <stdlib.h>

#include "collector/causal/causal_private.h"

#define IDLE_S	    0.02 /* between looks whether progress has begun */
#define ENOUGH	    50	 /* units of progress */
#define LONGEST_S   10.0 /* that a pilot waits for them, or for sites, beyond its time */
#define SLICES	    4	 /* of a pilot: who is counted is chosen anew in each */
#define MANY_SLOTS  (SCP_CAUSAL_SLOTS - 1)
#define LEAST_SLICE 0.1

/* What is counted of each of the page's sites. */
struct tally {
	struct causal_page_site site[SCP_CAUSAL_SITES];
	size_t sites;
	double calls[SCP_CAUSAL_SITES], seconds[SCP_CAUSAL_SITES]; /* by index in the page */
	size_t counted[MANY_SLOTS], in_slots;			   /* likewise, by slot - 1 */
};

static bool wait_for_progress(struct causal *c)
{
	struct causal_page_counts counts;

	/* read after each wait: a program may have made progress, and ended, during it */
	for (bool over = false;; over = causal_state_wait(c, causal_state_now() + IDLE_S)) {
		causal_state_read(c, &counts);
		if (causal_state_progress(&counts).completed)
			return true;
		if (over)
			return false;
	}
}

/* Those that have been counted for the shortest time. True: some had not been. */
static bool choose_counted(struct causal *c, struct tally *t)
{
	static const double none = -1;
	bool some_new = false;

	t->sites = causal_page_sites(c->page, t->site, SCP_CAUSAL_SITES);
	for (unsigned slot = 1; slot < SCP_CAUSAL_SLOTS && slot <= t->in_slots; slot++)
		causal_page_choose(c->page, t->counted[slot - 1], 0);
	t->in_slots = 0;
	for (double done = none; t->in_slots < MANY_SLOTS;) {
		double next = INFINITY;

		for (size_t i = 0; i < t->sites; i++)
			if (t->seconds[t->site[i].index] > done)
				next = fmin(next, t->seconds[t->site[i].index]);
		if (!isfinite(next))
			break;
		for (size_t i = 0; i < t->sites && t->in_slots < MANY_SLOTS; i++)
			if (t->seconds[t->site[i].index] == next) {
				some_new = some_new || !(next > 0);
				t->counted[t->in_slots++] = t->site[i].index;
				causal_page_choose(c->page, t->site[i].index,
						   (unsigned)t->in_slots);
			}
		done = next;
	}
	return some_new;
}

static void add_reading(struct causal *c, double time, const struct scp_causal_progress *from,
			const struct scp_causal_progress *to)
{
	struct causal_pilot_series *s = &c->pilot;

	if (s->count == CAUSAL_PILOT_READINGS)
		return;
	s->time[s->count] = time;
	s->progress[s->count++] = (double)(to->completed - from->completed);
}

/* Readings for so long. True: the experiment is to end. */
static bool count_for(struct causal *c, struct tally *t, double seconds,
		      struct causal_page_counts *counts)
{
	struct causal_page_counts first = *counts, before;
	double began = causal_state_now(), last = began, now;
	bool ends = false;

	for (now = began; !ends && now < began + seconds; last = now) {
		ends = causal_state_wait(c, last + CAUSAL_PILOT_READING_S);
		before = *counts;
		now = causal_state_now();
		causal_state_read(c, counts);
		struct scp_causal_progress from = causal_state_progress(&before),
					   to = causal_state_progress(counts);
		add_reading(c, now - last, &from, &to);
	}
	for (size_t i = 0; i < t->in_slots; i++) {
		t->calls[t->counted[i]] +=
			(double)(counts->slot[i + 1].calls - first.slot[i + 1].calls);
		t->seconds[t->counted[i]] += now - began;
	}
	return ends;
}

/* True: it was long enough, and each site was counted. */
static bool count_sites(struct causal *c, struct tally *t, double *unit_s)
{
	double began = causal_state_now(), slice = fmax(c->wishes.pilot_s / SLICES, LEAST_SLICE),
	       passed;
	struct causal_page_counts counts;
	struct cpu_times_steal steal = cpu_times_steal_read();
	struct scp_causal_progress from, to;
	bool some_new;

	causal_state_read(c, &counts);
	from = causal_state_progress(&counts);
	do {
		some_new = choose_counted(c, t);
		causal_state_read(c, &counts); /* slots that begin, without what was before */
		if (count_for(c, t, slice, &counts))
			return false;
		passed = causal_state_now() - began;
		to = causal_state_progress(&counts);
		causal_state_tell(c, causal_pilot_rate(&c->pilot), NAN);
	} while (passed < c->wishes.pilot_s ||
		 (passed < c->wishes.pilot_s + LONGEST_S &&
		  (some_new || to.completed - from.completed < ENOUGH)));
	c->timed = to.units > from.units;
	c->steals = cpu_times_steal_read().stolen > steal.stolen;
	*unit_s = to.completed > from.completed
			  ? causal_page_seconds(c->page, (double)(to.units - from.units)) /
				    (double)(to.completed - from.completed)
			  : 0;
	return true;
}

static int list_candidates(struct causal *c, const struct tally *t)
{
	c->site = calloc(t->sites + 1, sizeof(*c->site));
	for (size_t i = 0; c->site && i < t->sites; i++) {
		size_t at = t->site[i].index;

		if (!(t->calls[at] > 0) || t->site[i].in_handler)
			continue;
		c->site[c->sites++] = (struct causal_candidate){
			.site = t->site[i],
			.calls_s = t->calls[at] / t->seconds[at],
			.wanted = !c->wishes.choose,
		};
	}
	return c->site ? 0 : -1;
}

/* Which sites, which windows. */
static bool choose(struct causal *c, double unit_s)
{
	size_t left_out;

	if (!c->sites) {
		c->problems |= CAUSAL_NO_SITES;
		return false;
	}
	if (c->wishes.choose && !c->wishes.choose(c->wishes.context, c->site, c->sites)) {
		c->sites = 0;
		return false;
	}
	c->window_s = c->wishes.window_s > 0
			      ? c->wishes.window_s
			      : causal_pilot_window(&c->pilot, unit_s, c->wishes.for_s);
	c->sites = causal_pilot_choose(c->site, c->sites, c->window_s, c->wishes.sites, &left_out);
	c->problems |= left_out ? CAUSAL_SITES_LEFT_OUT : 0;
	c->problems |= c->sites ? 0 : CAUSAL_NO_SITES;
	return c->sites > 0;
}

bool causal_measure_pilot(struct causal *c)
{
	struct tally *t;
	double unit_s;
	bool goes_on;

	if (!wait_for_progress(c)) {
		c->problems |= CAUSAL_NO_PROGRESS;
		return false;
	}
	causal_state_enter(c, CAUSAL_PILOT);
	t = calloc(1, sizeof(*t));
	goes_on = t && count_sites(c, t, &unit_s);
	for (unsigned slot = 1; t && slot <= t->in_slots; slot++)
		causal_page_choose(c->page, t->counted[slot - 1], 0);
	if (goes_on && list_candidates(c, t))
		goes_on = false;
	c->no_memory = !t || (goes_on && !c->site);
	free(t);
	goes_on = goes_on && choose(c, unit_s);
	if (!goes_on)
		return false;
	for (size_t i = 0; i < c->sites; i++)
		causal_page_choose(c->page, c->site[i].site.index, (unsigned)i + 1);
	causal_design_begin(&c->design, c->sites);
	return true;
}
