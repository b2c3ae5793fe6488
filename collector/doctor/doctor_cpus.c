// SPDX-License-Identifier: GPL-3.0-or-later
/* The CPUs, and what takes part of their time away: other hosts' guests, quotas. */
#include <math.h>
#include <sched.h>

#include "collector/clocks/clocks.h"
#include "collector/clocks/counter.h"
#include "collector/doctor/doctor_private.h"
#include "collector/machine/cpu_times.h"
#include "collector/machine/cpus.h"
#include "collector/machine/kernel_file.h"
#include "collector/machine/quota.h"

static void affinity(struct doctor *d)
{
	char line[256] = "", list[256];
	cpu_set_t mine, online;

	if (sched_getaffinity(0, sizeof(mine), &mine))
		return;
	cpus_print(&mine, list, sizeof(list));
	if (kernel_file_line("/sys/devices/system/cpu/online", line, sizeof(line)) ||
	    cpus_parse(line, &online))
		online = mine;
	if (CPU_COUNT(&mine) < CPU_COUNT(&online)) {
		doctor_add(d, "cpus", DOCTOR_LIMITED,
			   "this session may use %s of the CPUs %s: displacement does not "
			   "see interrupts that the others take",
			   list, line);
		doctor_remedy(d, "taskset -c %s scprof ..., or a wider cpuset", line);
	} else {
		doctor_add(d, "cpus", DOCTOR_OK, "%s, all that are online", list);
	}
}

static void quota(struct doctor *d)
{
	char where[512];
	double cpus = quota_cpus(where, sizeof(where));

	if (!isfinite(cpus)) {
		doctor_add(d, "quota", DOCTOR_OK, "no control group limits CPU time");
		return;
	}
	doctor_add(
		d, "quota", DOCTOR_LIMITED,
		"a control group gives %.3g CPUs' time (%.200s); stopped for it %llu times so far",
		cpus, where, (unsigned long long)quota_throttled());
	doctor_remedy(d,
		      "Give the group no quota while displacement is measured (systemd: CPUQuota=, "
		      "docker: --cpus); single calls are stopped by it, too: look at MAX");
}

static void stolen(struct doctor *d)
{
	struct cpu_times_steal s = cpu_times_steal_read();

	if (!s.all) {
		doctor_add(d, "steal", DOCTOR_NOTE, "/proc/stat does not report stolen time");
		return;
	}
	double share = (double)s.stolen / (double)s.all;
	doctor_add(d, "steal", share > 0.001 ? DOCTOR_NOTE : DOCTOR_OK,
		   "of the CPUs' time since the start of this machine its host took %.3g %%",
		   100 * share);
	if (share > 0.001)
		doctor_remedy(
			d,
			"It lands in single calls: trust means with their intervals and P99, not "
			"the maximum; or measure on a machine of its own");
}

void doctor_cpus(struct doctor *d)
{
	affinity(d);
	quota(d);
	stolen(d);
}

/* Which clocks there are; `scprof clocks` measures how good they are. */

static void counter(struct doctor *d)
{
	char why[512];
	bool trusted = counter_is_trusted(why, sizeof(why));

	doctor_add(d, "counter", trusted ? DOCTOR_OK : DOCTOR_LIMITED, "%s", why);
	if (!trusted)
		doctor_remedy(
			d,
			"-c monotonic is exact but costs more, -c coarse and -c page are cheap and "
			"need more calls; on a virtual machine, ask its host for an invariant TSC");
}

static void default_clock(struct doctor *d)
{
	char reason[256];
	enum scp_clock_kind kind = clocks_verdict_default(reason, sizeof(reason));

	doctor_add(d, "clock", DOCTOR_OK, "without -c it is %s, because %s", clocks_read_name(kind),
		   reason);
}

void doctor_clocks(struct doctor *d)
{
	counter(d);
	default_clock(d);
}
