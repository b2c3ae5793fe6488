// SPDX-License-Identifier: GPL-3.0-or-later
/* The threads' CPU time a unit, from threads of this process that burn it. schedstat of a thread
 * that runs may be a tick old: so burnt are many ticks. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/causal/causal_private.h"

#define BURN_S 0.1
#define NEAR_S 0.025 /* the kernel tells it by the tick, of 10 ms at most */

static char path[64];
static struct causal_page *ours;
static struct scp_causal_page *theirs;
static sem_t burn, burnt;

static unsigned opened; /* of files that a process has open */

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);

int __wrap_open(const char *name, int flags, ...)
{
	unsigned pid, fd;

	opened += sscanf(name, "/proc/%u/fd/%u", &pid, &fd) == 2;
	return __real_open(name, flags, 0600);
}

static double own_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void burn_until(double cpu)
{
	while (own_cpu() < cpu)
		;
}

/* Burns when told to, and waits to the end; how much it was. */
static double others_cpu;

static void *other_thread(void *argument)
{
	(void)argument;
	for (;;) {
		double began;

		while (sem_wait(&burn))
			;
		began = own_cpu();
		burn_until(began + 2 * BURN_S);
		others_cpu = own_cpu() - began;
		sem_post(&burnt);
	}
	return NULL;
}

static int set_up(void **state)
{
	const struct causal_page_wishes w = {.progress = "unit", .longest_s = 1e-3};
	struct profile_error err;
	pthread_t id;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_causal_threads.%d", (int)getpid());
	ours = causal_page_create(path, &w, &err);
	fd = open(path, O_RDWR);
	theirs = mmap(NULL, sizeof(*theirs), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	sem_init(&burn, 0, 0);
	sem_init(&burnt, 0, 0);
	return !ours || theirs == MAP_FAILED || pthread_create(&id, NULL, other_thread, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	munmap(theirs, sizeof(*theirs));
	causal_page_close(ours);
	return 0;
}

static void own_block(size_t i, pid_t pid, pid_t tid)
{
	theirs->thread[i].owner = (uint64_t)pid << 32 | (uint32_t)tid;
}

static void read_page(void)
{
	struct scp_causal_thread counts;

	causal_page_read(ours, &counts);
}

/* Of 100 units: this thread's 0.1 s, of which 0.04 s are delays, and 300 calls; the other's 0.2 s
 * without a call, which no block tells of. A host may charge more: what it was is asked, too. */
static void cpu_time_is_that_without_delays(void **state)
{
	struct causal_threads t = {0};
	double before, after, began, ended;
	size_t mine;

	(void)state;
	causal_page_choose(ours, 5, 1);
	theirs->site[5].key = theirs->site[5].known = 1;
	own_block(3, getpid(), (pid_t)syscall(SYS_gettid));
	theirs->thread[3].slot[1].calls = 1000;
	read_page();
	before = own_cpu();
	causal_threads_begin(&t, ours, 50);
	began = own_cpu();
	theirs->thread[3].slot[1].calls += 300;
	theirs->thread[3].slot[1].busy += (uint64_t)causal_page_units(ours, 0.04);
	burn_until(own_cpu() + BURN_S);
	sem_post(&burn);
	while (sem_wait(&burnt))
		;
	read_page();
	ended = own_cpu();
	causal_threads_read(&t, ours, 1, 150);
	after = own_cpu();
	assert_int_equal(t.count, 2);
	mine = t.calls[0] > 0 ? 0 : 1;
	assert_true(t.calls[mine] > 2.999 && t.calls[mine] < 3.001);
	assert_true(t.calls[!mine] < 1e-9);
	assert_true(100 * t.busy[mine] > ended - began - 0.04 - NEAR_S);
	assert_true(100 * t.busy[mine] < after - before - 0.04 + NEAR_S);
	assert_true(fabs(100 * t.busy[!mine] - others_cpu) < NEAR_S);
	assert_true(t.stretch >= 1 && isfinite(t.stretch));
	causal_threads_free(&t);
	own_block(3, 0, 0);
}

/* One more end of a pipe, held by a tool that is late or stopped, and who writes to a pipe that
 * nobody reads any more gets no SIGPIPE, or who reads no end. */
static void nothing_that_a_process_has_open_is_opened(void **state)
{
	struct causal_threads t = {0};
	int ends[2];

	(void)state;
	assert_false(pipe(ends));
	own_block(3, getpid(), (pid_t)syscall(SYS_gettid));
	opened = 0;
	causal_threads_begin(&t, ours, 0);
	causal_threads_read(&t, ours, 1, 10);
	assert_int_equal(opened, 0);
	causal_threads_free(&t);
	own_block(3, 0, 0);
	close(ends[0]);
	close(ends[1]);
}

static void a_process_without_the_page_does_not_count(void **state)
{
	struct causal_threads t = {0};

	(void)state;
	own_block(3, getppid(), getppid());
	causal_threads_begin(&t, ours, 0);
	causal_threads_read(&t, ours, 1, 100);
	assert_int_equal(t.count, 0);
	assert_false(causal_page_is_mapped(ours, (uint32_t)getppid()));
	assert_true(causal_page_is_mapped(ours, (uint32_t)getpid()));
	causal_threads_free(&t);
	own_block(3, 0, 0);
}

/* It says the number 1, as it has in its own namespace. */
static void a_process_of_a_namespace_counts_by_its_numbers_there(void **state)
{
	struct causal_threads t = {0};
	pid_t inside = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);

	(void)state;
	if (!inside)
		for (;;)
			pause();
	if (inside < 0)
		skip();
	own_block(4, 1, 1);
	read_page();
	causal_threads_begin(&t, ours, 0);
	theirs->thread[4].slot[1].calls = 50;
	read_page();
	causal_threads_read(&t, ours, 1, 10);
	kill(inside, SIGKILL);
	waitpid(inside, NULL, 0);
	own_block(4, 0, 0);
	assert_int_equal(t.count, 1);
	assert_true(t.calls[0] > 4.999 && t.calls[0] < 5.001);
	causal_threads_free(&t);
}

static void what_was_known_stays_when_all_have_ended(void **state)
{
	struct causal_threads t = {0};

	(void)state;
	own_block(3, getpid(), (pid_t)syscall(SYS_gettid));
	causal_threads_begin(&t, ours, 0);
	causal_threads_read(&t, ours, 1, 0); /* no unit yet */
	assert_int_equal(t.count, 0);
	causal_threads_read(&t, ours, 1, 10);
	assert_int_equal(t.count, 2);
	own_block(3, 0, 0);
	causal_threads_read(&t, ours, 1, 20);
	assert_int_equal(t.count, 2);
	causal_threads_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_is_that_without_delays),
		cmocka_unit_test(nothing_that_a_process_has_open_is_opened),
		cmocka_unit_test(a_process_without_the_page_does_not_count),
		cmocka_unit_test(a_process_of_a_namespace_counts_by_its_numbers_there),
		cmocka_unit_test(what_was_known_stays_when_all_have_ended),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
