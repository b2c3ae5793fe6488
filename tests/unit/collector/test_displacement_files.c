// SPDX-License-Identifier: GPL-3.0-or-later
/* What displacement reads from the kernel: lists of CPUs, /proc/stat, quotas of both kinds
 * of control groups, processes' clocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/machine/cpu_times.h"
#include "collector/machine/cpus.h"
#include "collector/displacement/fluid/fluid_group.h"
#include "tests/unit/support/near.h"
#include "collector/machine/tasks.h"

/* ---- lists of CPUs ---- */

static void assert_list(const char *list, const char *printed)
{
	cpu_set_t set;
	char text[128];

	assert_int_equal(cpus_parse(list, &set), 0);
	cpus_print(&set, text, sizeof(text));
	assert_string_equal(text, printed);
}

static void test_lists_are_read_and_printed_as_the_kernel_does(void **state)
{
	(void)state;
	assert_list("0", "0");
	assert_list("0-3,8\n", "0-3,8");
	assert_list("3,2,1", "1-3");
	assert_list("4,5", "4,5");
	assert_list("0-1", "0,1");
	assert_list("7-7", "7");
}

static void test_what_is_no_list_is_refused(void **state)
{
	static const char *const bad[] = {"",  ",",   "1,",  "-1",	"1-",	"3-1",
					  "a", "0x1", "1 2", "0-99999", "0,,1", "1\n2"};
	cpu_set_t set;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!cpus_parse(bad[i], &set))
			fail_msg("'%s' was taken for a list", bad[i]);
}

static void test_a_cpu_that_does_not_exist_is_refused_by_name(void **state)
{
	struct profile_error err;
	cpu_set_t set;

	(void)state;
	assert_int_equal(cpus_choose("0,1000", &set, &err), -1);
	assert_non_null(strstr(err.text, "CPU 1000"));
	assert_int_equal(cpus_choose("zero", &set, &err), -1);
	assert_non_null(strstr(err.text, "zero"));
}

static void test_a_cpu_that_is_not_allowed_is_refused(void **state)
{
	struct profile_error err;
	cpu_set_t before, one, set;
	char list[16];
	int other = -1;

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	if (CPU_COUNT(&before) < 2)
		skip();
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		if (!CPU_COUNT(&one))
			CPU_SET(cpu, &one);
		else
			other = cpu;
	}
	snprintf(list, sizeof(list), "%d", other);
	sched_setaffinity(0, sizeof(one), &one);
	int result = cpus_choose(list, &set, &err);
	sched_setaffinity(0, sizeof(before), &before);
	assert_int_equal(result, -1);
	assert_non_null(strstr(err.text, "not allowed"));
	/* without a list, what is allowed */
	assert_int_equal(cpus_choose(NULL, &set, &err), 0);
	assert_true(CPU_EQUAL(&set, &before));
}

/* ---- /proc/stat ---- */

static void test_columns_of_each_cpu(void **state)
{
	static const char text[] = "cpu  9 9 9 9 9 9 9 9 0 0\n"
				   "cpu0 100 200 300 400 500 600 700 800 0 0\n"
				   "cpu2 1 2 3 4 5 6 7 8 0 0\n"
				   "intr 12345\ncpu9 lies\n";
	struct cpu_times t[3], d;

	(void)state;
	cpu_times_parse(text, 100, t, 3);
	assert_true(t[0].known && !t[1].known && t[2].known);
	assert_near(t[0].user, 1, 1e-12);
	assert_near(t[0].idle, 4, 1e-12);
	assert_near(t[0].irq, 6, 1e-12);
	assert_near(t[0].softirq, 7, 1e-12);
	assert_near(t[0].steal, 8, 1e-12);
	assert_near(cpu_times_all(&t[0]), 36, 1e-12);
	d = cpu_times_since(&t[2], &t[0]);
	assert_near(d.nice, 1.98, 1e-12);
	assert_false(cpu_times_since(&t[1], &t[0]).known);
}

/* ---- quotas ---- */

struct tree {
	char root[64], cgroup[96];
};

