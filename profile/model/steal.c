// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/model/calibrate.h"

#include <math.h>

#include "profile/model/addition.h"

/* The kernel was asked at the beginning and the end of at least so much of the time. */
#define ASKED_LEAST 0.5

static bool tells_stolen(const struct prof_table_states *s)
{
	return states_sees_all(s->detector);
}

double steal_share(const struct profile *p, uint32_t first, double *ran_ns)
{
	double ran = 0, stolen = 0;

	for (uint32_t i = first; i < p->tables; i++) {
		const struct prof_table_states *s = &p->table[i].states;

		if (!tells_stolen(s))
			continue;
		ran += (double)s->ran_ns;
		stolen += (double)s->stolen_ns - (double)s->overcharged_ns;
	}
	*ran_ns = ran;
	return ran > 0 ? fmin(fmax(stolen, 0) / ran, 1) : NAN;
}

double steal_share_error(const struct profile *p, double share)
{
	double squares = 0, ran = 0, tables = 0;

	for (uint32_t i = 0; i < p->tables; i++) {
		const struct prof_table_states *s = &p->table[i].states;
		double off = (double)s->stolen_ns - (double)s->overcharged_ns -
			     share * (double)s->ran_ns;

		if (!tells_stolen(s))
			continue;
		squares += off * off;
		ran += (double)s->ran_ns;
		tables += s->ran_ns > 0;
	}
	return tables > 1 ? sqrt(squares * tables / (tables - 1)) / ran : NAN;
}

/* A process's CPUs may have more stolen than the machine's others: up to so many times their share.
 */
#define MOST_TIMES 2

/* Stolen time may be at most so much, in ns, and such a share of the threads' time on a CPU. */
struct limit {
	double ns, share;
};

/* Of the whole machine; NAN: the kernel was not asked. */
static struct limit find_limit(const struct scp_header *h)
{
	const struct scp_steal *from = &h->steal_first, *to = &h->steal_last;
	double asked = (double)to->mono_ns - (double)from->mono_ns;
	double time = (double)h->end_mono_ns - (double)h->start_mono_ns;
	double stolen, busy;

	if (from->known != SCP_STEAL_KNOWN || to->known != SCP_STEAL_KNOWN ||
	    to->stolen_ns < from->stolen_ns || to->busy_ns < from->busy_ns || !(asked > 0) ||
	    asked < ASKED_LEAST * time)
		return (struct limit){NAN, NAN};
	if (to->stolen_ns == from->stolen_ns)
		return (struct limit){0, 0};
	stolen = (double)(to->stolen_ns - from->stolen_ns) + SCP_STEAL_STEP_NS;
	busy = (double)(to->busy_ns - from->busy_ns) + SCP_STEAL_STEP_NS;
	return (struct limit){stolen * fmax(time / asked, 1), MOST_TIMES * stolen / busy};
}

void steal_limit(struct profile *p, uint32_t first, const struct scp_header *h)
{
	const struct limit limit = find_limit(h);
	double ran, stolen = steal_share(p, first, &ran) * ran;
	double most = fmin(limit.ns, limit.share * ran);

	if (isnan(limit.ns) || !(stolen > most))
		return;
	for (uint32_t i = first; i < p->tables; i++) {
		struct prof_table_states *s = &p->table[i].states;

		s->stolen_ns = (uint64_t)((double)s->stolen_ns * most / stolen);
		s->overcharged_ns = (uint64_t)((double)s->overcharged_ns * most / stolen);
	}
}
