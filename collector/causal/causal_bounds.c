// SPDX-License-Identifier: GPL-3.0-or-later
/* Of counts that are compared, the greater is written first by the target and read last here. A
 * signal handler that counts between a thread's load and store is lost, and so is what a second
 * thread does that takes the block for its own: hence twice what would be possible. */
#include "collector/causal/causal_bounds.h"

#include <stddef.h>

#define CALLS_S	  2e8 /* of one thread a second: 5 ns, less than recording a call takes */
#define SLACK	  2.0
#define LATE_S	  1e-3 /* the clocks of two processors, and of two readings, are closer */
#define BESIDE_S  1e-5 /* a delay's own cost */
#define UNDER_WAY 64.0 /* calls, where stores of another processor are seen in another order */

double causal_bounds_calls(const struct causal_bounds *b)
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
				 uint64_t slots, uint64_t *value)
{
	const char *what = NULL;

	if (is_more(t->skipped, causal_bounds_calls(b), value))
		return "delays that were not made";
	for (unsigned n = 0; !what && n < SCP_CAUSAL_PROGRESS; n++)
		what = refuse_progress(b, &t->progress[n], value);
	for (unsigned slot = 1; !what && slot < SCP_CAUSAL_SLOTS; slot++)
		if (slots >> slot & 1)
			what = refuse_count(b, &t->slot[slot], value);
	return what;
}
