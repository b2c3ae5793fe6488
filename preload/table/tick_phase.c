// SPDX-License-Identifier: Apache-2.0
/* The kernel advances CLOCK_MONOTONIC_COARSE in whole ticks, but not at whole ticks: its
 * interrupt comes at a fixed distance after them (1.3 ms here), now and then a tick
 * late. So the difference of the two clocks lies between that distance and one or two
 * ticks more; its remainder by the tick is where in the tick the call began. */
#include "preload/table/tick_phase.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/table/table.h"

#define NEAR_TICKS 2u
#define FAR_TICKS  16u
#define STEP_MOST  (UINT64_C(1) << 20)
#define PASS_MOST  8u
#define NEVER	   UINT64_MAX

/* Below n, a power of two. The upper bits are the better ones. */
static uint64_t random_below_power(struct scp_thread *t, uint64_t n)
{
	return random_next(&t->random) >> 32 & (n - 1);
}

COLD void tick_phase_begin_entry(struct scp_thread *t, struct scp_site *site, struct scp_rt *rt)
{
	struct scp_sampler *s = arena_take(&t->index, sizeof *s);
	if (!s)
		return;
	random_seed(&t->random, t, clock_mono_ns());
	s->site = site;
	s->step = 1;
	s->next = 2 + random_below_power(t, 2);
	rt->sampler = s;
}

/* CLOCK_MONOTONIC, or 0 where this call is let pass. */
uint64_t tick_phase_read(struct scp_site *site)
{
	if (site->pass) {
		site->pass--;
		return 0;
	}
	return clock_read_library(SCP_CLOCK_MONOTONIC);
}

/* False: there is no room for it. */
static bool count(struct scp_thread *t, struct scp_rt *rt, uint64_t since_tick_ns)
{
	struct scp_sampler *s = rt->sampler;
	uint64_t tick_ns = clock_chosen.tick_ns;
	if (!s->phase) {
		struct scp_phase *p = record_begin_of(t, rt, NULL, 0, SCP_REC_PHASE, sizeof *p);
		if (!p)
			return false;
		file_publish_record_at(&t->chunk, p, s->phase, p);
	}
	s->phase->count[since_tick_ns % tick_ns * SCP_PHASE_BINS / tick_ns]++;
	return true;
}

/* A coarse reading newer than the fine one, or far older, is from another moment: the
 * thread lost its processor in between, or the machine was suspended. */
static void sample(struct scp_thread *t, struct scp_rt *rt, uint64_t fine_ns, uint64_t coarse_ns)
{
	struct scp_sampler *s = rt->sampler;
	uint64_t tick_ns = clock_chosen.tick_ns;
	uint64_t since_ns = s->last_ns ? fine_ns - s->last_ns : FAR_TICKS * tick_ns;
	s->next = rt->entry->calls + 1 + random_below_power(t, 2 * s->step);
	if (since_ns < NEAR_TICKS * tick_ns) {
		s->step *= s->step < STEP_MOST ? 2 : 1;
		return;
	}
	if (fine_ns < coarse_ns || fine_ns - coarse_ns >= FAR_TICKS * tick_ns ||
	    (!s->phase && stack_room() < STACK_TO_RECORD))
		return;
	if (!count(t, rt, fine_ns - coarse_ns)) {
		s->next = NEVER;
		return;
	}
	s->last_ns = fine_ns;
	if (since_ns > FAR_TICKS * tick_ns && s->step > 1)
		s->step /= 2;
}

/* A call has been added to rt's entry; when it began the clocks read fine_ns (0: not
 * read) and coarse_ns. Either one of its entry's calls was due, or a reading was made. */
void tick_phase_account(struct scp_thread *t, struct scp_rt *rt, uint64_t fine_ns,
			uint64_t coarse_ns)
{
	struct scp_sampler *s = rt->sampler;
	struct scp_site *site = s->site;
	uint64_t calls = rt->entry->calls;
	if (fine_ns && calls >= s->next) {
		sample(t, rt, fine_ns, coarse_ns);
		site->passes = 0;
		if (s->due && site->due)
			site->due--;
		s->due = false;
	} else if (fine_ns) {
		site->passes = site->passes ? site->passes * 2 : 1;
		site->passes = site->passes < PASS_MOST ? site->passes : PASS_MOST;
		site->pass = (uint32_t)random_below_power(t, 2 * site->passes);
	}
	if (!s->due && calls + 1 >= s->next) {
		s->due = true;
		site->due++;
	}
}
