// SPDX-License-Identifier: GPL-3.0-or-later
/* The self-test from end to end. Drift comes first: it calibrates the counter,
 * and the other tests speak in nanoseconds. */
#include "clocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "clocks_private.h"
#include "counter.h"
#include "random.h"
#include "ticker.h"

#define COMPARE_S 0.06

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
	r->preferred = clocks_default(r->reason, sizeof(r->reason));
	for (enum scp_clock_kind kind = 1; kind <= CLOCKS_TESTED; kind++)
		*clocks_test_of(r, kind) = (struct clock_test){
			.kind = kind,
			.claimed_ns = claimed_ns(kind),
			.drift_ppm = NAN,
			.drift_error_ppm = NAN,
			.rate_hz = NAN,
			.rate_error_ppm = NAN,
			.late_mean_ns = NAN,
			.late_max_ns = NAN,
			.late_share = NAN,
		};
}

static void test_one(struct clock_test *t)
{
	struct clock_source source = *clocks_source(t->kind);

	if (t->kind == SCP_CLOCK_TSC)
		source.ns_per_unit = 1e9 / t->rate_hz;
	else if (t->kind == SCP_CLOCK_PAGE)
		source.ns_per_unit = t->claimed_ns;
	t->step_ns = (double)clocks_smallest_step(source.read, source.wait_s) * source.ns_per_unit;
	t->read_ns = clocks_read_cost_ns(source.read);
	if (t->kind == SCP_CLOCK_THREAD_CPU) /* two threads have two of these */
		clocks_move_thread(t, &source, COMPARE_S);
	else
		clocks_compare_cpus(t, &source, COMPARE_S);
}

static void set_lateness(struct clock_test *t, const struct ticker_stats *s)
{
	double ticks = (double)(s->ticks ? s->ticks : 1);

	t->late_mean_ns = (double)s->late_sum_ns / ticks;
	t->late_max_ns = (double)s->late_max_ns;
	t->late_share = (double)s->late_ticks / ticks;
}

static struct ticker *start_page(char *directory, struct profile_error *err)
{
	char path[64];

	if (!mkdtemp(directory)) {
		snprintf(err->text, sizeof(err->text),
			 "cannot make a directory in /tmp for the page clock");
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/clock", directory);
	struct ticker *ticker = ticker_start(path, TICKER_DEFAULT_NS, random_fresh_seed(), err);
	if (!ticker)
		rmdir(directory);
	return ticker;
}

int clocks_test(struct clocks_report *r, struct profile_error *err)
{
	char directory[] = "/tmp/scprof-clocks.XXXXXX", why[256];
	uint64_t start = clocks_raw_ns();
	struct ticker_stats stats;
	struct ticker *ticker = start_page(directory, err);

	if (!ticker)
		return -1;
	clocks_set_page(ticker_page(ticker));
	clear(r);
	clocks_drift_all(r);
	for (int i = 0; i < CLOCKS_TESTED; i++)
		test_one(&r->clock[i]);
	ticker_stop(ticker, &stats);
	clocks_set_page(NULL);
	rmdir(directory);
	set_lateness(clocks_test_of(r, SCP_CLOCK_PAGE), &stats);
	bool trusted = counter_trusted(why, sizeof(why));
	for (int i = 0; i < CLOCKS_TESTED; i++)
		clocks_judge(&r->clock[i], trusted, why);
	r->took_s = (double)(clocks_raw_ns() - start) / 1e9;
	return 0;
}
