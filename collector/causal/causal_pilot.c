// SPDX-License-Identifier: GPL-3.0-or-later
/* Windows by their scatter, sites by their time. */

#include <math.h>
#include <stdlib.h>

#include "collector/causal/causal_private.h"
#include "profile/base/array.h"

/* Fewer windows say nothing of a scatter. A variance of 20 values is below half of the true one in
 * one of 20 pilots, more often where it comes in bursts; and a pilot does not see how a machine
 * changes over seconds, which makes long windows bad. So the shorter one, unless it is plain. */
#define LEAST_WINDOWS 20
#define CLEARLY	      0.5
#define UNITS_LONG    10.0 /* durations of a unit in a window */
#define LEAST_UNITS   20.0 /* in a window, on average */
#define LEAST_CALLS   0.5  /* in a window */

static const size_t lengths[] = {1, 2, 5, 10, 20, 50, 100}; /* readings */

double causal_pilot_rate(const struct causal_pilot_series *s)
{
	double time = 0, progress = 0;

	for (size_t i = 0; i < s->count; i++) {
		time += s->time[i];
		progress += s->progress[i];
	}
	return time > 0 ? progress / time : 0;
}

/* Variance of time - progress / rate over windows of `length` readings, a second. NAN: too few. */
static double scatter(const struct causal_pilot_series *s, double rate, size_t length)
{
	double squares = 0, all = 0;
	size_t windows = s->count / length;

	if (windows < LEAST_WINDOWS)
		return NAN;
	for (size_t w = 0; w < windows; w++) {
		double rest = 0;

		for (size_t i = w * length; i < (w + 1) * length; i++) {
			rest += s->time[i] - s->progress[i] / rate;
			all += s->time[i];
		}
		squares += rest * rest;
	}
	return squares / all * (double)windows / (double)(windows - 1);
}

/* So that edges count for little; but rather fewer units than too few windows. */
static double length_for_edges(double rate, double for_s)
{
	double all_s = isfinite(for_s) ? for_s : CAUSAL_PILOT_FOR_S,
	       longest = fmax(all_s / CAUSAL_PILOT_WINDOWS, LEAST_UNITS / rate);

	return fmin(CAUSAL_PILOT_UNITS / rate, longest);
}

double causal_pilot_window(const struct causal_pilot_series *s, double unit_s, double for_s)
{
	double rate = causal_pilot_rate(s), best = INFINITY, chosen = CAUSAL_PILOT_READING_S, least;

	if (!(rate > 0))
		return CAUSAL_PILOT_LONGEST_S;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		double now = scatter(s, rate, lengths[i]);

		if (now < CLEARLY * best) {
			best = now;
			chosen = (double)lengths[i] * CAUSAL_PILOT_READING_S;
		}
	}
	least = fmax(length_for_edges(rate, for_s), UNITS_LONG * (unit_s > 0 ? unit_s : 0));
	return fmin(fmax(chosen, least), CAUSAL_PILOT_LONGEST_S);
}

ARRAY_COMPARE(by_time, struct causal_candidate,
	      PROF_ORDER(b, a, busy, calls_s) ?: PROF_ORDER(a, b, site.index))

size_t causal_pilot_choose(struct causal_candidate *c, size_t count, double window_s, size_t most,
			   size_t *left_out)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!c[i].wanted || c[i].site.in_handler ||
		    !(c[i].calls_s * window_s >= LEAST_CALLS))
			continue;
		c[kept] = c[i];
		if (!(c[kept].busy >= 0)) /* what a caller got wrong */
			c[kept].busy = 0;
		kept++;
	}
	ARRAY_SORT(c, kept, by_time);
	*left_out = kept > most ? kept - most : 0;
	return kept - *left_out;
}

/* The pilot. More sites than slots are counted in turn. */
#define IDLE_S	     0.02 /* between looks whether progress has begun */
#define LEAST_WAIT_S 60.0 /* for that, however short the experiment is to be */
#define ENOUGH	     50	  /* units of progress */
#define LONGEST_S    10.0 /* that a pilot waits for them, or for sites, beyond its time */
#define PILOT_S	     1.0
#define SLICE_S	     0.25 /* of a pilot: who is counted is chosen anew in each */
#define MANY_SLOTS   (SCP_CAUSAL_SLOTS - 1)

/* What is counted of each of the page's sites. */
struct tally {
	struct causal_page_site site[SCP_CAUSAL_SITES];
	size_t sites;
	double calls[SCP_CAUSAL_SITES], seconds[SCP_CAUSAL_SITES]; /* by index in the page */
	size_t counted[MANY_SLOTS], in_slots;			   /* likewise, by slot - 1 */
};

