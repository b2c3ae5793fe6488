// SPDX-License-Identifier: GPL-3.0-or-later
/* All sites that are met get slots, in which the page counts their calls; one that turns out to
 * be rare gives its slot to another. */
#include "collector/displacement/sites/site_dither.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/causal/causal_page.h"
#include "profile/base/array.h"

#define NONE	   SIZE_MAX
#define LONGEST_S  0.01 /* a delay */
#define RARE_S	   2.0	/* so long a site is watched before it is called rare */
#define TOO_SLOW   1.2
#define CALLS_TOLD 1000 /* fewer calls tell nothing of how many there would have been */

#define DEPTH	    0.25
#define LEAST_BLOCK 2 /* windows a block, however much may be lost */

void dither_plan_begin(struct dither_plan *p, double share, uint64_t seed)
{
	*p = (struct dither_plan){.block =
					  (unsigned)fmax(LEAST_BLOCK, floor(DEPTH / share + 1e-9))};
	p->depth = share * p->block;
	random_seed(&p->random, seed);
}

bool dither_plan_next(struct dither_plan *p)
{
	if (p->at == 0)
		p->on = (unsigned)random_below(&p->random, p->block);
	bool on = p->at == p->on;

	p->at = (p->at + 1) % p->block;
	return on;
}

size_t dither_plan_site(struct dither_plan *p, const double *rate, const unsigned *drawn, size_t n)
{
	unsigned least = UINT_MAX;
	size_t chosen = n, alike = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(rate[i] >= DITHER_PLAN_RATE) || drawn[i] > least)
			continue;
		alike = drawn[i] < least ? 1 : alike + 1;
		least = drawn[i];
		if (!random_below(&p->random, alike))
			chosen = i;
	}
	return chosen;
}

/* A delay takes more than was asked for: that is within the limit, too. */
#define REST 0.2

double dither_plan_delay(const struct dither_plan *p)
{
	return dither_plan_limit(p) / (DITHER_PLAN_PIECES + REST);
}

double dither_plan_limit(const struct dither_plan *p)
{
	return p->depth * DITHER_PLAN_WINDOW_S;
}

struct drawn_window {
	double from;
	size_t slot;
};

/* The calls of a slot's site, without delays and in all. */
struct watched {
	bool taken, admitted; /* to be delayed: it keeps its slot */
	size_t index;	      /* in the page */
	unsigned drawn;	      /* windows with a delay */
	double calls, quiet_calls, time, quiet;
};

struct site_dither {
	struct causal_page *page;
	struct dither_plan plan;
	double share;
	struct scp_causal_thread counts;
	uint64_t calls[SCP_CAUSAL_SLOTS]; /* counted when the window began */
	struct watched slot[SCP_CAUSAL_SLOTS];
	bool seen[SCP_CAUSAL_SITES]; /* has, or had, a slot */
	struct causal_page_site found[SCP_CAUSAL_SITES];
	size_t admitted;
	struct drawn_window *window;
	uint32_t windows;
	double began; /* of the present window; infinite: there is none */
	bool stopped;
	size_t now; /* slot delayed in it; 0: none */
	bool stale; /* delays since the page was read last may have been made */
	double spun, told;
	char refused[200];
};

struct site_dither *site_dither_open(const char *page, double share, uint64_t seed,
				     struct profile_error *err)
{
	const struct causal_page_wishes wishes = {
		.by = SCP_CAUSAL_BY_PATH, .place = SCP_CAUSAL_AUTO, .longest_s = LONGEST_S};
	struct site_dither *d = calloc(1, sizeof(*d));

	if (!d)
		error_set(err, "no memory for the dither");
	else
		d->page = causal_page_create(page, &wishes, err);
	if (!d || !d->page) {
		free(d);
		return NULL;
	}
	d->began = -INFINITY;
	d->share = share;
	dither_plan_begin(&d->plan, share, seed);
	return d;
}

void site_dither_end(struct site_dither *d)
{
	d->stopped = true;
	if (d->page)
		causal_page_close(d->page);
	d->page = NULL;
}

void site_dither_close(struct site_dither *d)
{
	site_dither_end(d);
	free(d->window);
	free(d);
}

static void read_page(struct site_dither *d)
{
	double units = 0;

	d->stale = d->now != 0;
	causal_page_read(d->page, &d->counts);
	const char *refused = causal_page_refused(d->page);
	if (refused && !*d->refused) {
		snprintf(d->refused, sizeof(d->refused), "%s", refused);
		d->stopped = true;
	}
	for (size_t k = 1; k < SCP_CAUSAL_SLOTS; k++)
		units += (double)d->counts.slot[k].busy;
	d->spun = fmax(d->spun, causal_page_seconds(d->page, units));
}

/* ---- sites ---- */

static size_t free_slot(const struct site_dither *d)
{
	for (size_t k = 1; k < SCP_CAUSAL_SLOTS; k++)
		if (!d->slot[k].taken)
			return k;
	for (size_t k = 1; k < SCP_CAUSAL_SLOTS; k++) {
		const struct watched *w = &d->slot[k];

		if (!w->admitted && w->quiet >= RARE_S &&
		    w->quiet_calls < DITHER_PLAN_RATE * w->quiet)
			return k;
	}
	return NONE;
}

