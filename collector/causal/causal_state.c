// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the experiment stands, its clock, and its waiting. */
#include <errno.h>
#include <poll.h>

#include "collector/causal/causal_private.h"
#include "collector/clocks/clocks_read.h"

double causal_state_now(void)
{
	return clocks_read_seconds();
}

bool causal_state_wait(struct causal *c, double at_s)
{
	struct pollfd fd = {.fd = c->stop, .events = POLLIN};

	while (!__atomic_load_n(&c->over, __ATOMIC_ACQUIRE)) {
		double left = at_s - causal_state_now();
		if (!(left > 0))
			return false;
		struct timespec wait = clocks_read_timespec((uint64_t)(left * 1e9));
		if (ppoll(&fd, 1, &wait, NULL) < 0 && errno != EINTR)
			return true;
	}
	return true;
}

void causal_state_enter(struct causal *c, int phase)
{
	pthread_mutex_lock(&c->guard);
	c->state.phase = phase;
	c->phase_began_s = causal_state_now();
	pthread_mutex_unlock(&c->guard);
}

void causal_state_tell(struct causal *c, double rate, double precision)
{
	pthread_mutex_lock(&c->guard);
	c->state.rate_per_s = rate;
	c->state.precision = precision;
	c->state.sites = c->sites;
	c->state.windows = c->design.windows;
	pthread_mutex_unlock(&c->guard);
}

struct causal_state causal_poll(const struct causal *c)
{
	pthread_mutex_t *guard = (pthread_mutex_t *)&c->guard;

	pthread_mutex_lock(guard);
	struct causal_state state = c->state;
	state.elapsed_s = causal_state_now() - c->phase_began_s;
	pthread_mutex_unlock(guard);
	return state;
}

void causal_state_read(struct causal *c, struct scp_causal_thread *counts)
{
	causal_page_read(c->page, counts);
	if (causal_page_refused(c->page))
		__atomic_store_n(&c->over, 1, __ATOMIC_RELEASE);
}
