// SPDX-License-Identifier: GPL-3.0-or-later
/* Blocks of windows, one after another. They are added up after the first one, and then each time
 * that there are half as many more, without delays meanwhile. */

#include <math.h>
#include <stdlib.h>

#include "collector/causal/causal_private.h"

#define LATE	  0.2	/* of a window */
#define MORE	  1.5	/* blocks from one fit to the next */
#define WINDOWS_S 1.0	/* windows that get longer as time passes get no longer than this */
#define WINDOWS	  32768 /* so many, and they get twice as long: memory is bounded */
#define TURNS	  2	/* in a block: it works in turns, and windows must be longer than these */
#define FASTER	  1.3	/* progress than delays were made for: they are made anew */

/* Limits that are watched until they are narrow must hold at all looks: as in
 * stats/mean/stopping.h, Robbins' boundary sqrt(a^2 + ln(t / m)) with the error of time t, in place
 * of the normal quantile. m: the first look. */
#define SEQUENCE_95   2.7955
#define SEQUENCE_FROM 10.0

/* Between two windows. */
struct edge {
	double at;
	struct scp_causal_thread counts;
};

static void read_edge(struct causal *c, struct edge *e)
{
	e->at = causal_state_now();
	causal_state_read(c, &e->counts);
}

static void set_delays(struct causal *c, const double *delays)
{
	causal_page_window(c->page, delays, c->window_s * causal_budget_limit(c->wishes.slowdown),
			   fmin(c->window_s, CAUSAL_RENEW_S) + CAUSAL_RENEW_S);
}

static void draw(struct causal *c, unsigned char *level)
{
	double delays[SCP_CAUSAL_SLOTS] = {0};

	for (size_t i = 0; i < c->sites; i++) {
		level[i] = causal_design_draw(&c->random, c->budget[i].active);
		delays[i + 1] = c->budget[i].high * level[i] / (SLOPES_LEVELS - 1);
	}
	set_delays(c, delays);
}

/* True: the experiment is to end. */
static bool wait_window(struct causal *c, double until)
{
	while (causal_state_now() + CAUSAL_RENEW_S < until) {
		if (causal_state_wait(c, causal_state_now() + CAUSAL_RENEW_S))
			return true;
		causal_page_renew(c->page, 2 * CAUSAL_RENEW_S);
	}
	bool ends = causal_state_wait(c, until);
	c->late += causal_state_now() > until + LATE * c->window_s;
	return ends;
}

static int add_window(struct causal *c, const struct edge *from, const struct edge *to,
		      const unsigned char *level, double rate)
{
	struct scp_causal_progress a = from->counts.progress, b = to->counts.progress;
	struct causal_design_calls calls[SLOPES_SITES];

	for (size_t i = 0; i < c->sites; i++) {
		const struct scp_causal_count *x = &from->counts.slot[i + 1],
					      *y = &to->counts.slot[i + 1];

		calls[i] = (struct causal_design_calls){
			(double)(y->calls - x->calls),
			causal_page_seconds(c->page, (double)(y->units - x->units))};
		c->delayed += y->delayed - x->delayed;
	}
	c->skipped += to->counts.skipped - from->counts.skipped;
	return causal_design_add(
		&c->design,
		&(struct causal_design_seen){
			.window = {.time = to->at - from->at,
				   .progress = (double)(b.completed - a.completed),
				   .latency =
					   c->timed ? causal_page_seconds(
							      c->page, (double)(b.units - a.units))
						    : NAN},
			.level = level,
			.calls = calls},
		rate);
}

/* A block of windows, and a rest. True: the experiment is over. */
static bool run_block(struct causal *c, double end, double rate)
{
	unsigned char level[2][SLOPES_SITES];
	struct edge edge[2];
	bool ends = false;

	draw(c, level[0]);
	read_edge(c, &edge[0]);
	double until = edge[0].at + c->window_s;
	for (size_t i = 1; !ends && i <= CAUSAL_DESIGN_BLOCK; i++) {
		ends = wait_window(c, until) || causal_state_now() >= end;
		if (ends || i == CAUSAL_DESIGN_BLOCK)
			set_delays(c, (double[SCP_CAUSAL_SLOTS]){0});
		else
			draw(c, level[i % 2]);
		read_edge(c, &edge[i % 2]);
		/* the window in which causal_stop was called had no delays in the end */
		if (__atomic_load_n(&c->over, __ATOMIC_ACQUIRE))
			return true;
		if (add_window(c, &edge[(i + 1) % 2], &edge[i % 2], level[(i + 1) % 2], rate)) {
			c->no_memory = c->design.windows < CAUSAL_DESIGN_WINDOWS;
			return true;
		}
		until = fmax(until, edge[i % 2].at - c->window_s / 2) + c->window_s;
	}
	causal_state_tell(c, c->design.progress / c->design.time, c->state.precision);
	return ends;
}