static void watch_new(struct site_dither *d)
{
	size_t count = causal_page_sites(d->page, d->found, SCP_CAUSAL_SITES), k;

	for (size_t i = 0; i < count && i < SCP_CAUSAL_SITES; i++) {
		const struct causal_page_site *s = &d->found[i];

		if (s->in_handler || s->index >= SCP_CAUSAL_SITES || d->seen[s->index])
			continue;
		k = free_slot(d);
		if (k == NONE)
			return;
		if (d->slot[k].taken)
			causal_page_choose(d->page, d->slot[k].index, 0);
		d->seen[s->index] = true;
		d->slot[k] = (struct watched){.taken = true, .index = s->index};
		causal_page_choose(d->page, s->index, (unsigned)k);
	}
}

/* ---- windows ---- */

/* The window that ends: each site's calls in it. */
static void count_window(struct site_dither *d, double length)
{
	for (size_t k = 1; k < SCP_CAUSAL_SLOTS; k++) {
		struct watched *w = &d->slot[k];
		double calls = (double)(d->counts.slot[k].calls - d->calls[k]);

		d->calls[k] = d->counts.slot[k].calls;
		if (!w->taken)
			continue;
		w->calls += calls;
		w->time += length;
		if (d->now)
			continue;
		w->quiet_calls += calls;
		w->quiet += length;
	}
}

static double quiet_rate(const struct watched *w)
{
	return w->taken && w->quiet > 0 ? w->quiet_calls / w->quiet : 0;
}

static bool has_few(const struct watched *w)
{
	return w->admitted && w->drawn < DITHER_PLAN_ENOUGH;
}

/* A site more where all that were drawn have windows enough: that with the most calls. */
static void admit(struct site_dither *d)
{
	bool enough = true;
	size_t most = 0;

	for (size_t k = 1; k < SCP_CAUSAL_SLOTS; k++)
		enough = enough && !has_few(&d->slot[k]);
	if (d->admitted >= (enough ? SITE_DITHER_SITES : SITE_DITHER_FIRST))
		return;
	for (size_t k = 1; k < SCP_CAUSAL_SLOTS; k++)
		if (!d->slot[k].admitted && quiet_rate(&d->slot[k]) >= DITHER_PLAN_RATE &&
		    (!most || quiet_rate(&d->slot[k]) > quiet_rate(&d->slot[most])))
			most = k;
	if (most) {
		d->slot[most].admitted = true;
		d->admitted++;
	}
}

/* The slot of the site that is delayed next; 0: none. */
static size_t draw(struct site_dither *d)
{
	double rate[SCP_CAUSAL_SLOTS] = {0};
	unsigned drawn[SCP_CAUSAL_SLOTS] = {0};

	if (!dither_plan_next(&d->plan))
		return 0;
	admit(d);
	/* threads that wait for each other with a lock in hand may lose more than each was held up
	 */
	if (d->windows >= DITHER_PLAN_ENOUGH && site_dither_tell(d).slower > TOO_SLOW * d->share)
		return 0;
	for (size_t k = 1; k < SCP_CAUSAL_SLOTS; k++)
		if (d->slot[k].admitted) {
			rate[k] = quiet_rate(&d->slot[k]);
			drawn[k] = d->slot[k].drawn;
		}
	size_t chosen = dither_plan_site(&d->plan, rate, drawn, SCP_CAUSAL_SLOTS);
	return chosen < SCP_CAUSAL_SLOTS ? chosen : 0;
}

static void begin_window(struct site_dither *d, double at)
{
	double delays[SCP_CAUSAL_SLOTS] = {0};
	size_t k = draw(d);

	d->began = at;
	d->now = 0;
	/* a window that cannot be noted is not delayed */
	if (k && ARRAY_PUT(d->window, d->windows, (struct drawn_window){at, k})) {
		d->now = k;
		d->slot[k].drawn++;
		delays[k] = dither_plan_delay(&d->plan);
	}
	d->stale |= d->now != 0;
	causal_page_window(d->page, delays, dither_plan_limit(&d->plan),
			   DITHER_PLAN_WINDOW_S + SITE_DITHER_LATE_S);
}

void site_dither_tick(struct site_dither *d, double at)
{
	if (!d->page || (!d->stopped && at < d->began + DITHER_PLAN_WINDOW_S))
		return;
	if (isfinite(d->began)) {
		read_page(d);
		count_window(d, at - d->began);
	}
	d->began = INFINITY;
	d->now = 0;
	if (d->stopped)
		return;
	watch_new(d);
	begin_window(d, at);
}

void site_dither_stop(struct site_dither *d)
{
	d->stopped = true;
	if (d->page)
		causal_page_stop(d->page);
}

double site_dither_spun(struct site_dither *d)
{
	if (d->stale && d->page)
		read_page(d);
	double since = d->spun - d->told;
	d->told = d->spun;
	/* a target can write what it likes */
	return fmin(since, SCP_CAUSAL_THREADS * dither_plan_limit(&d->plan));
}

/* ---- what was drawn ---- */

bool site_dither_tells_nothing(const struct site_dither *d, double from, double to)
{
	size_t low;

	BISECT(low, d->windows, d->window[low].from + 2 * DITHER_PLAN_WINDOW_S <= from);
	for (; low < d->windows && d->window[low].from < to; low++)
		if (has_few(&d->slot[d->window[low].slot]))
			return true;
	return false;
}

struct site_dither_told site_dither_tell(const struct site_dither *d)
{
	struct site_dither_told told = {.windows = d->windows,
					.sites = d->admitted,
					.spun = d->spun,
					.refused = *d->refused ? d->refused : NULL};

	for (const struct watched *w = d->slot + 1; w < d->slot + SCP_CAUSAL_SLOTS; w++) {
		told.few += has_few(w);
		if (w->taken && w->quiet_calls >= CALLS_TOLD && w->time > 0)
			told.slower = fmax(told.slower, 1 - w->calls / w->time / quiet_rate(w));
	}
	return told;
}
