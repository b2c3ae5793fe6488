// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel's own accountings, with which displacement is compared, and what may prevent them. */
#include <linux/capability.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/clocks/clocks.h"
#include "collector/doctor/doctor_private.h"
#include "collector/machine/cpu_times.h"
#include "collector/machine/cpus.h"
#include "profile/base/kernel_file.h"
#include "collector/machine/taskstats.h"

static void schedstat(struct doctor *d)
{
	unsigned long long ran = 0;
	char line[128];

	if (!kernel_file_line(line, sizeof(line), "/proc/thread-self/schedstat") &&
	    sscanf(line, "%llu", &ran) == 1 && ran) {
		doctor_add(
			d, "schedstat", DOCTOR_OK,
			"the kernel tells how long a thread ran and waited (/proc/PID/schedstat)");
		return;
	}
	doctor_add(d, "schedstat", DOCTOR_LIMITED,
		   "/proc/PID/schedstat tells nothing: displace and load cannot measure");
	doctor_remedy(d, "A kernel with CONFIG_SCHED_INFO (all distributions'), and /proc mounted");
}

static cpu_set_t own_cpus(void)
{
	cpu_set_t mine;

	CPU_ZERO(&mine);
	sched_getaffinity(0, sizeof(mine), &mine);
	return mine;
}

static void perf(struct doctor *d)
{
	char paranoid[32];
	struct task_clock c;
	cpu_set_t mine = own_cpus();

	if (kernel_file_line(paranoid, sizeof(paranoid), "/proc/sys/kernel/perf_event_paranoid"))
		strcpy(paranoid, "?");
	if (!task_clock_open(&c, getpid(), &mine)) {
		doctor_add(d, "perf", DOCTOR_OK,
			   "the task-clock counter is available, and samples of what is computed "
			   "(kernel.perf_event_paranoid is %s)",
			   paranoid);
	} else {
		doctor_add(d, "perf", DOCTOR_LIMITED,
			   "no task-clock counter: %s (kernel.perf_event_paranoid is %s); "
			   "displace shows the other accountings, and reports do not show what is "
			   "computed between calls",
			   c.why, paranoid);
		doctor_remedy(d, "sysctl kernel.perf_event_paranoid=2 as root; in a container also "
				 "allow perf_event_open, or give CAP_PERFMON");
	}
	task_clock_close(&c);
}

static void taskstats(struct doctor *d)
{
	struct taskstats_socket s;
	cpu_set_t mine = own_cpus();

	if (!taskstats_open(&s, &mine)) {
		doctor_add(d, "taskstats", DOCTOR_OK,
			   "the kernel answers, ends of short tasks included");
	} else {
		doctor_add(d, "taskstats", DOCTOR_LIMITED,
			   "%s: displace does not see processes that live for less than a look at "
			   "/proc takes",
			   *s.why ? s.why : "no taskstats");
		doctor_remedy(d, "Run scprof displace as root, or with CAP_NET_ADMIN (setcap "
				 "cap_net_admin+ep, sudo), outside of namespaces of users and "
				 "PIDs (docker run --pid host)");
	}
	taskstats_close(&s);
}

/* A child of ours, which everybody may trace where tracing is not forbidden altogether. */
static bool may_trace(void)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	if (child < 0)
		return true;
	bool may = !ptrace(PTRACE_SEIZE, child, 0, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return may;
}

