// SPDX-License-Identifier: GPL-3.0-or-later
/* Chooses the default clock, and describes each clock in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/clocks/clocks_private.h"
#include "collector/duration.h"
#include "profile/base/error.h"
#include "profile/base/kernel_file.h"
#include "profile/base/words.h"
#include "stats/planning/plan.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/prctl.h>
#endif

/* A vDSO reading costs tens of nanoseconds, a system call hundreds. */
#define QUICK_READ_NS 100.0
/* NTP may slew the kernel's clocks by 500 ppm. */
#define DRIFT_LIMIT_PPM	 600.0
#define LATE_SHARE_LIMIT 0.05
/* What "can be measured" means: calls, and the share of one that a reading may take. */
#define MANY_CALLS 1e6
#define READ_SHARE 0.05
/* Readings compared across CPUs; a quiet machine makes tens of thousands. */
#define FEW_COMPARISONS 100

#if defined(__x86_64__)
/* A TSC is fit to measure with if the processor says that it is invariant and
 * the kernel, which watches it against other clocks, has not rejected it. */
#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/"

/* Clock sources that are the TSC, read as such or scaled by a hypervisor. */
static const char *const tsc_based[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen"};

static bool invariant(void)
{
	unsigned int a, b, c, d = 0;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

bool clocks_verdict_trusts_counter(char *why, size_t size)
{
	char available[256], current[64];
	int mode = PR_TSC_ENABLE;

	if (!prctl(PR_GET_TSC, &mode, 0UL, 0UL, 0UL) && mode != PR_TSC_ENABLE) {
		snprintf(why, size, "reading the TSC is forbidden here (PR_SET_TSC)");
		return false;
	}
	if (!invariant()) {
		snprintf(why, size,
			 "the processor does not say that its TSC has one constant rate");
		return false;
	}
	if (kernel_file_line(available, sizeof(available), CLOCKSOURCE "available_clocksource") ||
	    kernel_file_line(current, sizeof(current), CLOCKSOURCE "current_clocksource")) {
		snprintf(why, size, "what the kernel thinks of the TSC cannot be read from /sys");
		return false;
	}
	for (size_t i = 0; i < sizeof(tsc_based) / sizeof(*tsc_based); i++)
		if (!strcmp(current, tsc_based[i]) && words_have(available, " ", "tsc")) {
			snprintf(why, size,
				 "the TSC is invariant and the kernel trusts it (clocksource %s)",
				 current);
			return true;
		}
	snprintf(why, size, "the kernel does not keep time by the TSC (clocksource %s of: %s)",
		 current, available);
	return false;
}
#else
/* The generic timer is architected to run at one constant rate on all CPUs,
 * and Linux lets programs read it: it is what the vDSO itself reads. */
bool clocks_verdict_trusts_counter(char *why, size_t size)
{
	snprintf(why, size, "the architecture's generic timer has one rate on all CPUs");
	return true;
}
#endif

enum scp_clock_kind clocks_verdict_default(char *reason, size_t size)
{
	char why[256];

	if (clocks_verdict_trusts_counter(why, sizeof(why))) {
		snprintf(reason, size, "%s", why);
		return SCP_CLOCK_TSC;
	}
	double cost_ns = clock_costs_monotonic_ns();
	if (cost_ns <= QUICK_READ_NS) {
		snprintf(reason, size, "%.170s; CLOCK_MONOTONIC is read in %.0f ns", why, cost_ns);
		return SCP_CLOCK_MONOTONIC;
	}
	snprintf(reason, size, "%.150s; CLOCK_MONOTONIC needs %.0f ns a reading, too much", why,
		 cost_ns);
	return SCP_CLOCK_COARSE;
}

double clocks_verdict_smallest_mean(double d, double n, double confidence, double width)
{
	double w = plan_width_factor(confidence);

	return d / (1 + n * (width / w) * (width / w));
}

static bool ticks_slowly(const struct clock_test *t)
{
	return t->kind == SCP_CLOCK_COARSE || t->kind == SCP_CLOCK_PAGE;
}

static void set_smallest_mean(struct clock_test *t)
{
	double tick_ns = isnan(t->ticks.mean_ns) ? t->claimed_ns : t->ticks.mean_ns;
	double by_chance =
		ticks_slowly(t) ? clocks_verdict_smallest_mean(tick_ns, MANY_CALLS, 0.95, 0.1) : 0;

	t->smallest_mean_ns = fmax(by_chance, fmax(t->read.mean, 0) / READ_SHARE);
}

/* Adds to the verdict the durations that can be measured with the clock. */
__attribute__((format(printf, 2, 3))) static void add(struct clock_test *t, const char *format, ...)
{
	size_t have = strlen(t->verdict);

	FORMAT_BY(vsnprintf, t->verdict + have, sizeof(t->verdict) - have, format);
}

static void add_steps(struct clock_test *t)
{
	char by[32];

	duration_print(t->step_max_ns, by, sizeof(by));
	if (t->steps && ticks_slowly(t))
		add(t, "; %llu times several ticks came at once, up to %s of them",
		    (unsigned long long)t->steps, by);
	else if (t->steps)
		add(t, "; it stepped %llu times against the raw clock, by up to %s",
		    (unsigned long long)t->steps, by);
}

/* A fast clock times single calls; the cost of its own reading is the limit. */
static void add_fast(struct clock_test *t)
{
	char cost[32], mean[32];

	duration_print(t->read.mean, cost, sizeof(cost));
	duration_print(t->smallest_mean_ns, mean, sizeof(mean));
	add(t, ": times single calls; a reading takes %s, 5 %% of a call of %s", cost, mean);
}

static void add_slow(struct clock_test *t)
{
	char mean[32];

	duration_print(t->smallest_mean_ns, mean, sizeof(mean));
	add(t, ": coarse; a million calls give a mean of %s or more to within 5 %%", mean);
}

static bool rate_is_off(const struct clock_test *t)
{
	return fabs(t->drift_ppm) > DRIFT_LIMIT_PPM + t->drift_error_ppm;
}

static void judge_tsc(struct clock_test *t, bool trusted, const char *reason)
{
	t->usable = false;
	if (!trusted) {
		add(t, "not usable: %.180s", reason);
	} else if (rate_is_off(t)) {
		add(t, "not usable: its rate changed by %.0f ppm within the test", t->drift_ppm);
	} else {
		t->usable = true;
		add(t, t->steps ? "usable" : "good");
		add_fast(t);
		add_steps(t);
	}
}

static void judge_page(struct clock_test *t, const struct clock_lateness *busy)
{
	bool late = t->late.share > LATE_SHARE_LIMIT;

	add(t, late ? "usable" : "good");
	add_slow(t);
	add(t, ", at another tick (-d) in proportion");
	if (late)
		add(t, "; late in %.1f %% of the ticks: other work keeps its ticker waiting",
		    t->late.share * 100);
	else if (busy && busy->share > LATE_SHARE_LIMIT)
		add(t, "; but late in %.1f %% of the ticks when all CPUs are busy",
		    busy->share * 100);
	add_steps(t);
}

static void judge_kernel(struct clock_test *t)
{
	bool slow = t->read.mean > QUICK_READ_NS;

	add(t, slow || t->steps || rate_is_off(t) ? "usable" : "good");
	if (ticks_slowly(t))
		add_slow(t);
	else
		add_fast(t);
	if (slow)
		add(t, "; slow to read, a burden on short calls");
	if (rate_is_off(t))
		add(t, "; it is %.0f ppm off the raw clock just now", t->drift_ppm);
	add_steps(t);
}

void clocks_verdict_judge(struct clock_test *t, bool tsc_trusted, const char *tsc_reason,
			  const struct clock_lateness *busy)
{
	t->usable = true;
	*t->verdict = '\0';
	set_smallest_mean(t);
	if (t->step_ns <= 0 || isnan(t->step_ns)) {
		t->usable = false;
		add(t, "not usable: it did not move");
		return;
	}
	if (t->backward) {
		char by[32];

		duration_print(t->backward_max_ns, by, sizeof(by));
		t->usable = false;
		add(t, "not usable: goes backwards between CPUs, by up to %s", by);
		return;
	}
	if (t->kind == SCP_CLOCK_TSC) {
		judge_tsc(t, tsc_trusted, tsc_reason);
	} else if (t->kind == SCP_CLOCK_PAGE) {
		judge_page(t, busy);
	} else if (t->kind == SCP_CLOCK_THREAD_CPU) {
		add(t, "usable");
		add_fast(t);
		add(t, "; CPU time only, waiting counts nothing%s",
		    t->read.mean > QUICK_READ_NS ? "; a system call a reading" : "");
		add_steps(t);
	} else {
		judge_kernel(t);
	}
	if (t->cpus && t->comparisons < FEW_COMPARISONS)
		add(t, "; hardly compared across CPUs, other work had them");
}
