// SPDX-License-Identifier: GPL-3.0-or-later
/* Which clock is the default, and what to think of each, in words. */
#include <math.h>
#include <stdio.h>

#include "clocks_private.h"
#include "counter.h"
#include "duration.h"

/* A vDSO reading costs tens of nanoseconds, a system call hundreds. */
#define QUICK_READ_NS 100.0
/* NTP may slew the kernel's clocks by 500 ppm. */
#define DRIFT_LIMIT_PPM	 600.0
#define LATE_SHARE_LIMIT 0.05

enum scp_clock_kind clocks_default(char *reason, size_t size)
{
	char why[256];
	double cost_ns;

	if (counter_trusted(why, sizeof(why))) {
		snprintf(reason, size, "%s", why);
		return SCP_CLOCK_TSC;
	}
	cost_ns = clocks_read_cost_ns(clocks_source(SCP_CLOCK_MONOTONIC)->read);
	if (cost_ns <= QUICK_READ_NS) {
		snprintf(reason, size, "%.170s; CLOCK_MONOTONIC is read in %.0f ns", why, cost_ns);
		return SCP_CLOCK_MONOTONIC;
	}
	snprintf(reason, size, "%.150s; CLOCK_MONOTONIC needs %.0f ns a reading, too much", why,
		 cost_ns);
	return SCP_CLOCK_COARSE;
}

static bool judge_backward(struct clock_test *t)
{
	char by[32];

	if (!t->backward)
		return false;
	duration_print(t->backward_max_ns, by, sizeof(by));
	snprintf(t->verdict, sizeof(t->verdict),
		 "not usable: goes backwards between CPUs, by up to %s", by);
	t->usable = false;
	return true;
}

static void judge_tsc(struct clock_test *t, bool trusted, const char *reason)
{
	if (!trusted) {
		t->usable = false;
		snprintf(t->verdict, sizeof(t->verdict), "not usable: %.180s", reason);
	} else if (fabs(t->drift_ppm) > DRIFT_LIMIT_PPM + t->drift_error_ppm) {
		t->usable = false;
		snprintf(t->verdict, sizeof(t->verdict),
			 "not usable: its rate changed by %.0f ppm within the test", t->drift_ppm);
	} else {
		snprintf(t->verdict, sizeof(t->verdict), "good");
	}
}

static void judge_page(struct clock_test *t)
{
	if (t->late_share > LATE_SHARE_LIMIT)
		snprintf(t->verdict, sizeof(t->verdict),
			 "usable: coarse, and the ticker is late in %.1f %% of the ticks (a busy "
			 "machine)",
			 t->late_share * 100);
	else
		snprintf(t->verdict, sizeof(t->verdict),
			 "good: coarse, use with enough calls; interval adjustable with -d");
}

static void judge_kernel(struct clock_test *t)
{
	char cost[32];

	duration_print(t->read_ns, cost, sizeof(cost));
	if (fabs(t->drift_ppm) > DRIFT_LIMIT_PPM + t->drift_error_ppm)
		snprintf(t->verdict, sizeof(t->verdict),
			 "usable: it is %.0f ppm off the raw clock just now", t->drift_ppm);
	else if (t->kind == SCP_CLOCK_COARSE)
		snprintf(t->verdict, sizeof(t->verdict), "good: coarse, use with enough calls");
	else if (t->read_ns > QUICK_READ_NS)
		snprintf(t->verdict, sizeof(t->verdict),
			 "usable: slow to read (%s), a burden on short calls", cost);
	else
		snprintf(t->verdict, sizeof(t->verdict), "good");
}

void clocks_judge(struct clock_test *t, bool tsc_trusted, const char *tsc_reason)
{
	t->usable = true;
	if (t->step_ns <= 0 || isnan(t->step_ns)) {
		t->usable = false;
		snprintf(t->verdict, sizeof(t->verdict), "not usable: it did not move");
		return;
	}
	if (judge_backward(t))
		return;
	switch (t->kind) {
	case SCP_CLOCK_TSC:
		judge_tsc(t, tsc_trusted, tsc_reason);
		break;
	case SCP_CLOCK_PAGE:
		judge_page(t);
		break;
	case SCP_CLOCK_THREAD_CPU:
		snprintf(t->verdict, sizeof(t->verdict),
			 "usable: CPU time only (waiting counts nothing), %s",
			 t->read_ns > QUICK_READ_NS ? "a system call a reading" : "quick to read");
		break;
	default:
		judge_kernel(t);
	}
}
