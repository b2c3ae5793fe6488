// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread that was borrowed goes on as if nothing had been: its registers, its system call, its
 * signals. Also when the tracer is killed at any instant. The library is one that counts
 * (tests/programs/attach/counting.c), and that the thread can be borrowed is the test's to say:
 * each program has one, of which it checks everything. */
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/attach/attach.h"
#include "collector/attach/safe_point.h"
#include "collector/attach/safe_point_lock.h"
#include "collector/attach/safe_point_objects.h"
#include "collector/attach/seccomp_filter.h"
#include "profile/live/run_files.h"
#include "tests/programs/attach/borrowed.h"

#define CYCLES 40
#define KILLS  40

struct safe_points {
	pid_t pid;
	uint64_t here, there; /* libc's code */
	size_t bytes;
};

static struct safe_points points;

/* Executable memory of libc. */
static uint64_t find_libc(pid_t pid, size_t *bytes)
{
	char path[64], line[512], how[5];
	unsigned long long start = 0, end = 0;
	uint64_t found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		if (strstr(line, "/libc.so.6") &&
		    sscanf(line, "%llx-%llx %4s", &start, &end, how) == 3 && how[2] == 'x')
			found = start;
	if (f)
		fclose(f);
	*bytes = end - start;
	return found;
}

struct safe_points *safe_points_open(pid_t pid, struct profile_error *err)
{
	(void)err;
	points.pid = pid;
	points.here = find_libc(getpid(), &points.bytes);
	points.there = find_libc(pid, &points.bytes);
	return &points;
}

void safe_points_close(struct safe_points *s)
{
	(void)s;
}

size_t safe_points_candidates(struct safe_points *s, pid_t *tids, size_t room)
{
	(void)room;
	tids[0] = s->pid;
	return 1;
}

enum safe_verdict safe_points_judge(struct safe_points *s, pid_t tid, const char **why)
{
	(void)s, (void)tid, (void)why;
	return SAFE_POINT;
}

uint64_t safe_points_function(struct safe_points *s, const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);

	return at ? (uint64_t)(uintptr_t)at - s->here + s->there : 0;
}

uint64_t safe_points_lock(const struct safe_points *s)
{
	struct safe_point_maps m = {0};
	struct safe_point_objects o = {0};
	uint64_t at = 0;

	if (safe_point_maps_read(&m, s->pid) && safe_point_objects_read(&o, s->pid, &m))
		for (size_t i = 0; i < o.count; i++)
			if (o.object[i].kind == SAFE_POINT_LOADER)
				at = safe_point_lock_find(&o.object[i], s->pid);
	safe_point_objects_free(&o);
	safe_point_maps_free(&m);
	return at;
}

void safe_points_ignore_lock(struct safe_points *s)
{
	(void)s;
}

uint64_t safe_points_code(struct safe_points *s, const uint8_t *code, size_t bytes)
{
	void *at = memmem((void *)(uintptr_t)s->here, s->bytes, code, bytes);

	return at ? (uint64_t)(uintptr_t)at - s->here + s->there : 0;
}

struct program {
	struct borrowed *says;
	struct attach_order order;
	pid_t pid;
};

static const char *const no_variables[] = {"NONE=1", NULL};

static void start_as(struct program *p, const char *kind, uid_t user)
{
	char file[] = "/tmp/test_attach.XXXXXX";
	int fd = mkstemp(file);

	assert_int_equal(ftruncate(fd, sizeof(struct borrowed)), 0);
	p->says = mmap(NULL, sizeof(struct borrowed), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p->says, MAP_FAILED);
	assert_int_equal(fchown(fd, user, (gid_t)-1), 0);
	p->pid = fork();
	if (p->pid == 0) {
		if (setuid(user) != 0)
			_exit(9);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(PROGRAM, PROGRAM, kind, file, NULL);
		_exit(9);
	}
	while (!atomic_load(&p->says->ready) && waitpid(p->pid, NULL, WNOHANG) == 0)
		usleep(1000);
	unlink(file);
	close(fd);
	p->order = (struct attach_order){
		{p->pid, run_files_process_start(p->pid, NULL)}, LIBRARY, no_variables};
}

static void start(struct program *p, const char *kind)
{
	start_as(p, kind, geteuid());
}

static void stop(struct program *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	munmap(p->says, sizeof(struct borrowed));
}

