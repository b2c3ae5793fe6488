// SPDX-License-Identifier: GPL-3.0-or-later
/* A launched command is as it would be without us, and its end is reported as a shell tells it.
 * Each case runs in a process of its own: launching blocks signals. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/launch/environment.h"
#include "collector/launch/launch.h"

/* Exit status of `script`, launched from a child; 1000 + errno where exec failed. */
static int run_file(const char *path, char **argv, bool shell, bool ignore_chld)
{
	int report[2], result = -1;

	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (!pid) {
		struct launch l;
		struct rusage usage;
		bool exec_failed;

		if (ignore_chld)
			signal(SIGCHLD, SIG_IGN);
		if (!launch_start_held(&l, path, argv, shell, 0, &exec_failed, NULL))
			result = launch_exit_status(launch_wait_watched(&l, NULL, &usage));
		else if (exec_failed)
			result = 1000 + errno;
		_exit(write(report[1], &result, sizeof(result)) < 0);
	}
	close(report[1]);
	assert_int_equal(read(report[0], &result, sizeof(result)), sizeof(result));
	close(report[0]);
	waitpid(pid, NULL, 0);
	return result;
}

static int run_script(const char *script)
{
	char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};

	return run_file("/bin/sh", argv, false, false);
}

static void ends_are_told_as_a_shell_does(void **state)
{
	(void)state;
	assert_int_equal(run_script("exit 0"), 0);
	assert_int_equal(run_script("exit 7"), 7);
	assert_int_equal(run_script("exit 255"), 255);
	assert_int_equal(run_script("kill -TERM $$"), 128 + SIGTERM);
	assert_int_equal(run_script("kill -KILL $$"), 128 + SIGKILL);
}

static void a_failed_exec_is_told_with_its_reason(void **state)
{
	char *argv[] = {"x", NULL};

	(void)state;
	assert_int_equal(run_file("/nonexistent", argv, false, false), 1000 + ENOENT);
	assert_int_equal(run_file("/tmp", argv, false, false), 1000 + EACCES);
}

static void a_file_without_a_first_line_goes_to_the_shell(void **state)
{
	char path[] = "/tmp/scprof-test.XXXXXX", *argv[] = {"x", "4", NULL};
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, "exit $1\n", 8), 8);
	fchmod(fd, 0755);
	close(fd);
	assert_int_equal(run_file(path, argv, true, false), 4);
	assert_int_equal(run_file(path, argv, false, false), 1000 + ENOEXEC);
	unlink(path);
}

static void the_status_is_not_lost_where_children_are_ignored(void **state)
{
	char *argv[] = {"sh", "-c", "exit 3", NULL};

	(void)state;
	assert_int_equal(run_file("/bin/sh", argv, false, true), 3);
}

static void read_all(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
	unlink(path);
}

/* The command's own account of itself, started by us and started plainly. */
static void the_command_gets_our_signal_state_and_descriptors(void **state)
{
	char launched[2000], plain[2000], path[] = "/tmp/scprof-test.XXXXXX";
	char *argv[] = {"sh", "-c",
			"exec >\"$OUT\"; grep -E '^Sig(Blk|Ign)|^NSpgid' /proc/self/status; "
			"ls /proc/self/fd",
			NULL};

	(void)state;
	close(mkstemp(path));
	setenv("OUT", path, 1);
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(run_file("/bin/sh", argv, false, false), 0);
	read_all(path, launched, sizeof(launched));
	pid_t pid = fork();
	if (!pid)
		execv("/bin/sh", argv);
	waitpid(pid, NULL, 0);
	signal(SIGHUP, SIG_DFL);
	read_all(path, plain, sizeof(plain));
	assert_string_equal(launched, plain);
}

/* "alarm N; exec CMD" ends the command, not what waits for it. */
static void an_alarm_is_the_command_s(void **state)
{
	const struct itimerval late = {.it_value = {36000, 0}};
	char *argv[] = {
		"env", "python3", "-c",
		"import signal; exit(3 if signal.getitimer(signal.ITIMER_REAL)[0] > 3600 else 4)",
		NULL};
	struct itimerval left = late;
	struct rusage usage;
	struct launch l;
	bool exec_failed;

	(void)state;
	setitimer(ITIMER_REAL, &late, NULL);
	assert_int_equal(launch_start_held(&l, "/usr/bin/env", argv, false, 0, &exec_failed, NULL),
			 0);
	getitimer(ITIMER_REAL, &left);
	assert_int_equal(left.it_value.tv_sec, 0);
	assert_int_equal(launch_exit_status(launch_wait_watched(&l, NULL, &usage)), 3);
}