static bool wait_for_progress(struct causal *c)
{
	double end = causal_state_now() + fmax(c->wishes.for_s, LEAST_WAIT_S);
	struct scp_causal_thread counts;

	/* read after each wait: a program may have made progress, and ended, during it */
	for (bool over = false;; over = causal_state_wait(c, causal_state_now() + IDLE_S)) {
		causal_state_read(c, &counts);
		if (counts.progress.completed)
			return true;
		if (over || causal_state_now() > end)
			return false;
	}
}

static int shortest_first(const void *a, const void *b, void *seconds)
{
	const struct causal_page_site *x = a, *y = b;
	const double *s = seconds;

	return ARRAY_ORDER(s[x->index], s[y->index]) ?: ARRAY_ORDER(x->index, y->index);
}

/* Those that have been counted for the shortest time. True: some had not been. */
static bool choose_counted(struct causal *c, struct tally *t)
{
	bool some_new = false;

	t->sites = causal_page_sites(c->page, t->site, SCP_CAUSAL_SITES);
	for (unsigned slot = 1; slot < SCP_CAUSAL_SLOTS && slot <= t->in_slots; slot++)
		causal_page_choose(c->page, t->counted[slot - 1], 0);
	t->in_slots = t->sites < MANY_SLOTS ? t->sites : MANY_SLOTS;
	qsort_r(t->site, t->sites, sizeof(*t->site), shortest_first, t->seconds);
	for (size_t i = 0; i < t->in_slots; i++) {
		size_t at = t->site[i].index;

		some_new = some_new || !(t->seconds[at] > 0);
		t->counted[i] = at;
		causal_page_choose(c->page, at, (unsigned)i + 1);
	}
	return some_new;
}

/* Readings for so long. True: the experiment is to end. */
static bool count_for(struct causal *c, struct tally *t, double seconds,
		      struct scp_causal_thread *counts)
{
	struct scp_causal_thread first = *counts, before;
	struct causal_pilot_series *s = &c->pilot;
	double began = causal_state_now(), last = began, now;
	bool ends = false;

	for (now = began; !ends && now < began + seconds; last = now) {
		ends = causal_state_wait(c, last + CAUSAL_PILOT_READING_S);
		before = *counts;
		now = causal_state_now();
		causal_state_read(c, counts);
		struct scp_causal_progress from = before.progress, to = counts->progress;
		if (s->count < CAUSAL_PILOT_READINGS) {
			s->time[s->count] = now - last;
			s->progress[s->count++] = (double)(to.completed - from.completed);
		}
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
	double began = causal_state_now(), passed;
	struct scp_causal_thread counts;
	struct scp_causal_progress from, to;
	bool some_new;

	causal_state_read(c, &counts);
	from = counts.progress;
	causal_threads_begin(&c->threads, c->page, (double)from.completed);
	do {
		some_new = choose_counted(c, t);
		causal_state_read(c, &counts); /* slots that begin, without what was before */
		if (count_for(c, t, SLICE_S, &counts))
			return false;
		passed = causal_state_now() - began;
		to = counts.progress;
		causal_state_tell(c, causal_pilot_rate(&c->pilot), NAN);
	} while (passed < PILOT_S || (passed < PILOT_S + LONGEST_S &&
				      (some_new || to.completed - from.completed < ENOUGH)));
	causal_threads_read(&c->threads, c->page, 0, (double)to.completed);
	c->timed = to.units > from.units;
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
			.stretch = fmax(causal_threads_stretch(&c->threads), 1),
			.wanted = !c->wishes.choose,
		};
	}
	return c->site ? 0 : -1;
}

/* Which sites, which windows. */
static bool choose(struct causal *c, double unit_s)
{
	size_t left_out;

	if (!c->sites ||
	    (c->wishes.choose && !c->wishes.choose(c->wishes.context, c->site, c->sites))) {
		c->sites = 0;
		c->problems |= CAUSAL_NO_SITES;
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

bool causal_pilot_run(struct causal *c)
{
	struct tally *t;
	double unit_s;

	if (!wait_for_progress(c)) {
		c->problems |= CAUSAL_NO_PROGRESS;
		return false;
	}
	causal_state_enter(c, CAUSAL_PILOT);
	t = calloc(1, sizeof(*t));
	bool goes_on = t && count_sites(c, t, &unit_s);
	for (unsigned slot = 1; t && slot <= t->in_slots; slot++)
		causal_page_choose(c->page, t->counted[slot - 1], 0);
	c->no_memory = !t || (goes_on && list_candidates(c, t));
	free(t);
	if (!goes_on || c->no_memory || !choose(c, unit_s))
		return false;
	for (size_t i = 0; i < c->sites; i++)
		causal_page_choose(c->page, c->site[i].site.index, (unsigned)i + 1);
	causal_design_begin(&c->design, c->sites);
	return true;
}
