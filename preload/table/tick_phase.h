// SPDX-License-Identifier: Apache-2.0
/* Where in the tick of a coarse clock calls begin: a sample of each entry's calls (struct
 * scp_phase). CLOCK_MONOTONIC, which costs three times a coarse reading, is read only at the
 * beginning of a call that may be sampled.
 *
 * The rule, an entry at a time. The sampled call after call n is n + 1 + a uniform integer in [0, 2
 * step). A sample within two ticks of the last that counted does not count, and step doubles; one
 * more than 16 ticks after it counts, and step halves. So samples of a fast loop are some ticks
 * apart, at random distances, whatever the loop's period; and of a slow one most calls are sampled.
 *
 * The entry is known only when the call has ended, with its outcome. A call that has another
 * outcome than the entry that is due leaves it due; after such calls readings are made at fewer
 * calls of the path, down to one in eight. */
#pragma once

#include "preload/clock/clock.h"
#include "preload/table/thread.h"

/* Of one entry. */
struct scp_sampler {
	struct scp_site *site;
	struct scp_phase *phase; /* made with the first count */
	uint64_t next;		 /* number of the call to sample */
	uint64_t last_ns;	 /* CLOCK_MONOTONIC at the last that counted; 0: none yet */
	uint64_t step;
	bool due; /* the next call is to be sampled, and is counted in path->due */
};

/* A new entry of the path, whose first call has just ended. */
HIDDEN void tick_phase_begin_entry(struct scp_thread *t, struct scp_site *site, struct scp_rt *rt);

HIDDEN uint64_t tick_phase_read(struct scp_site *site);

HIDDEN void tick_phase_account(struct scp_thread *t, struct scp_rt *rt, uint64_t fine_ns,
			       uint64_t coarse_ns);

/* Before the clocks are read. */
static inline uint64_t phase_at_begin(struct scp_site *site)
{
	return unlikely(site && site->due) ? tick_phase_read(site) : 0;
}

/* After the call was added to its entry. */
static inline void phase_at_end(struct scp_thread *t, struct scp_rt *rt, uint64_t fine_ns,
				uint64_t coarse_ns)
{
	struct scp_sampler *s = rt->sampler;
	if (s && unlikely(fine_ns || rt->entry->calls + 1 >= s->next))
		tick_phase_account(t, rt, fine_ns, coarse_ns);
}