/* May `scprof attach` go to processes of this user? */
static void tracing(struct doctor *d)
{
	const char *dormant = "or start services with LD_PRELOAD=libscprof.so SCPROF_STOPPED=1: "
			      "they are woken without ptrace (docs/attach.md, in containers: "
			      "\"page\" where their PID is seen, else \"file\")";
	bool privileged =
		proc_status_number(PROC_STATUS_SELF, "CapEff", 16, 0) >> CAP_SYS_PTRACE & 1;
	char scope[32];

	if (kernel_file_line(scope, sizeof(scope), "/proc/sys/kernel/yama/ptrace_scope"))
		snprintf(scope, sizeof(scope), "0");
	if (!may_trace()) {
		doctor_add(d, "attach", DOCTOR_NOTE,
			   "`scprof attach` cannot trace here: ptrace is forbidden (a filter of "
			   "system calls, as in containers)");
		doctor_remedy(d, "docker run --cap-add=SYS_PTRACE, %s", dormant);
	} else if (*scope >= '3' || (*scope >= '1' && !privileged)) {
		doctor_add(d, "attach", DOCTOR_NOTE,
			   "`scprof attach` cannot trace here: kernel.yama.ptrace_scope is %s",
			   scope);
		doctor_remedy(
			d,
			"Run it as root, sysctl kernel.yama.ptrace_scope=0 (not where it is 3), %s",
			dormant);
	} else {
		doctor_add(d, "attach", DOCTOR_OK,
			   "`scprof attach` may trace %s processes%s (docs/attach.md, in "
			   "containers: \"host\" or \"sidecar\")",
			   geteuid()	? "this user's"
			   : privileged ? "all"
					: "root's",
			   *scope == '0' ? "" : ", with CAP_SYS_PTRACE");
	}
}

void doctor_kernel(struct doctor *d)
{
	schedstat(d);
	perf(d);
	taskstats(d);
	tracing(d);
}

/* Variables that were set and forgotten. */
void doctor_kernel_session(struct doctor *d)
{
	const char *disable = getenv("SCPROF_DISABLE"), *preload = getenv("LD_PRELOAD");

	if (disable && *disable && strcmp(disable, "0") != 0) {
		doctor_add(d, "session", DOCTOR_LIMITED,
			   "SCPROF_DISABLE is set: nothing is recorded");
		doctor_remedy(d, "unset SCPROF_DISABLE");
	} else if (preload && *preload) {
		doctor_add(d, "session", DOCTOR_NOTE,
			   "LD_PRELOAD is set (%.300s): it stays, ahead of libscprof.so", preload);
	} else {
		doctor_add(d, "session", DOCTOR_OK, "neither LD_PRELOAD nor SCPROF_DISABLE is set");
	}
}

/* The CPUs, and what takes part of their time away: other hosts' guests, quotas. */

static void affinity(struct doctor *d)
{
	char line[256] = "", list[256];
	cpu_set_t mine, online;

	if (sched_getaffinity(0, sizeof(mine), &mine))
		return;
	cpus_print(&mine, list, sizeof(list));
	if (kernel_file_line(line, sizeof(line), "/sys/devices/system/cpu/online"))
		snprintf(line, sizeof(line), "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (cpus_parse(line, &online))
		online = mine;
	if (CPU_COUNT(&mine) < CPU_COUNT(&online)) {
		doctor_add(d, "cpus", DOCTOR_LIMITED,
			   "this session may use %s of the CPUs %s: displacement does not see "
			   "interrupts that the others take",
			   list, line);
		doctor_remedy(d, "taskset -c %s scprof ..., or a wider cpuset", line);
	} else {
		doctor_add(d, "cpus", DOCTOR_OK, "%s, all that are online", list);
	}
}

static void quota(struct doctor *d)
{
	char where[512];
	double cpus = quota_cpus(CGROUP_FILE, CGROUP_MOUNT, where, sizeof(where));

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
		doctor_remedy(d, "It lands in single calls: trust means with their intervals and "
				 "P99, not the maximum; or measure on a machine of its own");
}

void doctor_cpus(struct doctor *d)
{
	affinity(d);
	quota(d);
	stolen(d);
}

/* Which clocks there are; `scprof clocks` measures how good they are. */

void doctor_clocks(struct doctor *d)
{
	char why[512];
	bool trusted = clocks_verdict_trusts_counter(why, sizeof(why));

	doctor_add(d, "counter", trusted ? DOCTOR_OK : DOCTOR_LIMITED, "%s%s", why,
		   trusted ? "" : ": displace and load cannot measure");
	if (!trusted)
		doctor_remedy(
			d,
			"-c monotonic is exact but costs more, -c coarse and -c page are cheap and "
			"need more calls; on a virtual machine, ask its host for an invariant TSC");
	enum scp_clock_kind kind = clocks_verdict_default(why, sizeof(why));
	doctor_add(d, "clock", DOCTOR_OK, "without -c it is %s, because %s", clocks_read_name(kind),
		   why);
}