/* Who is to end with its parent ends with what stands between. */
static void the_parent_s_death_is_the_command_s(void **state)
{
	char *argv[] = {"sh", "-c", "echo; kill -STOP $$; echo", NULL}, text[1];
	struct launch l;
	bool exec_failed;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], 1);
		_exit(launch_start_held(&l, "/bin/sh", argv, false, 0, &exec_failed, NULL) ||
		      pause());
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], text, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(read(ends[0], text, 1), 0);
	close(ends[0]);
}

static void a_signal_sent_to_us_is_passed_on(void **state)
{
	(void)state;
	/* by a grandchild: what comes from the command itself is not sent back to it */
	assert_int_equal(run_script("trap 'exit 9' USR1; sh -c 'kill -USR1 $1' sh $PPID & "
				    "while :; do sleep 0.05; done"),
			 9);
}

/* SIGINT and SIGQUIT as well, where a process sends them and not the terminal; once each. Where
 * these tests were started in the background they are ignored. */
static void an_interrupt_sent_to_us_alone_is_passed_on(void **state)
{
	void (*before[])(int) = {signal(SIGINT, SIG_DFL), signal(SIGQUIT, SIG_DFL)};

	(void)state;
	assert_int_equal(run_script("n=0; trap 'n=$((n+1))' INT; trap 'exit $((n+10))' QUIT; "
				    "sh -c 'kill -INT $1; sleep 0.2; kill -QUIT $1' sh $PPID & "
				    "while :; do sleep 0.05; done"),
			 11);
	signal(SIGINT, before[0]);
	signal(SIGQUIT, before[1]);
}

/* What one who watches was told. */
struct told {
	pid_t born, ended;
	bool ours, zombie;
	int ticks, pipe; /* a byte for each tick */
};

static void note_birth(void *told, pid_t pid)
{
	struct told *t = told;
	char path[64], its[256] = "", own[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	t->born = pid;
	t->ours = readlink(path, its, sizeof(its) - 1) > 0 &&
		  readlink("/proc/self/exe", own, sizeof(own) - 1) > 0 && !strcmp(its, own);
}

static void note_tick(void *told)
{
	struct told *t = told;

	t->ticks++;
	if (write(t->pipe, "\n", 1) < 0)
		_exit(7);
}

static void note_end(void *told, pid_t pid)
{
	struct told *t = told;
	char path[64], text[512] = "", *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "r");
	t->ended = pid;
	if (!file)
		return;
	size_t length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	end = strrchr(text, ')');
	t->zombie = end && end[2] == 'Z';
}

/* Status 0: all as launch.h has it. The command ends when it has heard of a tick, be that early or
 * late. */
static int watch_one(void)
{
	char script[64], *argv[] = {"sh", "-c", script, NULL};
	int heard[2];

	if (pipe(heard))
		return 1;
	struct told t = {.pipe = heard[1]};
	snprintf(script, sizeof(script), "read tick <&%d; exit 9", heard[0]);
	const struct launch_hold hold = {note_birth, &t};
	const struct launch_watch watch = {1, note_tick, note_end, &t};
	struct rusage usage = {0};
	struct launch l;
	bool exec_failed;

	if (launch_start_held(&l, "/bin/sh", argv, false, 0, &exec_failed, &hold))
		return 1;
	int status = launch_exit_status(launch_wait_watched(&l, &watch, &usage));
	if (status != 9 || l.ended_by)
		return 2;
	if (t.born != l.pid || !t.ours)
		return 3; /* told too late: it was the command already */
	if (t.ended != l.pid || !t.zombie || !t.ticks)
		return 4;
	if (!usage.ru_utime.tv_sec && !usage.ru_utime.tv_usec && !usage.ru_stime.tv_usec)
		return 5;
	return waitpid(l.pid, NULL, 0) == -1 && errno == ECHILD ? 0 : 6;
}

