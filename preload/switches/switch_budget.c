// SPDX-License-Identifier: Apache-2.0
#include "preload/clock/clock.h"
#include "preload/switches/switch_track.h"
#include "include/scprof_format.h"
#include "preload/process/process.h"

#define MOST_PERIOD   (1u << 24)
#define FIRST_PERIOD  1024u /* at most: it is drawn before anything is known of the thread */
#define SECOND_NS     UINT64_C(1000000000)
#define YOUNG_NS      15000u  /* of readings: below that a thread has no time to have a share of */
#define YOUNG_PART    4u      /* of its own time counts then: more may happen soon */
#define FIRST_NS      400000u /* of readings more, in its first second */
#define FIRST_THREADS 16u     /* get it: more share what the process has */
#define READING_NS    2000u   /* a first guess */
#define LONGEST_NS    20000u  /* a longer one was interrupted */
/* Of a thread's time, for segments with a switch and for calls chosen anywhere; without a detector
 * only these tell anything. What it costs besides is in the caches. */
#define SWITCH_PPM  7000u
#define CALL_PPM    1000u
#define SAMPLED_PPM 4000u
#define BUSY_PPK    500u /* and of its CPU time twice as much */
#define YOUNG_PPM   750u /* of the process's CPU time, for all young threads, of each kind */

/* What young threads have together: events and CPU time are those of the last seconds. Threads
 * that change it at once may lose what the others changed: it is a budget. */
static struct {
	uint64_t since_ns, earned_ns, first_ns, reading_ns;
	uint64_t switches, calls, threads;
} shared;

