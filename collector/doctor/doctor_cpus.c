// SPDX-License-Identifier: GPL-3.0-or-later
/* The CPUs, and what takes part of their time away: other hosts' guests, quotas. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks.h"
#include "collector/clocks/counter.h"
#include "collector/clocks/ticker.h"
#include "collector/doctor/doctor_private.h"
#include "collector/duration.h"
#include "collector/machine/cpu_times.h"
#include "collector/machine/cpus.h"
#include "collector/machine/kernel_file.h"
#include "collector/machine/quota.h"
#include "stats/numerics/random.h"

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

static void *become_idle(void *failed)
{
	const struct sched_param none = {0};

	*(int *)failed = sched_setscheduler(0, SCHED_IDLE, &none) ? errno : 0;
	return NULL;
}

/* In a thread of its own, because a thread may not be allowed to leave the class again. */
static void idle_class(struct doctor *d)
{
	pthread_t thread;
	int failed = EAGAIN;

	if (!pthread_create(&thread, NULL, become_idle, &failed))
		pthread_join(thread, NULL);
	if (!failed) {
		doctor_add(d, "idle", DOCTOR_OK,
			   "a thread may have the lowest priority (SCHED_IDLE)");
		return;
	}
	doctor_add(
		d, "idle", DOCTOR_LIMITED,
		"no thread may have the lowest priority (SCHED_IDLE: %s): displace, load and run "
		"--displace cannot measure",
		strerror(failed));
	doctor_remedy(d, "Allow sched_setscheduler in the sandbox's system call filter");
}

static void quota(struct doctor *d)
{
	char where[512];
	double cpus = quota_cpus(where, sizeof(where));

	if (!isfinite(cpus) && !quota_visible()) {
		doctor_add(d, "quota", DOCTOR_NOTE,
			   "whether a control group limits CPU time cannot be seen: its files are "
			   "not in /sys/fs/cgroup");
		doctor_remedy(d, "mount -t cgroup2 none /sys/fs/cgroup, where that matters: "
				 "displace refuses small quotas that it can see");
		return;
	}
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
	idle_class(d);
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

static void coarse(struct doctor *d)
{
	char step[32], reason[256];
	struct timespec t;
	enum scp_clock_kind kind = clocks_verdict_default(reason, sizeof(reason));

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t))
		doctor_add(d, "coarse", DOCTOR_LIMITED, "there is no CLOCK_MONOTONIC_COARSE");
	else {
		duration_print((double)t.tv_sec * 1e9 + (double)t.tv_nsec, step, sizeof(step));
		doctor_add(d, "coarse", DOCTOR_OK,
			   "the kernel says that the coarse clock ticks every %s", step);
	}
	doctor_add(d, "clock", DOCTOR_OK, "without -c it is %s, because %s", clocks_read_name(kind),
		   reason);
}

/* The page clock's ticker, as a run would start it. */
static void page(struct doctor *d)
{
	char directory[PATH_MAX], path[PATH_MAX + 8];
	struct profile_error err = {"no directory for a trial can be made"};
	struct ticker_stats stats;
	struct ticker *t = NULL;

	if (!doctor_directory(directory, sizeof(directory))) {
		snprintf(path, sizeof(path), "%s/clock", directory);
		t = ticker_start(path, TICKER_DEFAULT_NS, random_fresh_seed(), &err);
		if (t)
			ticker_stop(t, &stats);
		unlink(path);
		rmdir(directory);
	}
	if (t) {
		doctor_add(d, "page", DOCTOR_OK, "the page clock's ticker starts");
		return;
	}
	doctor_add(d, "page", DOCTOR_LIMITED, "-c page and -c dual are not available: %s",
		   err.text);
}

void doctor_clocks(struct doctor *d)
{
	counter(d);
	coarse(d);
	page(d);
}
