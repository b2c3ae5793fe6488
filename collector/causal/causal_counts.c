// SPDX-License-Identifier: GPL-3.0-or-later
/* Of counts that are compared, the greater is written first by the target and read last here. A
 * signal handler that counts between a thread's load and store is lost, and so is what a second
 * thread does that takes the block for its own: hence twice what would be possible. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/causal/causal_page_private.h"
#include "profile/base/counter.h"
#include "collector/shared_page.h"

#define CALLS_S	  2e8 /* of one thread a second: 5 ns, less than recording a call takes */
#define SLACK	  2.0
#define LATE_S	  1e-3 /* the clocks of two processors, and of two readings, are closer */
#define BESIDE_S  1e-5 /* a delay's own cost */
#define UNDER_WAY 64.0 /* calls, where stores of another processor are seen in another order */

/* Most calls that may have been counted. */
static double causal_bounds_calls(const struct causal_bounds *b)
{
	return SLACK * CALLS_S * (b->elapsed_s + LATE_S) * b->threads;
}

static bool is_more(uint64_t count, double most, uint64_t *value)
{
	*value = count;
	return (double)count > most;
}

/* A unit's duration lies within the page's time. */
static const char *refuse_progress(const struct causal_bounds *b,
				   const struct scp_causal_progress *p, uint64_t *value)
{
	double completed = SLACK * (double)p->completed + UNDER_WAY * b->threads;

	if (is_more(p->completed, causal_bounds_calls(b), value))
		return "units of progress";
	if (is_more(p->units, completed * b->elapsed, value))
		return "counter units of progress";
	return NULL;
}

/* A delay that took more than twice as long as asked is counted as what was asked. */
static const char *refuse_count(const struct causal_bounds *b, const struct scp_causal_count *c,
				uint64_t *value)
{
	double under_way = UNDER_WAY * b->threads, calls = SLACK * (double)c->calls + under_way;
	double longest = 2 * b->longest + BESIDE_S * b->elapsed / b->elapsed_s;

	if (is_more(c->calls, causal_bounds_calls(b), value))
		return "calls";
	if (is_more(c->delayed, calls, value))
		return "delayed calls";
	if (is_more(c->units, (SLACK * (double)c->delayed + under_way) * longest, value))
		return "counter units of delay";
	if (is_more(c->busy, calls * b->elapsed, value))
		return "counter units of delay on a CPU";
	return NULL;
}

const char *causal_bounds_refuse(const struct causal_bounds *b, const struct scp_causal_thread *t,
				 uint64_t *value)
{
	if (is_more(t->skipped, causal_bounds_calls(b), value))
		return "delays that were not made";
	const char *what = refuse_progress(b, &t->progress, value);
	for (unsigned slot = 1; !what && slot < SCP_CAUSAL_SLOTS; slot++)
		what = refuse_count(b, &t->slot[slot], value);
	return what;
}

/* What the targets counted. Whatever lies in the page was perhaps written by somebody else: counts
 * are taken only where they are higher than they ever were, and where time allows them. */
#define LOOK_NS 1000000000u /* between two looks at all blocks */

/* A block as one array of counts, behind the owner. */
#define COUNTS (sizeof(struct scp_causal_thread) / sizeof(uint64_t) - 1)
static uint64_t *counts_of(struct scp_causal_thread *t)
{
	return (uint64_t *)(void *)t + 1;
}

/* By how much each count has grown beyond what it ever was, into sums. */
static void add_growth(const uint64_t *now, uint64_t *highest, uint64_t *sum)
{
	for (size_t i = 0; i < COUNTS; i++) {
		if (now[i] <= highest[i])
			continue;
		sum[i] = now[i] - highest[i] > UINT64_MAX - sum[i] ? UINT64_MAX
								   : sum[i] + (now[i] - highest[i]);
		highest[i] = now[i];
	}
}

/* What is compared lies side by side. The last is written last by the target, and read first: as
 * causal_bounds_refuse wants. */
static void take(const uint64_t *from, uint64_t *to)
{
	for (size_t n = COUNTS; n--;)
		to[n] = __atomic_load_n(&from[n], __ATOMIC_ACQUIRE);
}

static struct causal_bounds bounds_of(const struct causal_page *p, bool shared)
{
	uint64_t units = counter_read() - p->began.clock_at,
		 ns = counter_raw_ns() - p->began.mono_ns;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return (struct causal_bounds){.elapsed = (double)units,
				      .elapsed_s = (double)ns * 1e-9,
				      .longest = (double)p->longest,
				      .threads = shared && cpus > 1 ? (unsigned)cpus : 1};
}

static void refuse(struct causal_page *p, const char *format, ...)
{
	if (*p->refused)
		return;
	FORMAT_BY(vsnprintf, p->refused, sizeof(p->refused), format);
	causal_page_stop(p);
}

static void add_thread(struct causal_page *p, size_t i)
{
	struct scp_causal_thread now;
	uint64_t value;

	take(counts_of(&p->page->thread[i]), counts_of(&now));
	struct causal_bounds bounds = bounds_of(p, i + 1 == SCP_CAUSAL_THREADS);
	const char *what = causal_bounds_refuse(&bounds, &now, &value);
	if (what)
		refuse(p, "holds %.3g %s after %.3g s", (double)value, what, bounds.elapsed_s);
	else
		add_growth(counts_of(&now), counts_of(&p->highest[i]), counts_of(&p->sum));
}

/* All threads together have no more than the processors' time. */
static void check_sums(struct causal_page *p)
{
	struct causal_bounds bounds = bounds_of(p, true);
	double most = causal_bounds_calls(&bounds);

	if ((double)p->sum.progress.completed > most)
		refuse(p, "holds %.3g units of progress after %.3g s",
		       (double)p->sum.progress.completed, bounds.elapsed_s);
	if (shared_page_was_cut(p->page))
		refuse(p, "was cut short");
	else if (memcmp(p->page->magic, SCP_CAUSAL_MAGIC, sizeof(p->page->magic)))
		refuse(p, "was written over");
}

const char *causal_page_refused(const struct causal_page *p)
{
	return *p->refused ? p->refused : NULL;
}

/* Blocks that nobody ever took are passed over, but for one look a second: a thread may have lived
 * between two readings. */
void causal_page_read(struct causal_page *p, struct scp_causal_thread *out)
{
	uint64_t now = counter_raw_ns();
	bool all = now - p->looked_ns >= LOOK_NS;

	for (size_t i = 0; !*p->refused && i < SCP_CAUSAL_THREADS; i++) {
		const struct scp_causal_thread *t = &p->page->thread[i];

		p->met[i] = p->met[i] || __atomic_load_n(&t->owner, __ATOMIC_ACQUIRE) ||
			    __atomic_load_n(&t->progress.completed, __ATOMIC_RELAXED);
		if (p->met[i] || all || i + 1 == SCP_CAUSAL_THREADS)
			add_thread(p, i);
	}
	check_sums(p);
	if (all) {
		p->looked_ns = now;
		causal_page_measure_rate(p); /* from ever further apart */
	}
	*out = p->sum;
}

const struct scp_causal_count *causal_page_thread(const struct causal_page *p, size_t i,
						  uint32_t *pid, uint32_t *tid)
{
	uint64_t owner = __atomic_load_n(&p->page->thread[i].owner, __ATOMIC_ACQUIRE);

	*pid = (uint32_t)(owner >> 32);
	*tid = (uint32_t)owner;
	return owner ? p->highest[i].slot : NULL;
}