static uint64_t get(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void put(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static uint64_t add(uint64_t *word, uint64_t value)
{
	return __atomic_add_fetch(word, value, __ATOMIC_RELAXED);
}

/* Of `n`, by the upper half: n is far below 2^32. */
static uint32_t random_below(struct switch_watch *w, uint32_t n)
{
	return (uint32_t)((random_next(&w->random) >> 32) * n >> 32);
}

/* 1 in how many of `events` may be read, such that readings take no more than `allowed`. A segment
 * has a reading at each end, one of them in common with a neighbour that is read, too: of x events
 * with probability p, x (1 - (1 - p)^2) readings. */
static uint32_t period_of(uint64_t events, uint64_t reading_ns, uint64_t allowed)
{
	uint64_t all = events * reading_ns;
	if (!allowed)
		return MOST_PERIOD;
	return all <= allowed ? 1 : (uint32_t)least_of((2 * all - 1) / allowed, MOST_PERIOD);
}

/* The thread's own budget: of its time, and of its CPU time where it mostly sleeps; nothing
 * until that is known. What happened long ago counts less. */
static uint64_t own_budget(const struct switch_watch *w, struct switch_rate *r, uint64_t ppm,
			   uint64_t now)
{
	uint64_t passed = now - r->since_ns;
	if (passed > SECOND_NS) {
		r->events /= 2;
		r->first_ns /= 2;
		passed /= 2;
		r->since_ns = now - passed;
	}
	uint64_t share = least_of(w->busy_ppk, BUSY_PPK);
	return passed / BUSY_PPK * share * ppm / 1000000;
}

/* The young threads' budget for one kind. */
static uint64_t shared_budget(uint64_t now)
{
	uint64_t since = get(&shared.since_ns);
	if (!since)
		put(&shared.since_ns, now);
	else if (now > since && now - since > SECOND_NS) {
		put(&shared.since_ns, now);
		put(&shared.earned_ns, get(&shared.earned_ns) / 2);
		put(&shared.first_ns, get(&shared.first_ns) / 2);
		put(&shared.switches, get(&shared.switches) / 2);
		put(&shared.calls, get(&shared.calls) / 2);
	}
	return get(&shared.earned_ns) * YOUNG_PPM / 1000000 + get(&shared.first_ns);
}

/* 1 in how many may be read after `passed` more events. A thread that has no time yet to have a
 * share of is one of the process's young threads, however many these are. */
static uint32_t affordable(struct switch_watch *w, struct switch_rate *r, uint64_t ppm,
			   uint64_t passed, uint64_t *young, uint64_t now)
{
	uint64_t own = own_budget(w, r, ppm, now);
	r->events += passed;
	w->is_young = own < YOUNG_NS;
	if (w->is_young)
		own /= YOUNG_PART;
	uint32_t period = period_of(r->events, w->reading_ns, own + r->first_ns);
	if (!w->is_young)
		return period;
	uint32_t together =
		period_of(add(young, passed), get(&shared.reading_ns), shared_budget(now));
	return together < period ? together : period;
}

/* The countdown that is under way is one of a thread without a beginning: each call is read with
 * the same probability, from the first one on. The lesser of two numbers of 1 to 2 * period. */
static uint32_t first_countdown(struct switch_watch *w)
{
	uint32_t a = 1 + random_below(w, 2 * w->period), b = 1 + random_below(w, 2 * w->period - 1);
	b += b >= a;
	return a < b ? a : b;
}

void switch_budget_draw(struct switch_watch *w, uint64_t now)
{
	if (w->detector == SCP_SWITCH_NONE) {
		w->countdown = SWITCH_NEVER;
		return;
	}
	bool sampled = w->detector == SCP_SWITCH_SAMPLED, first = !w->drawn;
	bool all = switch_chosen.exact && sampled;
	uint32_t period = affordable(w, &w->calls, sampled ? SAMPLED_PPM : CALL_PPM, w->drawn,
				     &shared.calls, now);
	w->period = all ? 1 : first ? (uint32_t)least_of(period, FIRST_PERIOD) : period;
	w->countdown = first ? first_countdown(w) : 1 + random_below(w, 2 * w->period - 1);
	w->drawn = w->countdown;
}

/* A ticker on the thread's CPU makes its ticks while the thread has lost that CPU. */
static void note_ticker(const struct switch_watch *w)
{
	if (clock_chosen.kind != SCP_CLOCK_PAGE)
		return;
	int32_t own = switch_detector_cpu(w);
	uint64_t of_ticker = clock_ticker_cpu();
	process_count(ticker_readings, 1);
	if (own < 0 || !of_ticker || of_ticker == (uint64_t)own + 1)
		process_count(ticker_near, 1);
}

void switch_budget_count(struct switch_watch *w, uint64_t took)
{
	took = took < LONGEST_NS ? took : LONGEST_NS;
	w->reading_ns += took / 8;
	w->reading_ns -= w->reading_ns / 8;
	if (w->is_young) {
		uint64_t mean = get(&shared.reading_ns);
		put(&shared.reading_ns, mean + took / 8 - mean / 8);
	}
	note_ticker(w);
	process_count(switches.readings, 1);
	process_count(switches.reading_ns, took);
}

void switch_budget_earn(uint64_t cpu_ns)
{
	add(&shared.earned_ns, cpu_ns);
}

uint64_t switch_budget_choose(struct switch_watch *w, uint64_t now)
{
	uint32_t times = affordable(w, &w->switches, SWITCH_PPM, 1, &shared.switches, now);
	if (switch_chosen.exact)
		times = 1;
	return random_below(w, times) ? 0 : times;
}

uint64_t switch_budget_choose_last(struct switch_watch *w, uint64_t now)
{
	if (w->countdown != SWITCH_NEVER && w->drawn > w->countdown) {
		add(&shared.calls, w->is_young ? w->drawn - w->countdown : 0);
		w->drawn = w->countdown;
	}
	uint64_t weight = switch_budget_choose(w, now);
	return w->is_young ? weight : 1;
}

void switch_budget_begin(struct switch_watch *w, uint64_t now)
{
	random_seed(&w->random, w, now);
	if (!get(&shared.reading_ns))
		put(&shared.reading_ns, READING_NS);
	w->reading_ns = get(&shared.reading_ns);
	w->busy_ppk = 0;
	w->switches = w->calls = (struct switch_rate){now, 0, 0};
	w->drawn = 0;
	if (get(&shared.threads) < FIRST_THREADS && add(&shared.threads, 1) <= FIRST_THREADS) {
		add(&shared.first_ns, YOUNG_NS);
		w->switches.first_ns = FIRST_NS;
	}
}

void switch_budget_begin_process(void)
{
	put(&shared.since_ns, 0);
	put(&shared.earned_ns, 0);
	put(&shared.first_ns, 0);
	put(&shared.switches, 0);
	put(&shared.calls, 0);
	put(&shared.threads, 0);
}
