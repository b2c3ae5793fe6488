// SPDX-License-Identifier: GPL-3.0-or-later
/* The experiment's thread, its beginning and its end. */
#include "collector/causal/causal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "collector/causal/causal_private.h"
#include "collector/shared_page.h"
#include "profile/base/kernel_file.h"
#include "stats/numerics/distributions.h"

static void *experiment_main(void *argument)
{
	struct causal *c = argument;

	pthread_setname_np(pthread_self(), "scprof-causal");
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (causal_pilot_run(c))
		causal_windows_run(c);
	causal_page_stop(c->page);
	causal_state_enter(c, CAUSAL_ENDED);
	return NULL;
}

struct causal *causal_open(const struct causal_wishes *w, struct profile_error *err)
{
	struct causal *c = calloc(1, sizeof(*c));

	if (!c) {
		error_no_memory(err, w->page);
		return NULL;
	}
	c->wishes = *w;
	if (!w->sites || w->sites > SLOPES_SITES)
		c->wishes.sites = w->sites ? SLOPES_SITES : CAUSAL_SITES;
	if (!(w->of_page.longest_s > 0 && w->of_page.longest_s < CAUSAL_LONGEST_S))
		c->wishes.of_page.longest_s = CAUSAL_LONGEST_S;
	c->seed = w->seed ? w->seed : random_fresh_seed();
	random_seed(&c->random, c->seed);
	c->state = (struct causal_state){.phase = CAUSAL_WAITING, .precision = NAN};
	c->phase_began_s = causal_state_now();
	pthread_mutex_init(&c->guard, NULL);
	c->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop < 0)
		error_set(err, "cannot make an eventfd: %s", strerror(errno));
	else
		c->page = causal_page_create(w->page, &c->wishes.of_page, err);
	if (c->page)
		return c;
	causal_close(c);
	return NULL;
}

int causal_begin(struct causal *c)
{
	errno = shared_page_start_thread(&c->thread, experiment_main, c);
	c->running = !errno;
	return errno ? -1 : 0;
}

const char *causal_refused(const struct causal *c)
{
	return causal_page_refused(c->page);
}

void causal_stop(struct causal *c)
{
	causal_page_stop(c->page);
	__atomic_store_n(&c->over, 1, __ATOMIC_RELEASE);
	eventfd_write(c->stop, 1); /* full: it wakes up all the same */
}

void causal_close(struct causal *c)
{
	if (!c)
		return;
	if (c->running) {
		causal_stop(c);
		pthread_join(c->thread, NULL);
	}
	causal_page_close(c->page);
	causal_design_free(&c->design);
	causal_threads_free(&c->threads);
	free(c->site);
	kernel_file_close(&c->stop);
	pthread_mutex_destroy(&c->guard);
	free(c);
}

/* What the experiment says, and why it may say less. */
#define MANY_LATE    0.1  /* of the windows */
#define MANY_SKIPPED 0.01 /* of the delays */

static unsigned find_problems(const struct causal *c, const struct slopes *s)
{
	double limit =
		s->slowdown.value -
		distributions_t_quantile(0.95, fmax(s->slowdown.freedom, 1)) * s->slowdown.error;
	unsigned problems = c->problems;
	size_t windows = c->design.windows;

	if (!(problems & (CAUSAL_NO_PROGRESS | CAUSAL_NO_SITES)) && windows < SLOPES_WINDOWS)
		problems |= CAUSAL_TOO_SHORT;
	if (limit > c->wishes.slowdown)
		problems |= CAUSAL_SLOWER_THAN_ASKED;
	if ((double)c->late > MANY_LATE * (double)windows && windows)
		problems |= CAUSAL_LATE;
	if (s->carry)
		problems |= CAUSAL_CARRIED;
	if ((double)c->skipped > MANY_SKIPPED * (double)(c->skipped + c->delayed))
		problems |= CAUSAL_SKIPPED;
	return problems;
}

static void fill_site(const struct causal *c, size_t i, const struct slopes_site *slopes,
		      struct causal_result_site *to)
{
	const struct causal_design *d = &c->design;

	*to = (struct causal_result_site){
		.candidate = c->site[i],
		.calls_unit = d->calls[i] / d->units,
		.delay_low = causal_design_delay(d, i, 1),
		.delay_high = causal_design_delay(d, i, 2),
		.slopes = *slopes,
	};
	for (unsigned level = 0; level < SLOPES_LEVELS; level++)
		to->level[level] = causal_design_unit(d, i, level);
}

int causal_end(struct causal *c, struct causal_result *r)
{
	struct slopes_site site[SLOPES_SITES];

	*r = (struct causal_result){.asked = c->wishes.slowdown, .seed = c->seed};
	if (c->running) {
		causal_stop(c);
		pthread_join(c->thread, NULL);
		c->running = false;
	}
	if (!c->ended_itself)
		causal_design_cut(&c->design);
	r->site = calloc(c->sites + 1, sizeof(*r->site));
	if (c->no_memory || !r->site || causal_windows_fit(c, &r->slopes, site)) {
		causal_result_free(r);
		return -1;
	}
	double rate = 1 / r->slopes.unit.value;
	r->rate_per_s = isfinite(rate) ? rate : causal_pilot_rate(&c->pilot);
	r->sites = c->sites;
	for (size_t i = 0; i < c->sites; i++)
		fill_site(c, i, &site[i], &r->site[i]);
	r->window_s = c->design.windows ? c->design.time / (double)c->design.windows : NAN;
	r->elapsed_s = c->elapsed_s;
	r->left_out = c->design.left_out;
	r->problems = find_problems(c, &r->slopes);
	return 0;
}

void causal_result_free(struct causal_result *r)
{
	PROF_FREE(r, site);
	r->sites = 0;
}
