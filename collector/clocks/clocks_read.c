// SPDX-License-Identifier: GPL-3.0-or-later
/* One reader a clock, the way the target reads it, and their names. */
#include "collector/clocks/clocks_read.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "include/scprof_names.h"
#include "profile/base/counter.h"

static const struct scp_clock_page *the_page;

uint64_t clocks_read_ns(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct timespec clocks_read_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

void clocks_read_sleep_until(uint64_t at_ns)
{
	const struct timespec at = clocks_read_timespec(at_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		continue;
}

void clocks_read_sleep(double seconds)
{
	clocks_read_sleep_until(clocks_read_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9));
}

static uint64_t read_coarse(void)
{
	return clocks_read_ns(CLOCK_MONOTONIC_COARSE);
}

static uint64_t read_monotonic(void)
{
	return clocks_read_ns(CLOCK_MONOTONIC);
}

static uint64_t read_page(void)
{
	return __atomic_load_n(&the_page->ticks, __ATOMIC_ACQUIRE);
}

static uint64_t read_thread_cpu(void)
{
	return clocks_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ns_per_unit of tsc and page is known only once they have been measured. A
 * coarse clock steps at 100 Hz at worst. */
static const struct clock_source sources[] = {
	{SCP_CLOCK_TSC, counter_read, counter_read_ordered, 0, 0.002},
	{SCP_CLOCK_COARSE, read_coarse, read_coarse, 1, 0.045},
	{SCP_CLOCK_MONOTONIC, read_monotonic, read_monotonic, 1, 0.002},
	{SCP_CLOCK_PAGE, read_page, read_page, 0, 0.020},
	{SCP_CLOCK_THREAD_CPU, read_thread_cpu, read_thread_cpu, 1, 0.005},
};

static const char *const names[] = {SCP_CLOCK_NAMES};
#define NAMES (sizeof(names) / sizeof(*names))

const char clocks_read_names[] = "tsc, coarse, monotonic, page, thread-cpu, dual";

const char *clocks_read_name(enum scp_clock_kind kind)
{
	return names[(size_t)kind < NAMES ? kind : SCP_CLOCK_NONE];
}

enum scp_clock_kind clocks_read_parse(const char *name)
{
	for (size_t i = 1; i < NAMES; i++)
		if (!strcmp(name, names[i]))
			return (enum scp_clock_kind)i;
	return SCP_CLOCK_NONE;
}

const struct clock_source *clocks_read_source(enum scp_clock_kind kind)
{
	return &sources[kind - 1];
}

void clocks_read_set_page(const struct scp_clock_page *page)
{
	the_page = page;
}

double clocks_read_seconds(void)
{
	return (double)clocks_read_ns(CLOCK_MONOTONIC) / 1e9;
}

#define READS_A_LOOK   64
#define ENOUGH_STEPS   8
#define INTERRUPTED_NS UINT64_C(1000000)
#define PATIENCE_NS    UINT64_C(2000000000)

/* Other work may keep us waiting for all of wait_s: then no step is seen, or only one that
 * spans many. Time in which we were kept from looking does not count. */
uint64_t clocks_measure_smallest_step(clock_reader *read, double wait_s)
{
	uint64_t wait_ns = (uint64_t)(wait_s * 1e9), smallest = 0, last = read();
	uint64_t begun = counter_raw_ns(), raw = begun, before, looked_ns = 0;
	unsigned int steps = 0;

	for (unsigned int i = 1;; i++) {
		uint64_t now = read();

		if (now > last) {
			/* the first step may have begun before we looked */
			if (steps && (!smallest || now - last < smallest))
				smallest = now - last;
			steps++;
		}
		last = now;
		if (i % READS_A_LOOK)
			continue;
		before = raw;
		raw = counter_raw_ns();
		looked_ns += raw - before < INTERRUPTED_NS ? raw - before : 0;
		if (looked_ns >= wait_ns || raw - begun >= wait_ns + PATIENCE_NS ||
		    (raw - begun >= wait_ns && steps > ENOUGH_STEPS))
			return smallest;
	}
}

double clocks_measure_rate_for(clock_reader *read, unsigned us, struct scp_anchor *from)
{
	double error;

	*from = counter_pair(read);
	usleep(us);
	struct scp_anchor to = counter_pair(read);
	return clocks_measure_rate(from, &to, &error);
}

double clocks_measure_rate(const struct scp_anchor *a, const struct scp_anchor *b, double *error)
{
	double elapsed_ns = (double)(b->mono_ns - a->mono_ns);

	*error = (double)(a->width_ns + b->width_ns) / 2 / elapsed_ns;
	return (double)(b->clock_at - a->clock_at) / elapsed_ns;
}