static void check_unharmed(const struct program *p, const char *kind)
{
	if (p->says->failures)
		print_error("%s: %s\n", kind, p->says->text);
	assert_int_equal(p->says->failures, 0);
	assert_int_equal(waitpid(p->pid, NULL, WNOHANG), 0);
}

static void cycle(const char *kind, int count)
{
	struct attach_result r;
	struct profile_error err = {""};
	struct program p;
	bool was;

	start(&p, kind);
	for (int i = 1; i <= count; i++) {
		if (attach_begin(&p.order, &r, &err) != 0)
			fail_msg("%s: %s", kind, err.text);
		assert_int_equal(r.threads, 1);
		assert_true(r.stopped_ms > 0 && r.stopped_ms <= r.stopped_total_ms);
		if (attach_end(&p.order.target, &r, &was, &err) != 0)
			fail_msg("%s: %s", kind, err.text);
		assert_true(was);
		assert_int_equal(r.slots.put_back, i);
	}
	check_unharmed(&p, kind);
	stop(&p);
}

static void a_waiting_thread_is_not_woken(void **state)
{
	static const char *const kinds[] = {"epoll_ever",     "accept_ever", "receive_ever",
					    "read_ever",      "futex_ever",  "signal_ever",
					    "semaphore_ever", "select_ever", "ppoll_ever"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cycle(kinds[i], CYCLES);
}

static void a_time_limit_stays(void **state)
{
	static const char *const kinds[] = {"sleep_short", "poll_timed", "futex_timed"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cycle(kinds[i], CYCLES);
}

static void registers_errno_and_signals_are_kept(void **state)
{
	static const char *const kinds[] = {"registers", "vectors", "matrices", "errno", "signals"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cycle(kinds[i], CYCLES);
}

/* Were it begun anew each time it would never end. */
static void a_sleep_goes_on_with_the_time_that_is_left(void **state)
{
	struct attach_result r;
	struct profile_error err;
	struct program p;
	bool was;

	(void)state;
	start(&p, "sleep_long");
	while (p.says->rounds < 2 && !p.says->failures) {
		assert_int_equal(attach_begin(&p.order, &r, &err), 0);
		assert_int_equal(attach_end(&p.order.target, &r, &was, &err), 0);
	}
	check_unharmed(&p, "sleep_long");
	stop(&p);
}

/* One attempt, whose tracer is killed after `us` microseconds. */
static void attempt_and_kill(const struct program *p, bool begin, unsigned int us)
{
	struct attach_result r;
	struct profile_error err;
	char path[64];
	int tracer = 0;
	bool was;
	FILE *f;
	pid_t tool = fork();

	if (tool == 0) {
		if (begin)
			attach_begin(&p->order, &r, &err);
		else
			attach_end(&p->order.target, &r, &was, &err);
		_exit(0);
	}
	usleep(us);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)tool, (int)tool);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &tracer) == 1)
		kill(tracer, SIGKILL);
	if (f)
		fclose(f);
	waitpid(tool, NULL, 0);
}

static void kill_tracers(const char *kind)
{
	struct attach_result r;
	struct profile_error err;
	struct program p;
	unsigned long rounds;
	bool was;

	start(&p, kind);
	for (int i = 0; i < KILLS && !p.says->failures; i++)
		attempt_and_kill(&p, i % 2 == 0, (unsigned int)(random() % 3000));
	/* a thread that makes its call alone is not there yet */
	while (attach_end(&p.order.target, &r, &was, &err) != 0 &&
	       strstr(err.text, "another scprof"))
		usleep(1000);
	assert_int_equal(attach_begin(&p.order, &r, &err), 0);
	assert_int_equal(attach_end(&p.order.target, &r, &was, &err), 0);
	rounds = p.says->rounds;
	while (!strstr(kind, "_ever") && p.says->rounds == rounds && !p.says->failures)
		usleep(1000);
	check_unharmed(&p, kind);
	stop(&p);
}

/* Of calls that the kernel restarts: where it does not, a tracer that is killed within the few
 * microseconds before it has made it do so leaves EINTR. */
