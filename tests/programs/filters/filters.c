// SPDX-License-Identifier: GPL-3.0-or-later
/* What filters let through and leave out: calls below functions of its own, which are local;
 * threads with names; calls while recording is stopped. What a filter would let through is for the
 * tests to say. Usage: filters WHAT TIMES (see main). */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "scprof.h"
#include "scprof_control.h"
#include "target.h"

static int pair[2];

/* Exchanges below `wanted`, directly and by way of others. */
static NOINLINE void helper(long times)
{
	exchange_times(pair, times);
	NO_TAIL_CALL();
}

static NOINLINE void wanted(long times)
{
	helper(times);
	NO_TAIL_CALL();
}

static NOINLINE void unwanted(long times)
{
	helper(times);
	NO_TAIL_CALL();
}

/* Further away than paths reach. */
static NOINLINE void dive(long depth, long times)
{
	if (depth > 0)
		dive(depth - 1, times);
	else
		exchange_times(pair, times);
	NO_TAIL_CALL();
}

static NOINLINE void wanted_far(long times)
{
	dive(230, times);
	NO_TAIL_CALL();
}

/* Calls a function; without call-frame information, so that nobody can tell who called it. */
void call_unseen(void (*f)(long times), long times);
#ifdef __x86_64__
__asm__(".text\n.globl call_unseen\n.type call_unseen, @function\ncall_unseen:\n"
	"\tsubq $8, %rsp\n\tmovq %rdi, %rax\n\tmovq %rsi, %rdi\n\tcall *%rax\n"
	"\taddq $8, %rsp\n\tret\n.size call_unseen, . - call_unseen\n");
#else
__asm__(".text\n.globl call_unseen\n.type call_unseen, %function\ncall_unseen:\n"
	"\tstp x29, x30, [sp, -16]!\n\tmov x2, x0\n\tmov x0, x1\n\tblr x2\n"
	"\tldp x29, x30, [sp], 16\n\tret\n.size call_unseen, . - call_unseen\n");
#endif

static NOINLINE void wanted_unseen(long times)
{
	call_unseen(helper, times);
	NO_TAIL_CALL();
}

/* TIMES below wanted_unseen, if one could tell; TIMES below wanted. */
static void unseen(long times)
{
	wanted_unseen(times);
	wanted(times);
}

static void *in_thread(void *times)
{
	wanted((long)times);
	unwanted(2 * (long)times);
	return NULL;
}

static void run_thread(void *(*f)(void *), void *argument)
{
	pthread_t t;

	if (pthread_create(&t, NULL, f, argument))
		die("pthread_create");
	pthread_join(t, NULL);
}

/* wanted and helper: TIMES in main, TIMES in a thread; wanted_far: TIMES. Others: as many again. */
static void below(long times)
{
	for (long i = 0; i < times; i++) {
		wanted(1);
		unwanted(2);
	}
	run_thread(in_thread, (void *)times);
	wanted_far(times);
}

static void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status)
		die("child");
}

/* TIMES below wanted in a forked child, TIMES in its thread, and all of `below` after exec. */
static void fork_and_exec(long times, char **argv)
{
	char *again[] = {argv[0], "below", argv[2], NULL};
	pid_t child = fork();

	if (!child) {
		wanted(times);
		unwanted(times);
		run_thread(in_thread, (void *)times);
		exit(0);
	}
	wait_for(child);
	child = fork();
	if (!child) {
		execv("/proc/self/exe", again);
		die("exec");
	}
	wait_for(child);
}

static void *called_itself(void *times)
{
	exchange_times(pair, (long)times); /* with the name of its creator */
	pthread_setname_np(pthread_self(), "worker-1");
	exchange_times(pair, (long)times);
	prctl(PR_SET_NAME, "idle");
	exchange_times(pair, (long)times);
	syscall(SYS_prctl, PR_SET_NAME, "worker-2");
	exchange_times(pair, (long)times);
	return NULL;
}

static pthread_barrier_t barrier;

static void *called_by_another(void *times)
{
	exchange_times(pair, (long)times);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier); /* meanwhile it is called worker-3 */
	exchange_times(pair, (long)times);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier); /* ...and then "done" */
	exchange_times(pair, (long)times);
	return NULL;
}