static void put(const struct tree *t, const char *name, const char *text)
{
	char path[256], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	for (slash = path + strlen(t->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static struct tree make_tree(const char *cgroup)
{
	struct tree t = {.root = "/tmp/scprof-quota-XXXXXX"};

	assert_non_null(mkdtemp(t.root));
	snprintf(t.cgroup, sizeof(t.cgroup), "%s/cgroup", t.root);
	put(&t, "cgroup", cgroup);
	return t;
}

static void drop_tree(const struct tree *t)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", t->root);
	assert_int_equal(system(command), 0);
}

static void test_quota_of_v2_is_the_smallest_on_the_way_up(void **state)
{
	struct tree t = make_tree("0::/pod/container\n");
	char where[256];

	(void)state;
	put(&t, "pod/container/cpu.max", "max 100000\n");
	assert_true(isinf(quota_cpus(t.cgroup, t.root, where, sizeof(where))));
	assert_string_equal(where, "");
	put(&t, "pod/cpu.max", "150000 100000\n");
	assert_near(quota_cpus(t.cgroup, t.root, where, sizeof(where)), 1.5, 1e-12);
	assert_non_null(strstr(where, "/pod/cpu.max"));
	put(&t, "pod/container/cpu.max", "50000 100000\n");
	assert_near(quota_cpus(t.cgroup, t.root, where, sizeof(where)), 0.5, 1e-12);
	drop_tree(&t);
}

static void test_quota_of_v1_and_of_a_mounted_root(void **state)
{
	struct tree t = make_tree("4:memory:/x\n3:cpuset:/x\n2:cpu,cpuacct:/far/away\n0::/\n");
	char where[256];

	(void)state;
	put(&t, "cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	put(&t, "cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	assert_true(isinf(quota_cpus(t.cgroup, t.root, where, sizeof(where))));
	/* in a container its own group is what is mounted; the path is the host's */
	put(&t, "cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
	assert_near(quota_cpus(t.cgroup, t.root, where, sizeof(where)), 2, 1e-12);
	assert_non_null(strstr(where, "cpu.cfs_quota_us"));
	drop_tree(&t);
}

static void test_v2_beside_v1_is_mounted_as_unified(void **state)
{
	struct tree t = make_tree("2:cpu:/a\n0::/a\n");
	char where[256];

	(void)state;
	put(&t, "unified/cgroup.procs", "1\n");
	put(&t, "unified/a/cpu.max", "25000 100000\n");
	assert_near(quota_cpus(t.cgroup, t.root, where, sizeof(where)), 0.25, 1e-12);
	drop_tree(&t);
	assert_true(isinf(quota_cpus("/nonexistent", "/", where, sizeof(where))));
}

/* ---- scheduling groups ---- */

static void assert_group(const char *cgroup, const char *wanted)
{
	char line[128];

	fluid_group_line(cgroup, line, sizeof(line));
	assert_string_equal(line, wanted);
}

static void test_the_group_is_that_of_the_cpu_controller(void **state)
{
	(void)state;
	assert_group("4:memory:/a\n3:cpuset:/b\n2:cpu,cpuacct:/c\n0::/d\n", "2:cpu,cpuacct:/c");
	assert_group("0::/d\n2:cpuacct,cpu:/c\n", "2:cpuacct,cpu:/c");
	assert_group("3:cpuset:/b\n0::/user.slice\n", "0::/user.slice");
	assert_group("3:cpuset:/b\n", "");
	assert_group("", "");
	assert_group("nonsense", "");
}

static void test_ones_own_group_does_not_differ(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_false(fluid_group_differs(getpid()));
	/* alive or ended, not waited for or gone */
	assert_false(fluid_group_differs(pid));
	waitpid(pid, NULL, 0);
	assert_false(fluid_group_differs(pid));
}

/* ---- processes ---- */

static void burn(double seconds)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
}

/* A child that uses 30 ms and a grandchild that uses 20, and stay until told. */
static pid_t family(const int go[2])
{
	pid_t pid = fork();
	char word;

	if (pid)
		return pid;
	close(go[1]);
	if (!fork()) {
		burn(0.02);
		_exit(read(go[0], &word, 1) > 0);
	}
	burn(0.03);
	_exit(read(go[0], &word, 1) > 0);
}

static double used(const struct tasks *t, bool program)
{
	double sum = 0;

	for (size_t i = 0; i < t->count; i++)
		if (t->task[i].program == program)
			sum += (double)t->task[i].used_ns / 1e9;
	return sum;
}

static void test_a_command_and_its_children_are_told_from_others(void **state)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	struct tasks t;
	int go[2];

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(tasks_begin(&t), 0);
	assert_true(t.count > 0);
	tasks_mark(&t);
	pid_t pid = family(go);
	t.command = pid;
	/* for as long as it takes on a busy machine; what hangs is ended by tests/run */
	while (used(&t, true) < 0.05) {
		nanosleep(&pause, NULL);
		assert_int_equal(tasks_look(&t), 0);
	}
	assert_true(used(&t, true) >= 0.05);
	assert_non_null(tasks_find(&t, pid));
	assert_true(tasks_find(&t, pid)->program);
	assert_false(tasks_find(&t, getpid())->program);
	/* by where they ran: others only, and not this process */
	uint64_t on = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		on += t.on_ns[cpu];
	assert_true((double)on / 1e9 <= used(&t, false) + 1e-9);
	close(go[1]);
	waitpid(pid, NULL, 0);
	close(go[0]);
	tasks_look(&t);
	assert_true(tasks_find(&t, pid)->gone);
	tasks_mark(&t);
	assert_null(tasks_find(&t, pid));
	assert_near(used(&t, false), 0, 0);
	tasks_free(&t);
}

/* ---- the fluid's control group ---- */

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_a_group_that_cannot_be_idle_is_not_left(void **state)
{
	char mount[] = "/tmp/scprof-group-XXXXXX", path[128], file[128], gone[256];
	struct fluid_group g;

	(void)state;
	assert_non_null(mkdtemp(mount));
	snprintf(file, sizeof(file), "%s/cgroup", mount);
	/* v2 alone */
	write_text(file, "0::/user\n");
	assert_int_equal(fluid_group_make(&g, mount, file), -1);
	/* v1, but its folder is no control group: no cpu.idle appears in it */
	write_text(file, "7:pids:/\n4:cpu,cpuacct:/a/b\n0::/\n");
	snprintf(path, sizeof(path), "%s/cpu,cpuacct", mount);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(fluid_group_make(&g, mount, file), -1); /* no /a */
	snprintf(path, sizeof(path), "%s/cpu,cpuacct/a", mount);
	assert_int_equal(mkdir(path, 0755), 0);
	/* one that a killed process left: no process has this number */
	snprintf(gone, sizeof(gone), "%s/scprof-fluid-2000000000", path);
	assert_int_equal(mkdir(gone, 0755), 0);
	/* and one that has our own number */
	snprintf(gone, sizeof(gone), "%s/scprof-fluid-%d", path, (int)getpid());
	assert_int_equal(mkdir(gone, 0755), 0);
	assert_int_equal(fluid_group_make(&g, mount, file), -1);
	assert_string_equal(g.path, "");
	assert_int_equal(fluid_group_join(&g, gettid()), -1);
	/* nothing is in it: it can be removed */
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/cpu,cpuacct", mount);
	assert_int_equal(rmdir(path), 0);
	unlink(file);
	assert_int_equal(rmdir(mount), 0);
}

/* Where this machine has control groups of v1 that this process may make. */
static void test_a_thread_joins_an_idle_group_that_is_gone_afterwards(void **state)
{
	struct fluid_group g;
	char path[512];

	(void)state;
	if (fluid_group_make(&g, CGROUP_MOUNT, CGROUP_FILE))
		skip();
	snprintf(path, sizeof(path), "%s", g.path);
	assert_int_equal(access(path, F_OK), 0);
	pid_t child = fork();
	if (!child)
		_exit(fluid_group_join(&g, gettid()) ? 1 : 0);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fluid_group_remove(&g);
	assert_int_equal(access(path, F_OK), -1);
}

/* ---- /proc/interrupts ---- */

static int parse_interrupts(const char *text, uint64_t *count, size_t cpus)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int result;

	assert_non_null(file);
	result = cpu_times_parse_reschedules(file, count, cpus);
	fclose(file);
	return result;
}

/* CPU 1 is offline, so that it has no column. */
static void test_rescheduling_interrupts_of_each_cpu(void **state)
{
	uint64_t count[4];

	(void)state;
	assert_int_equal(parse_interrupts("           CPU0       CPU2\n"
					  " 24:          1          0  IO-APIC   5-edge      ACPI\n"
					  "LOC:         10         20   Local timer interrupts\n"
					  "RES:         30         40   Rescheduling interrupts\n",
					  count, 4),
			 0);
	assert_true(count[0] == 30 && !count[1] && count[2] == 40 && !count[3]);
	assert_int_equal(parse_interrupts("      CPU0 CPU1\n"
					  "IPI0:   1    2  Rescheduling interrupts\n",
					  count, 1),
			 0);
	assert_true(count[0] == 1);
	assert_int_equal(parse_interrupts("      CPU0\nLOC:  1  Local\n", count, 4), -1);
	assert_int_equal(parse_interrupts("CPU0\nRES: x Rescheduling interrupts\n", count, 4), 0);
	assert_true(!count[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_are_read_and_printed_as_the_kernel_does),
		cmocka_unit_test(test_what_is_no_list_is_refused),
		cmocka_unit_test(test_a_cpu_that_does_not_exist_is_refused_by_name),
		cmocka_unit_test(test_a_cpu_that_is_not_allowed_is_refused),
		cmocka_unit_test(test_columns_of_each_cpu),
		cmocka_unit_test(test_rescheduling_interrupts_of_each_cpu),
		cmocka_unit_test(test_quota_of_v2_is_the_smallest_on_the_way_up),
		cmocka_unit_test(test_quota_of_v1_and_of_a_mounted_root),
		cmocka_unit_test(test_v2_beside_v1_is_mounted_as_unified),
		cmocka_unit_test(test_the_group_is_that_of_the_cpu_controller),
		cmocka_unit_test(test_ones_own_group_does_not_differ),
		cmocka_unit_test(test_a_command_and_its_children_are_told_from_others),
		cmocka_unit_test(test_a_group_that_cannot_be_idle_is_not_left),
		cmocka_unit_test(test_a_thread_joins_an_idle_group_that_is_gone_afterwards),
	};

	return cmocka_run_group_tests_name("displace files", tests, NULL, NULL);
}
