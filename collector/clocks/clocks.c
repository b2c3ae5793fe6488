// SPDX-License-Identifier: GPL-3.0-or-later
/* The self-test from end to end. Drift comes first: it calibrates the counter,
 * and the other tests speak in nanoseconds. */

#include <math.h>
#include <time.h>

#include "collector/clocks/clocks_private.h"
#include "collector/machine/cpu_times.h"
#include "profile/base/error.h"

#define DRIFT_S	  0.3 /* idle */
#define COMPARE_S 0.06
#define ROUNDS	  15  /* for the cost of a reading */
#define WATCH_S	  0.4 /* busy, for steps and ticks */
#define LATE_S	  0.2 /* for each of CLOCKS_LATE windows */

static double claimed_ns(enum scp_clock_kind kind)
{
	clockid_t id = kind == SCP_CLOCK_COARSE	     ? CLOCK_MONOTONIC_COARSE
		       : kind == SCP_CLOCK_MONOTONIC ? CLOCK_MONOTONIC
						     : CLOCK_THREAD_CPUTIME_ID;
	struct timespec t;

	if (kind == SCP_CLOCK_PAGE)
		return (double)TICKER_DEFAULT_NS;
	if (kind == SCP_CLOCK_TSC || clock_getres(id, &t))
		return NAN;
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void clear(struct clocks_report *r)
{
	*r = (struct clocks_report){0};
	r->preferred = clocks_verdict_default(r->reason, sizeof(r->reason));
	for (enum scp_clock_kind kind = 1; kind <= CLOCKS_TESTED; kind++) {
		struct clock_test *t = clocks_test_of(r, kind);

		*t = (struct clock_test){
			.kind = kind,
			.claimed_ns = claimed_ns(kind),
			.drift_ppm = NAN,
			.drift_error_ppm = NAN,
			.rate_hz = NAN,
			.rate_error_ppm = NAN,
			.late = {.mean_ns = NAN, .max_ns = NAN, .share = NAN},
		};
		clocks_ticks_summarise(&(struct tick_watch){0}, 1, 1, 1, &t->ticks); /* none */
	}
}

static void test_one(struct clock_test *t)
{
	struct clock_source source = *clocks_read_source(t->kind);

	if (t->kind == SCP_CLOCK_TSC)
		source.ns_per_unit = 1e9 / t->rate_hz;
	else if (t->kind == SCP_CLOCK_PAGE)
		source.ns_per_unit = t->claimed_ns;
	t->step_ns = (double)clocks_measure_smallest_step(source.read, source.wait_s) *
		     source.ns_per_unit;
	if (t->kind == SCP_CLOCK_THREAD_CPU) /* two threads have two of these */
		clocks_cpus_move_thread(t, &source, COMPARE_S);
	else
		clocks_cpus_compare(t, &source, COMPARE_S);
}

/* Everything that needs the page clock to run. */
static int test_with_page(struct clocks_report *r)
{
	clocks_drift_all(r, DRIFT_S);
	for (int i = 0; i < CLOCKS_TESTED; i++)
		test_one(&r->clock[i]);
	return clock_costs_measure(r, ROUNDS) || clocks_watch(r, WATCH_S);
}

int clocks_test(struct clocks_report *r, struct profile_error *err)
{
	char why[256];
	const struct clock_lateness *busy = NULL;
	uint64_t start = counter_raw_ns();
	struct cpu_times_steal before = cpu_times_steal_read(), after;
	struct ticker_stats stats;
	struct ticker *ticker = clocks_start_page(TICKER_DEFAULT_NS, err);

	if (!ticker)
		return -1;
	clocks_read_set_page(ticker_page(ticker));
	clear(r);
	int result = test_with_page(r);
	if (result)
		error_set(err, "not enough memory");
	ticker_stop(ticker, &stats);
	clocks_read_set_page(NULL);
	if (result || clocks_late_measure(r, LATE_S, err))
		return -1;
	clocks_late_set(&clocks_test_of(r, SCP_CLOCK_PAGE)->late, &stats);
	bool trusted = clocks_verdict_trusts_counter(why, sizeof(why));
	for (int i = 0; i < CLOCKS_LATE; i++)
		if (r->late[i].busy && r->late[i].tick_ns == (double)TICKER_DEFAULT_NS)
			busy = &r->late[i];
	for (int i = 0; i < CLOCKS_TESTED; i++)
		clocks_verdict_judge(&r->clock[i], trusted, why, busy);
	after = cpu_times_steal_read();
	r->stolen = cpu_times_steal_share(&before, &after);
	r->took_s = (double)(counter_raw_ns() - start) / 1e9;
	return 0;
}