static void a_killed_tracer_leaves_all_as_it_was(void **state)
{
	static const char *const kinds[] = {"read_ever",  "futex_ever", "ppoll_ever", "sleep_short",
					    "poll_timed", "registers",	"vectors",    "matrices",
					    "errno",	  "signals"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		kill_tracers(kinds[i]);
}

static void expect_failure(const struct attach_order *o, const char *text)
{
	struct attach_result r;
	struct profile_error err = {""};

	assert_int_equal(attach_begin(o, &r, &err), -1);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" instead of \"%s\"", err.text, text);
}

static void what_fails_is_said_and_leaves_nothing(void **state)
{
	static const char *const refuse[] = {"REFUSE=1", NULL}, *const fault[] = {"FAULT=1", NULL};
	struct program p;
	struct attach_order o;
	struct attach_result r;
	struct profile_error err;
	bool was = true;

	(void)state;
	start(&p, "registers");
	assert_int_equal(attach_end(&p.order.target, &r, &was, &err), 0);
	assert_false(was);
	o = p.order;
	o.library = "/nowhere/libscprof.so";
	expect_failure(&o, "/nowhere/libscprof.so: cannot open shared object file");
	o = p.order;
	o.variables = refuse;
	expect_failure(&o, "did not understand the order");
	o.variables = fault;
	expect_failure(&o, "signal 11");
	o = p.order;
	o.target.process_start++;
	expect_failure(&o, "has ended");
	assert_int_equal(attach_begin(&p.order, &r, &err), 0);
	expect_failure(&p.order, "is recorded already");
	check_unharmed(&p, "registers");
	kill(p.pid, SIGSTOP);
	assert_int_equal(waitpid(p.pid, NULL, WUNTRACED), p.pid);
	assert_int_equal(attach_end(&p.order.target, &r, &was, &err), -1);
	assert_non_null(strstr(err.text, "kill -CONT"));
	kill(p.pid, SIGCONT);
	assert_int_equal(attach_end(&p.order.target, &r, &was, &err), 0);
	check_unharmed(&p, "registers");
	kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	expect_failure(&p.order, "has ended");
	munmap(p.says, sizeof(struct borrowed));
}

/* Root's tracer has become the program's user by then, who may not read filters. */
static void filters_are_judged_before_a_call(void **state)
{
	bool readable = seccomp_filter_readable();
	struct attach_result r;
	struct profile_error err = {""};
	struct program p;
	bool was;

	(void)state;
	start_as(&p, "filter_fine", geteuid() ? geteuid() : 65534);
	while (p.says->rounds < 1 && !p.says->failures)
		usleep(1000);
	if (!readable)
		expect_failure(&p.order, "seccomp filter cannot be read");
	else if (attach_begin(&p.order, &r, &err) != 0 ||
		 attach_end(&p.order.target, &r, &was, &err) != 0)
		fail_msg("%s", err.text);
	check_unharmed(&p, "filter_fine");
	stop(&p);
	start_as(&p, "filter_kills", geteuid() ? geteuid() : 65534);
	while (p.says->rounds < 1 && !p.says->failures)
		usleep(1000);
	expect_failure(&p.order, readable ? "its seccomp filter kills for openat"
					  : "seccomp filter cannot be read");
	check_unharmed(&p, "filter_kills");
	stop(&p);
}

/* The borrowed thread would wait for ever. What it was given for its call is gone, and it waits on
 * in its own. */
static void a_call_that_waits_for_the_loader_is_given_up(void **state)
{
	struct program p;

	(void)state;
	setenv("CONSTRUCTOR", CONSTRUCTOR_WAITS, 1);
	start(&p, "constructor");
	while (p.says->rounds < 1 && !p.says->failures)
		usleep(1000);
	expect_failure(&p.order, "another thread is inside dlopen");
	check_unharmed(&p, "constructor");
	stop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waiting_thread_is_not_woken),
		cmocka_unit_test(a_time_limit_stays),
		cmocka_unit_test(registers_errno_and_signals_are_kept),
		cmocka_unit_test(a_sleep_goes_on_with_the_time_that_is_left),
		cmocka_unit_test(a_killed_tracer_leaves_all_as_it_was),
		cmocka_unit_test(what_fails_is_said_and_leaves_nothing),
		cmocka_unit_test(filters_are_judged_before_a_call),
		cmocka_unit_test(a_call_that_waits_for_the_loader_is_given_up),
	};

#ifdef __x86_64__
	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	(void)tests;
	return 0;
#endif
}
