// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls that sleep, and calls that never do. Each process says at its end of how many pauses the
 * kernel counts no sleep: the time of a pause may be over before it sleeps, where the host took the
 * CPU. `slept MODE N`:
 *   pause    N times poll of nothing for 1 ms
 *   warming  the same, but the first two take 30 ms
 *   seen     N times recv, each given its byte after it was seen asleep; says the ns from then on
 *   rarely   N regions `rare`, of which every 50th pauses
 *   never    N exchanges of a byte at each of DEPTHS depths of the stack
 *   threads  pause in each of THREADS threads
 *   beside   pause, and a thread without a call computes for BESIDE_NS, and says how long it did
 *   forked   pause in the process, its child, and after it
 *   nested   N regions `outer` that pause, each followed by a region `computing`
 *   handler  N regions `interrupted`, in which a signal's handler pauses
 *   jumped   as `seen`, but a handler leaves recv by siglongjmp; then `computing`, and a pause
 */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

#include "scprof.h"
#include "target.h"

#define DEPTHS	  150
#define THREADS	  4
#define BESIDE_NS 50000000
#define ASLEEP_NS 5000000 /* far longer than a busy CPU looks for other work before it sleeps */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static atomic_long kept; /* pauses without a sleep */

static void pause_for(int ms)
{
	long before = thread_sleeps();

	if (poll(NULL, 0, ms))
		die("poll");
	kept += thread_sleeps() == before;
}

static void pause_times(long n)
{
	for (long i = 0; i < n; i++)
		pause_for(1);
}

static void pause_after_long_ones(long n)
{
	volatile int ms[] = {1, 30}; /* one call site */

	for (long i = 0; i < n; i++)
		pause_for(ms[i < 2]);
}

static void compute(void)
{
	static volatile unsigned long sum;

	SCPROF_BEGIN("computing");
	for (int i = 0; i < 10000; i++)
		sum += (unsigned long)i;
	SCPROF_END;
}

/* ---- one thread falls asleep, another sees it ---- */

static struct {
	int pair[2];
	long tid;
	_Atomic bool waiting; /* about to fall asleep in recv, and nowhere else */
	bool interrupt;	      /* by a signal; else a byte */
	uint64_t asleep_ns;
} sleeper;
static pthread_t sleeping_thread;

/* Raw calls: what watches is no recorded thread. */
static char state_of_sleeper(void)
{
	char path[64], text[256], *after;
	long fd, n;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", sleeper.tid);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	n = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	if (n <= 0)
		die("reading a thread's state");
	text[n] = 0;
	after = strrchr(text, ')');
	return after ? after[2] : '?';
}

static void *wake_when_asleep(void *times)
{
	for (long i = 0; i < *(long *)times; i++) {
		while (!atomic_load(&sleeper.waiting) || state_of_sleeper() != 'S')
			;
		uint64_t seen = now_ns();
		while (now_ns() < seen + ASLEEP_NS)
			;
		atomic_store(&sleeper.waiting, false);
		sleeper.asleep_ns += now_ns() - seen;
		if (sleeper.interrupt)
			pthread_kill(sleeping_thread, SIGUSR1);
		else if (syscall(SYS_sendto, sleeper.pair[1], "x", 1L, 0L, NULL, 0L) != 1)
			die("sendto");
	}
	return NULL;
}

static sigjmp_buf out;

static void jump_out(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

static NOINLINE void fall_asleep(void)
{
	char c;

	atomic_store(&sleeper.waiting, true);
	if (sleeper.interrupt && sigsetjmp(out, 1))
		return;
	if (recv(sleeper.pair[0], &c, 1, 0) != 1)
		die("recv");
}

static void fall_asleep_times(long n, bool interrupt)
{
	pthread_t waker;

	make_pair(sleeper.pair);
	sleeper.tid = syscall(SYS_gettid);
	sleeper.interrupt = interrupt;
	sleeping_thread = pthread_self();
	signal(SIGUSR1, jump_out);
	if (pthread_create(&waker, NULL, wake_when_asleep, &n))
		die("pthread_create");
	for (long i = 0; i < n; i++) {
		fall_asleep();
		if (interrupt) {
			compute();
			pause_times(1);
		}
	}
	pthread_join(waker, NULL);
	say("asleep_ns %llu\n", (unsigned long long)sleeper.asleep_ns);
}

/* ---- the other modes ---- */

static void never_sleep(long n)
{
	int pair[2];

	make_pair(pair);
	for (int depth = 0; depth < DEPTHS; depth++)
		for (long i = 0; i < n; i++)
			exchange_below(pair, depth);
}

static void *pause_in_thread(void *n)
{
	pause_times(*(long *)n);
	return NULL;
}

static void pause_in_threads(long n)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, pause_in_thread, &n))
			die("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void *compute_beside(void *ns)
{
	struct timespec t = {0, 0};

	while (t.tv_sec == 0 && t.tv_nsec < BESIDE_NS)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	*(uint64_t *)ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return NULL;
}

static void pause_beside(long n)
{
	uint64_t ns;
	pthread_t thread;

	if (pthread_create(&thread, NULL, compute_beside, &ns))
		die("pthread_create");
	pause_times(n);
	pthread_join(thread, NULL);
	say("beside_ns %llu\n", (unsigned long long)ns);
}

static void pause_in_child(long n)
{
	int status;
	pid_t child;

	pause_times(n);
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0)
		kept = 0;
	pause_times(n);
	if (child == 0)
		return;
	if (waitpid(child, &status, 0) != child || status)
		die("the child");
}

static void pause_nested(long n)
{
	for (long i = 0; i < n; i++) {
		SCPROF_BEGIN("outer");
		pause_times(1);
		SCPROF_END;
		compute();
	}
}

static void pause_rarely(long n)
{
	for (long i = 0; i < n; i++) {
		SCPROF_BEGIN("rare");
		if (i % 50 == 49)
			pause_for(1);
		SCPROF_END;
	}
}

static void pause_in_handler(int signal)
{
	(void)signal;
	pause_times(1);
}

static void be_interrupted(long n)
{
	signal(SIGUSR1, pause_in_handler);
	for (long i = 0; i < n; i++) {
		SCPROF_BEGIN("interrupted");
		raise(SIGUSR1);
		SCPROF_END;
		compute();
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc == 3 ? argv[1] : "";
	long n = argc == 3 ? atol(argv[2]) : 0;

	if (!strcmp(mode, "pause"))
		pause_times(n);
	else if (!strcmp(mode, "warming"))
		pause_after_long_ones(n);
	else if (!strcmp(mode, "seen"))
		fall_asleep_times(n, false);
	else if (!strcmp(mode, "rarely"))
		pause_rarely(n);
	else if (!strcmp(mode, "never"))
		never_sleep(n);
	else if (!strcmp(mode, "threads"))
		pause_in_threads(n);
	else if (!strcmp(mode, "beside"))
		pause_beside(n);
	else if (!strcmp(mode, "forked"))
		pause_in_child(n);
	else if (!strcmp(mode, "nested"))
		pause_nested(n);
	else if (!strcmp(mode, "handler"))
		be_interrupted(n);
	else if (!strcmp(mode, "jumped"))
		fall_asleep_times(n, true);
	else
		return 2;
	say("kept %ld\n", kept);
	return 0;
}