/* Three times TIMES by threads called worker-..., four times by others, TIMES by main. */
static void threads(long times)
{
	static const char *const names[] = {"worker-3", "done"};
	pthread_t t;

	for (char **e = environ; *e; e++) /* as programs do that show a title */
		if (!strncmp(*e, "SCPROF_", 7))
			memset(*e, 0, strlen(*e));

	exchange_times(pair, times);
	run_thread(called_itself, (void *)times);
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&t, NULL, called_by_another, (void *)times))
		die("pthread_create");
	for (int i = 0; i < 2; i++) {
		pthread_barrier_wait(&barrier);
		pthread_setname_np(t, names[i]);
		pthread_barrier_wait(&barrier);
	}
	pthread_join(t, NULL);
}

static void *stays_alive(void *times)
{
	for (int i = 0; i < 3; i++) {
		exchange_times(pair, (long)times);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* Recorded: TIMES, stopped: 2 TIMES, recorded: 3 TIMES, and TIMES each by another thread, whose
 * second time is while recording is stopped. Markers lie across all borders. */
static void stop_and_start(long times)
{
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&t, NULL, stays_alive, (void *)times))
		die("pthread_create");
	pthread_barrier_wait(&barrier);
	SCPROF_BEGIN("whole");
	SCPROF_POINT("one");
	exchange_times(pair, times);
	SCPROF_POINT("two");
	SCPROF_STOP;
	exchange_times(pair, times);
	SCPROF_BEGIN("while stopped");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	usleep(250000); /* more than 200 ms by any clock */
	SCPROF_END;
	exchange_times(pair, times);
	SCPROF_START;
	SCPROF_BEGIN("after");
	exchange_times(pair, 3 * times);
	SCPROF_END;
	SCPROF_END; /* of "whole", which is given up */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pthread_join(t, NULL);
}

/* TIMES as it began, TIMES after SCPROF_START. */
static void start(long times)
{
	exchange_times(pair, times);
	SCPROF_START;
	exchange_times(pair, times);
}

static void in_child(long times)
{
	exchange_times(pair, times);
	SCPROF_START;
	exchange_times(pair, times);
	syscall(SYS_exit_group, 0);
}

/* Stopped by the parent, started by two children, one of which libc knows nothing of: TIMES each.
 */
static void fork_stopped(long times)
{
	pid_t child;

	SCPROF_STOP;
	child = fork();
	if (!child)
		in_child(times);
	wait_for(child);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child)
		in_child(times);
	wait_for(child);
	exchange_times(pair, times);
}

/* Nothing else happens between the exchanges of two visits: no path is new. */
static void stop_between(long times)
{
	for (long i = 0; i < times; i++) {
		wanted(1);
		SCPROF_STOP;
		usleep(1000);
		SCPROF_START;
	}
}

/* By which the tool starts and stops recording (scprof_control.h); always 1 under a bare
 * LD_PRELOAD. */
static const uint64_t *control_word(void)
{
	static const uint64_t always = 1;
	const char *path = getenv("SCPROF_CONTROL");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
	const struct scp_control_page *page;

	if (fd < 0)
		return &always;
	page = mmap(NULL, SCP_CONTROL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	if (page == MAP_FAILED)
		die("mmap");
	return &page->word;
}

/* Rounds of TIMES until a file `stop` is there. Says so when it has begun, and in the file `rounds`
 * after each round: whether recording is on, how often that has changed, and how many rounds there
 * have been since. At the end: the exchanges that must be on record, and those that may be. */
static void endless(long times)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "rounds", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	const uint64_t *control = control_word();
	uint64_t before = __atomic_load_n(control, __ATOMIC_ACQUIRE);
	long rounds = 0, must = 0, may = 0;
	char line[64];

	say("begun\n");
	while (access("stop", F_OK)) {
		exchange_times(pair, times);
		uint64_t word = __atomic_load_n(control, __ATOMIC_ACQUIRE);
		bool same = word == before;

		rounds = same ? rounds + 1 : 0;
		must += same && (word & 1) ? times : 0;
		may += !same || (word & 1) ? times : 0;
		before = word;
		snprintf(line, sizeof line, "%-3s %10lu %20ld\n", word & 1 ? "on" : "off",
			 (unsigned long)((uint32_t)word >> 1), rounds);
		if (fd < 0 || syscall(SYS_pwrite64, fd, line, strlen(line), 0) < 0)
			die("rounds");
		usleep(1000);
	}
	say("%ld to %ld exchanges on record\n", must, may);
}

