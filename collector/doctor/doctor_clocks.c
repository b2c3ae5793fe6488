// SPDX-License-Identifier: GPL-3.0-or-later
/* Which clocks there are; `scprof clocks` measures how good they are. */
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks.h"
#include "collector/clocks/counter.h"
#include "collector/doctor/doctor_private.h"
#include "collector/duration.h"
#include "stats/numerics/random.h"
#include "collector/clocks/ticker.h"

static void counter(struct doctor *d)
{
	char why[512];
	bool trusted = counter_is_trusted(why, sizeof(why));

	doctor_check_add(d, "counter", trusted ? DOCTOR_OK : DOCTOR_LIMITED, "%s", why);
	if (!trusted)
		doctor_check_remedy(
			d,
			"-c monotonic is exact but costs more, -c coarse and -c page are cheap and "
			"need more calls; on a virtual machine, ask its host for an invariant TSC");
}

static void coarse(struct doctor *d)
{
	char step[32], reason[256];
	struct timespec t;
	enum scp_clock_kind kind = clocks_verdict_default(reason, sizeof(reason));

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t))
		doctor_check_add(d, "coarse", DOCTOR_LIMITED, "there is no CLOCK_MONOTONIC_COARSE");
	else {
		duration_print((double)t.tv_sec * 1e9 + (double)t.tv_nsec, step, sizeof(step));
		doctor_check_add(d, "coarse", DOCTOR_OK,
				 "the kernel says that the coarse clock ticks every %s", step);
	}
	doctor_check_add(d, "clock", DOCTOR_OK, "without -c it is %s, because %s",
			 clocks_read_name(kind), reason);
}

/* The page clock's ticker, as a run would start it. */
static void page(struct doctor *d)
{
	char directory[PATH_MAX], path[PATH_MAX + 8];
	struct profile_error err = {"no directory for a trial can be made"};
	struct ticker_stats stats;
	struct ticker *t = NULL;

	if (!doctor_trial_directory(directory, sizeof(directory))) {
		snprintf(path, sizeof(path), "%s/clock", directory);
		t = ticker_start(path, TICKER_DEFAULT_NS, random_fresh_seed(), &err);
		if (t)
			ticker_stop(t, &stats);
		unlink(path);
		rmdir(directory);
	}
	if (t) {
		doctor_check_add(d, "page", DOCTOR_OK, "the page clock's ticker starts");
		return;
	}
	doctor_check_add(d, "page", DOCTOR_LIMITED, "-c page and -c dual are not available: %s",
			 err.text);
}

void doctor_clocks(struct doctor *d)
{
	counter(d);
	coarse(d);
	page(d);
}
