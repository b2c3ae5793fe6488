// SPDX-License-Identifier: GPL-3.0-or-later
/* Rates against CLOCK_MONOTONIC_RAW, which no daemon slews: the clocks over one
 * window, each error bounded by how well its readings could be paired
 * with the raw clock. The rate of the TSC comes from here, never from a name. */
#include <math.h>
#include <sys/resource.h>

#include "collector/clocks/clocks_private.h"

#define BUSY_NS	   UINT64_C(1000000)
#define BUSY_TRIES 30

static void set_drift(struct clock_test *t, const struct clock_pair *a, const struct clock_pair *b)
{
	double error, rate = clocks_measure_rate(a, b, &error);

	t->drift_ppm = (rate - 1) * 1e6;
	t->drift_error_ppm = error * 1e6;
}

/* The counter has no nominal rate: its drift is between the halves of the window. */
static void set_counter(struct clock_test *t, const struct clock_pair p[3])
{
	double error, error1, error2;
	double rate1 = clocks_measure_rate(&p[0], &p[1], &error1);
	double rate2 = clocks_measure_rate(&p[1], &p[2], &error2);

	t->rate_hz = clocks_measure_rate(&p[0], &p[2], &error) * 1e9;
	t->rate_error_ppm = error * 1e6;
	t->drift_ppm = (rate2 / rate1 - 1) * 1e6;
	t->drift_error_ppm = (error1 + error2) * 1e6;
}

/* Tick lengths are uniform in [d/2, 3d/2], variance d^2/12; two deviations of
 * their sum, and one tick for the ends. */
static void set_page(struct clock_test *t, const struct clock_pair *a, const struct clock_pair *b)
{
	double error, ticks = (double)(b->reading - a->reading);
	double rate = clocks_measure_rate(a, b, &error);

	t->drift_ppm = (rate * t->claimed_ns - 1) * 1e6;
	t->drift_error_ppm = (error + (2 * sqrt(ticks / 12) + 1) / ticks) * 1e6;
	if (ticks <= 0)
		t->drift_ppm = t->drift_error_ppm = NAN;
}

/* CPU time runs like real time only while nothing takes the CPU away: the best
 * of several short busy spells. */
static void set_thread_cpu(struct clock_test *t)
{
	clock_reader *read = clocks_read_source(SCP_CLOCK_THREAD_CPU)->read;
	struct rusage before, after;

	t->drift_ppm = t->drift_error_ppm = NAN;
	for (int i = 0; i < BUSY_TRIES; i++) {
		getrusage(RUSAGE_THREAD, &before);
		struct clock_pair a = clocks_measure_pair(read), b;
		while (clocks_read_raw_ns() < a.raw_ns + BUSY_NS)
			continue;
		b = clocks_measure_pair(read);
		getrusage(RUSAGE_THREAD, &after);
		if (after.ru_nivcsw != before.ru_nivcsw || after.ru_nvcsw != before.ru_nvcsw)
			continue;
		double old = t->drift_ppm, old_error = t->drift_error_ppm;
		set_drift(t, &a, &b);
		if (!isnan(old) && fabs(old) < fabs(t->drift_ppm)) {
			t->drift_ppm = old;
			t->drift_error_ppm = old_error;
		}
	}
}

struct pairs {
	struct clock_pair tsc, monotonic, page;
};

static struct pairs take_pairs(void)
{
	struct pairs p;

	p.page = clocks_measure_pair(clocks_read_source(SCP_CLOCK_PAGE)->read);
	p.monotonic = clocks_measure_pair(clocks_read_source(SCP_CLOCK_MONOTONIC)->read);
	p.tsc = clocks_measure_pair(clocks_read_source(SCP_CLOCK_TSC)->read);
	return p;
}

void clocks_drift_all(struct clocks_report *r, double window_s)
{
	struct pairs begin, end;
	struct clock_pair tsc[3];

	begin = take_pairs();
	clocks_read_sleep(window_s / 2);
	tsc[1] = clocks_measure_pair(clocks_read_source(SCP_CLOCK_TSC)->read);
	clocks_read_sleep(window_s / 2);
	end = take_pairs();
	tsc[0] = begin.tsc;
	tsc[2] = end.tsc;
	set_counter(clocks_test_of(r, SCP_CLOCK_TSC), tsc);
	set_drift(clocks_test_of(r, SCP_CLOCK_MONOTONIC), &begin.monotonic, &end.monotonic);
	/* the kernel makes CLOCK_MONOTONIC_COARSE from the same base and rate, once a tick */
	set_drift(clocks_test_of(r, SCP_CLOCK_COARSE), &begin.monotonic, &end.monotonic);
	set_page(clocks_test_of(r, SCP_CLOCK_PAGE), &begin.page, &end.page);
	set_thread_cpu(clocks_test_of(r, SCP_CLOCK_THREAD_CPU));
	r->window_s = (double)(end.tsc.raw_ns - begin.tsc.raw_ns) / 1e9;
}