static int working = 3, cycles;

/* Calls on many paths, markers round them, and other names; until recording has stopped and
 * started some times. */
static void *work(void *times)
{
	int own[2];

	make_pair(own);
	for (long i = 0; i < 200 * (long)times || __atomic_load_n(&cycles, __ATOMIC_RELAXED) < 20;
	     i++) {
		SCPROF_BEGIN("round");
		SCPROF_POINT("first");
		exchange_below(own, (int)(i % 17));
		SCPROF_BEGIN("half");
		exchange_below(own, (int)(i % 5));
		SCPROF_POINT("second");
		SCPROF_END;
		SCPROF_END;
		if (i % 100 == 0)
			pthread_setname_np(pthread_self(), i % 200 ? "even" : "odd");
	}
	close(own[0]);
	close(own[1]);
	__atomic_sub_fetch(&working, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Stopped and started all the time while three threads are at it. */
static void storm(long times)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, work, (void *)times))
			die("pthread_create");
	while (__atomic_load_n(&working, __ATOMIC_SEQ_CST)) {
		SCPROF_STOP;
		exchange(pair);
		usleep(200);
		SCPROF_START;
		exchange(pair);
		usleep(200);
		__atomic_add_fetch(&cycles, 1, __ATOMIC_RELAXED);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static NOINLINE void in_region(long times)
{
	for (long i = 0; i < times; i++) {
		SCPROF_BEGIN("inner");
		exchange(pair);
		SCPROF_END;
	}
	NO_TAIL_CALL();
}

/* A region round everything, one in `in_region`, points in main. */
static void regions(long times)
{
	SCPROF_BEGIN("outer");
	for (long i = 0; i < times; i++) {
		SCPROF_POINT("begin");
		in_region(1);
		exchange(pair);
		SCPROF_POINT("end");
	}
	SCPROF_END;
}

static jmp_buf back;
static bool leaving;
static uintptr_t place;

static NOINLINE int compare(const void *a, const void *b)
{
	char here;

	(void)a, (void)b;
	place = (uintptr_t)&here;
	helper(1);
	if (leaving)
		longjmp(back, 1);
	return 0;
}

/* On the stack where qsort's frames were, so that `compare` lies where it lay in qsort. */
static NOINLINE void compare_at(uintptr_t where)
{
	static uintptr_t room;
	volatile char *gap = __builtin_alloca(room + 16);

	gap[0] = 0;
	leaving = false;
	compare(NULL, NULL);
	room += place - where; /* right from the second time on */
	NO_TAIL_CALL();
}

/* qsort is left by longjmp from its first comparison, and what it called is called again from
 * elsewhere, in the same place (but for the first time): two exchanges each time, one of them
 * inside qsort. Says where the second one was in the end. */
static void leave_qsort(long times)
{
	uintptr_t inside = 0;

	for (volatile long i = 0; i < times; i++) {
		int numbers[2] = {2, 1};

		leaving = true;
		if (!setjmp(back))
			qsort(numbers, 2, sizeof *numbers, compare);
		inside = place;
		compare_at(inside);
	}
	say("%s place\n", place == inside ? "the same" : "another");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long times);
	} known[] = {{"below", below},
		     {"unseen", unseen},
		     {"storm", storm},
		     {"threads", threads},
		     {"stop-and-start", stop_and_start},
		     {"start", start},
		     {"fork-stopped", fork_stopped},
		     {"stop-between", stop_between},
		     {"endless", endless},
		     {"regions", regions},
		     {"leave-qsort", leave_qsort}};
	long times = argc > 2 ? atol(argv[2]) : 10;

	make_pair(pair);
	if (argc > 1 && !strcmp(argv[1], "fork-and-exec"))
		fork_and_exec(times, argv);
	for (size_t i = 0; argc > 1 && i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, argv[1]))
			known[i].run(times);
	say("done\n");
	return 0;
}