static void one_who_watches_is_told_before_and_after(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(watch_one());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static const char *preload_after(const struct environment *e, const char *user)
{
	setenv("LD_PRELOAD", user, 1);
	assert_int_equal(environment_set(e), 0);
	return getenv("LD_PRELOAD");
}

/* The first definition is the one that is called. */
static void the_library_comes_first_but_for_sanitizers(void **state)
{
	struct environment e = {.library = "/x/libscprof.so",
				.before = "",
				.stubs = "/r/stubs.so",
				.profiles = "/p",
				.clock = SCP_CLOCK_TSC};

	(void)state;
	assert_string_equal(preload_after(&e, "libjemalloc.so.2 : liba.so"),
			    "/r/stubs.so:/x/libscprof.so:libjemalloc.so.2:liba.so");
	assert_string_equal(
		preload_after(
			&e,
			"liba.so:/usr/lib/libasan.so.8:libtsan.so.2:libclang_rt.asan-x86_64.so"),
		"/usr/lib/libasan.so.8:libtsan.so.2:libclang_rt.asan-x86_64.so:/r/stubs.so:/x/"
		"libscprof.so:liba.so");
	e.before = "libasan.so.8";
	assert_string_equal(preload_after(&e, "liba.so"),
			    "libasan.so.8:/r/stubs.so:/x/libscprof.so:liba.so");
	assert_string_equal(preload_after(&e, "liba.so libasan.so.8"),
			    "libasan.so.8:/r/stubs.so:/x/libscprof.so:liba.so");
	e.before = "";
	e.stubs = NULL; /* whoever names the library has set its place, with stubs before it */
	assert_string_equal(preload_after(&e, "/u/stubs.so:/x/libscprof.so liba.so"),
			    "/u/stubs.so:/x/libscprof.so:liba.so");
	assert_string_equal(preload_after(&e, "/u/stubs.so:/y/libscprof.so"),
			    "/u/stubs.so:/y/libscprof.so:/x/libscprof.so");
	unsetenv("LD_PRELOAD");
}

static void preloading_keeps_what_the_user_has(void **state)
{
	struct environment e = {.library = "/x/libscprof.so",
				.before = "",
				.profiles = "/p",
				.clock = SCP_CLOCK_TSC};

	(void)state;
	setenv("LD_PRELOAD", "liba.so libb.so", 1);
	setenv("SCPROF_CLOCK_PAGE", "stale", 1);
	assert_int_equal(environment_set(&e), 0);
	assert_string_equal(getenv("LD_PRELOAD"), "/x/libscprof.so:liba.so:libb.so");
	assert_null(getenv("SCPROF_CLOCK_PAGE"));
	assert_string_equal(getenv("SCPROF_CLOCK"), "tsc");
	assert_int_equal(environment_set(&e), 0); /* once is enough */
	assert_string_equal(getenv("LD_PRELOAD"), "/x/libscprof.so:liba.so:libb.so");
	e.before = "libasan.so.8";
	unsetenv("LD_PRELOAD");
	assert_int_equal(environment_set(&e), 0);
	assert_string_equal(getenv("LD_PRELOAD"), "libasan.so.8:/x/libscprof.so");
	unsetenv("LD_PRELOAD");
	assert_false(environment_can_preload("/a b/libscprof.so"));
	assert_false(environment_can_preload("/a:b/libscprof.so"));
	assert_true(environment_can_preload("/a/libscprof.so"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_are_told_as_a_shell_does),
		cmocka_unit_test(a_failed_exec_is_told_with_its_reason),
		cmocka_unit_test(a_file_without_a_first_line_goes_to_the_shell),
		cmocka_unit_test(the_status_is_not_lost_where_children_are_ignored),
		cmocka_unit_test(the_command_gets_our_signal_state_and_descriptors),
		cmocka_unit_test(an_alarm_is_the_command_s),
		cmocka_unit_test(the_parent_s_death_is_the_command_s),
		cmocka_unit_test(a_signal_sent_to_us_is_passed_on),
		cmocka_unit_test(an_interrupt_sent_to_us_alone_is_passed_on),
		cmocka_unit_test(one_who_watches_is_told_before_and_after),
		cmocka_unit_test(the_library_comes_first_but_for_sanitizers),
		cmocka_unit_test(preloading_keeps_what_the_user_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
