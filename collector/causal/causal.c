// SPDX-License-Identifier: GPL-3.0-or-later
/* The experiment's thread, its beginning and its end. */
#include "collector/causal/causal.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "collector/causal/causal_private.h"
#include "collector/shared_page.h"

static void *experiment_main(void *argument)
{
	struct causal *c = argument;

	pthread_setname_np(pthread_self(), "scprof-causal");
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (causal_measure_pilot(c))
		causal_windows_run(c);
	causal_page_stop(c->page);
	causal_state_enter(c, CAUSAL_ENDED);
	return NULL;
}

static void set_wishes(struct causal *c, const struct causal_wishes *w)
{
	c->wishes = *w;
	if (!(w->pilot_s > 0))
		c->wishes.pilot_s = CAUSAL_PILOT_S;
	if (!w->sites || w->sites > SLOPES_SITES)
		c->wishes.sites = w->sites ? SLOPES_SITES : CAUSAL_SITES;
	if (!(w->of_page.longest_s > 0 && w->of_page.longest_s < CAUSAL_LONGEST_S))
		c->wishes.of_page.longest_s = CAUSAL_LONGEST_S;
	c->seed = w->seed ? w->seed : random_fresh_seed();
	random_seed(&c->random, c->seed);
}

struct causal *causal_open(const struct causal_wishes *w, struct profile_error *err)
{
	struct causal *c = calloc(1, sizeof(*c));

	if (!c) {
		error_no_memory(err, w->page);
		return NULL;
	}
	set_wishes(c, w);
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
	sigset_t before;

	shared_page_hold_signals(&before);
	errno = pthread_create(&c->thread, NULL, experiment_main, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	c->running = !errno;
	return errno ? -1 : 0;
}

const char *causal_refused(const struct causal *c)
{
	return causal_page_refused(c->page);
}

void causal_stop(struct causal *c)
{
	const uint64_t one = 1;
	int error = errno;

	causal_page_stop(c->page);
	__atomic_store_n(&c->over, 1, __ATOMIC_RELEASE);
	if (write(c->stop, &one, sizeof(one)) != (ssize_t)sizeof(one))
		errno = error; /* full: it wakes up all the same */
	errno = error;
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
	if (c->stop >= 0)
		close(c->stop);
	pthread_mutex_destroy(&c->guard);
	free(c);
}
