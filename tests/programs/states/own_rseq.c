// SPDX-License-Identifier: GPL-3.0-or-later
/* A program that uses restartable sequences itself, as librseq and tcmalloc do, and leaves rseq_cs
 * at its own descriptor, as tcmalloc does. `own_rseq MODE N`:
 *   count    THREADS threads count to N each, by CPU, while a timer's handler exchanges bytes
 *   regions  N regions `counting`, in which it counts, and N regions `pausing`, in which it also
 *            sleeps for 1 ms
 * Says "absent" where there is no such thing. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "scprof.h"
#include "target.h"

#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

#define THREADS 4

static long counted[CPU_SETSIZE];
static _Atomic long in_handlers; /* counts */
static int pair[2];

static struct rseq *own_area(void)
{
	return (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

/* Adds 1 to the counter of the CPU that it runs on, without a lock: false where it was switched
 * or interrupted meanwhile. The kernel looks for the signature before label 4. */
static bool try_to_count(struct rseq *area)
{
	uint32_t cpu = *(volatile uint32_t *)&area->cpu_id_start;

	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
		     ".balign 32\n"
		     "3: .long 0, 0\n"
		     ".quad 1f, 2f - 1f, 4f\n"
		     ".popsection\n"
		     "leaq 3b(%%rip), %%rax\n"
		     "movq %%rax, %[cs]\n"
		     "1: cmpl %[cpu], %[cpu_id]\n"
		     "jnz %l[failed]\n"
		     "movq %[counter], %%rax\n"
		     "movl $100, %%ecx\n"
		     "5: decl %%ecx\n" /* long enough to be interrupted */
		     "jnz 5b\n"
		     "incq %%rax\n"
		     "movq %%rax, %[counter]\n"
		     "2:\n"
		     ".pushsection __rseq_failure, \"ax\"\n"
		     ".byte 0x0f, 0xb9, 0x3d\n"
		     ".long 0x53053053\n"
		     "4: jmp %l[failed]\n"
		     ".popsection\n"
		     :
		     : [cs] "m"(area->rseq_cs), [cpu_id] "m"(area->cpu_id), [cpu] "r"(cpu),
		       [counter] "m"(counted[cpu])
		     : "memory", "cc", "rax", "rcx"
		     : failed);
	return true;
failed:
	return false;
}

static void count(void)
{
	while (!try_to_count(own_area()))
		;
}

static void on_timer(int signal)
{
	(void)signal;
	count();
	atomic_fetch_add(&in_handlers, 1);
	exchange(pair);
}

static void *count_in_thread(void *n)
{
	for (long i = 0; i < *(long *)n; i++) {
		count();
		if (i % 1000 == 0)
			exchange(pair);
	}
	return NULL;
}

static void count_in_threads(long n)
{
	struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	pthread_t thread[THREADS];
	long sum = 0;

	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 1; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, count_in_thread, &n))
			die("pthread_create");
	count_in_thread(&n); /* the handler runs in this one, most likely */
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < CPU_SETSIZE; i++)
		sum += counted[i];
	sum -= in_handlers;
	say("counted %ld\n", sum);
	if (sum != n * THREADS)
		die("counting");
}

static void count_in_regions(long n)
{
	struct timespec ms = {.tv_nsec = 1000000};
	long kept = 0; /* pauses without a sleep: their time was over before */

	for (long i = 0; i < n; i++) {
		SCPROF_BEGIN("counting");
		count();
		SCPROF_END;
		long before = thread_sleeps();

		SCPROF_BEGIN("pausing");
		nanosleep(&ms, NULL);
		count();
		SCPROF_END;
		kept += thread_sleeps() == before;
	}
	say("kept %ld\n", kept);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!__rseq_size) {
		say("absent\n");
		return 0;
	}
	make_pair(pair);
	if (!strcmp(argv[1], "count"))
		count_in_threads(atol(argv[2]));
	else
		count_in_regions(atol(argv[2]));
	return 0;
}

#else

int main(void)
{
	say("absent\n");
	return 0;
}

#endif