int causal_windows_fit(const struct causal *c, struct slopes *all, struct slopes_site *site)
{
	struct slopes_data data;
	double *delay;
	int failed = causal_design_data(&c->design, &data, &delay);

	data.threads = c->threads.count;
	data.busy = c->threads.busy;
	data.calls = c->threads.calls;
	if (!failed)
		failed = slopes_fit(&data, 0.05, all, site);
	free(delay);
	return failed;
}

/* Widest half width of the sites' predictions for 10 % at this confidence, as a share; NAN: not
 * known. */
static double causal_windows_precision(const struct causal *c, double confidence)
{
	double widest = NAN;

	for (size_t i = 0; i < c->sites; i++) {
		const struct causal_candidate *s = &c->site[i];
		struct slopes_value call = {.value = s->busy / s->calls_s, .freedom = 1e6};

		if (!(s->busy > 0))
			continue;
		struct slopes_prediction p =
			slopes_predict(&c->all, &c->slopes[i], call, 0.1, confidence);
		double half = (p.high - p.low) / 200;
		if (!isfinite(half))
			return NAN;
		widest = half < widest ? widest : half;
	}
	return widest;
}

static double completed(struct causal *c)
{
	struct scp_causal_thread counts;

	causal_state_read(c, &counts);
	return (double)counts.progress.completed;
}

/* True: it is known well enough. */
static bool add_up(struct causal *c, double elapsed)
{
	double z = sqrt(SEQUENCE_95 * SEQUENCE_95 + log(fmax(elapsed / SEQUENCE_FROM, 1)));
	double precision = NAN;

	causal_threads_read(&c->threads, c->page, c->sites, completed(c));
	c->no_memory = causal_windows_fit(c, &c->all, c->slopes) != 0;
	c->fitted = true;
	if (c->no_memory)
		return true;
	if (elapsed >= SEQUENCE_FROM)
		precision = causal_windows_precision(c, 1 - erfc(z / M_SQRT2));
	causal_state_tell(c, c->all.unit.value > 0 ? 1 / c->all.unit.value : c->state.rate_per_s,
			  precision);
	causal_design_break(&c->design);
	return c->wishes.precision > 0 && precision <= c->wishes.precision;
}

/* Sites that no delay is short enough for leave. */
static void drop_impossible(struct causal *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->sites; i++) {
		causal_page_choose(c->page, c->site[i].site.index, 0);
		if (!(c->budget[i].active > 0)) {
			c->problems |= CAUSAL_SITES_LEFT_OUT;
			continue;
		}
		c->budget[kept] = c->budget[i];
		c->site[kept++] = c->site[i];
	}
	c->sites = kept;
	c->problems |= kept ? 0 : CAUSAL_NO_SITES;
	for (size_t i = 0; i < c->sites; i++)
		causal_page_choose(c->page, c->site[i].site.index, (unsigned)i + 1);
	causal_design_free(&c->design);
	causal_design_begin(&c->design, c->sites);
}

/* After the pilot. False: there is nothing to be delayed. */
static bool begin_windows(struct causal *c)
{
	causal_budget_correct(c);
	drop_impossible(c);
	if (c->sites && !c->no_memory)
		causal_budget_correct(c);
	if (c->no_memory || !c->sites)
		return false;
	causal_threads_begin(&c->threads, c->page, completed(c));
	causal_state_enter(c, CAUSAL_DELAYS);
	c->began_s = causal_state_now();
	return true;
}

/* Windows get longer, where time allows that: beside each idle one two are lost, too. `idle`: how
 * often it had nothing to do before the last block. */
static void lengthen(struct causal *c, size_t idle, size_t *longer_at)
{
	bool many = c->design.windows >= *longer_at;
	bool turns = !(c->wishes.window_s > 0) && c->design.idle_times >= idle + TURNS &&
		     4 * SLOPES_WINDOWS * c->window_s <= c->wishes.for_s;

	if ((!many && !turns) || c->window_s >= WINDOWS_S)
		return;
	c->window_s = fmin(2 * c->window_s, WINDOWS_S);
	*longer_at += many ? WINDOWS : 0;
}

void causal_windows_run(struct causal *c)
{
	double rate = causal_pilot_rate(&c->pilot), fit_at = 1;
	size_t longer_at = WINDOWS, idle = 0;

	if (!begin_windows(c))
		return;
	for (double block = 1; !run_block(c, c->began_s + c->wishes.for_s, rate); block++) {
		bool fits = block >= fit_at;

		fit_at = fits ? ceil(MORE * fit_at) : fit_at;
		if (fits && add_up(c, causal_state_now() - c->began_s))
			break;
		if (fits || causal_budget_rate(c) > FASTER * c->assumed_rate)
			causal_budget_correct(c);
		if (c->no_memory)
			break;
		lengthen(c, idle, &longer_at);
		idle = c->design.idle_times;
	}
	causal_threads_read(&c->threads, c->page, c->sites, completed(c));
	c->ended_itself = !__atomic_load_n(&c->over, __ATOMIC_ACQUIRE);
	c->elapsed_s = causal_state_now() - c->began_s;
}
