// SPDX-License-Identifier: Apache-2.0
#include "preload/switches/switch_budget.h"
#include "include/scprof_format.h"
#include "preload/process/process.h"
#include "preload/switches/switch_detector.h"

#define MOST_PERIOD (1u << 24)
#define SECOND_NS   UINT64_C(1000000000)
#define FIRST_NS    15000u /* of readings, before there is time to have a share of */
#define READING_NS  2000u  /* a first guess */
#define LONGEST_NS  20000u /* a longer one was interrupted */
#define BUDGET_PPM  3000u  /* of a thread's time: 0.3 %; what it costs besides is in the caches */
#define BUSY_PPK    200u   /* and of its CPU time 1.5 % */

/* Of `n`, by the upper half: n is far below 2^32. */
static uint32_t random_below(struct switch_watch *w, uint32_t n)
{
	return (uint32_t)((random_next(&w->random) >> 32) * n >> 32);
}

/* 1 in how many may be read, such that readings take half of the budget: of the thread's time,
 * and of its CPU time where it mostly sleeps; what happened long ago counts less. */
static uint32_t affordable(const struct switch_watch *w, struct switch_rate *r, uint64_t now)
{
	uint64_t passed = now - r->since_ns;
	if (passed > SECOND_NS) {
		r->events /= 2;
		passed /= 2;
		r->since_ns = now - passed;
	}
	uint64_t share = least_of(w->busy_ppk, BUSY_PPK);
	uint64_t allowed = passed / BUSY_PPK * share / (2000000 / BUDGET_PPM) + FIRST_NS;
	uint64_t times = r->events * w->reading_ns / allowed;
	return times < 1 ? 1 : times < MOST_PERIOD / 2 ? (uint32_t)(2 * times) : MOST_PERIOD;
}

void switch_budget_draw(struct switch_watch *w, uint64_t now)
{
	if (w->detector == SCP_SWITCH_NONE) {
		w->countdown = SWITCH_NEVER;
		return;
	}
	w->calls.events += w->drawn;
	bool all = switch_chosen.exact && w->detector == SCP_SWITCH_SAMPLED;
	w->period = all ? 1 : affordable(w, &w->calls, now);
	w->drawn = w->countdown = 1 + random_below(w, 2 * w->period - 1);
}

void switch_budget_count(struct switch_watch *w, uint64_t took)
{
	struct scp_header *h = process.file->header;
	took = took < LONGEST_NS ? took : LONGEST_NS;
	w->reading_ns += took / 8;
	w->reading_ns -= w->reading_ns / 8;
	if (!h)
		return;
	__atomic_add_fetch(&h->switches.readings, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&h->switches.reading_ns, took, __ATOMIC_RELAXED);
}

uint64_t switch_budget_choose(struct switch_watch *w, uint64_t now)
{
	w->switches.events++;
	uint32_t times = switch_chosen.exact ? 1 : affordable(w, &w->switches, now);
	return random_below(w, times) ? 0 : times;
}

void switch_budget_begin(struct switch_watch *w, uint64_t now)
{
	if (!w->random)
		w->random = hash_mix((uint64_t)(uintptr_t)w ^ now) | 1;
	w->reading_ns = w->reading_ns ? w->reading_ns : READING_NS;
	w->busy_ppk = 1000;
	w->switches = w->calls = (struct switch_rate){now, 0};
	w->drawn = 0;
}
