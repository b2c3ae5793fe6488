// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls of known mixes of computing, waiting for a CPU and sleeping, whose truth the
 * program measures itself: docs/results/states.txt.
 *
 * Usage: known_states CALLS [SEED]     so many calls of each site; prints one JSON object
 *
 * A call is a region of scprof.h. Its lengths are drawn, so that the means of the law that
 * it follows are known (`design`). Readings of the kernel's own accounts stand at both
 * ends *inside* the region, so that what they find is what the region has; what they cost
 * is on the CPU, in both. Around `recv`, which scprof wraps, they also see what that takes. The
 * caller is pinned to one CPU, where a thread of real-time priority takes the CPU away from it for
 * a drawn time (`rival`); one of ordinary priority is beside it for some sites (`crowd`); peers are
 * on another CPU, where there is one. Helpers make raw system calls only: they are no recorded
 * threads. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/bench/accounts.h"
#include "include/scprof.h"

enum state { ON_CPU, RUNNABLE, ASLEEP, STATES };
static const char *const state_name[STATES] = {"on_cpu", "runnable", "asleep"};

/* ---- helpers ---- */

struct helper {
	void (*act)(struct helper *h, uint64_t ns);
	int wake; /* an eventfd; what is written is the time for act */
	int cpu;
	bool real_time;
	_Atomic bool ready, on;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pair[2];
static volatile uint64_t sink;

static void spin_cpu(uint64_t ns)
{
	uint64_t until = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		sink++;
}

static void act_rival(struct helper *h, uint64_t ns)
{
	(void)h;
	spin_cpu(ns);
}

static void act_crowd(struct helper *h, uint64_t ns)
{
	(void)ns;
	while (atomic_load(&h->on))
		sink++;
}

static void act_holder(struct helper *h, uint64_t ns)
{
	pthread_mutex_lock(&mutex);
	uint64_t until = now_ns(CLOCK_MONOTONIC) + ns;
	atomic_store(&h->on, true);
	while (now_ns(CLOCK_MONOTONIC) < until)
		sink++;
	pthread_mutex_unlock(&mutex);
}

static void act_peer(struct helper *h, uint64_t ns)
{
	(void)h;
	spin_cpu(ns);
	syscall(SYS_sendto, pair[1], "x", 1L, 0L, NULL, 0L);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *serve(void *argument)
{
	struct helper *h = argument;
	struct sched_param first = {.sched_priority = 1};
	uint64_t ns;

	pin(h->cpu);
	if (h->real_time && sched_setscheduler(0, SCHED_FIFO, &first))
		h->real_time = false;
	atomic_store(&h->ready, true);
	while (syscall(SYS_read, h->wake, &ns, sizeof(ns)) == sizeof(ns))
		h->act(h, ns);
	return NULL;
}

static void start(struct helper *h)
{
	pthread_t thread;

	h->wake = eventfd(0, EFD_CLOEXEC);
	if (h->wake < 0 || pthread_create(&thread, NULL, serve, h)) {
		fprintf(stderr, "known_states: cannot start a helper\n");
		exit(1);
	}
	while (!atomic_load(&h->ready))
		sched_yield();
}

static void wake(struct helper *h, uint64_t ns)
{
	if (syscall(SYS_write, h->wake, &ns, sizeof(ns)) != sizeof(ns))
		abort();
}

static struct helper rival = {.act = act_rival, .real_time = true}, crowd = {.act = act_crowd},
		     holder = {.act = act_holder}, peer = {.act = act_peer};

/* ---- what a call does ---- */

static uint64_t random_state, readings_ns;

static double draw(void) /* 0 to 1; Knuth's */
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (double)(random_state >> 11) * 0x1p-53;
}

/* What a call is to do. Lengths are even between half and one and a half times their mean. */
struct plan {
	double probability[STATES], mean_ns[STATES]; /* of the law */
	uint64_t ns[STATES];			     /* drawn */
};

static void draw_plan(struct plan *p)
{
	for (int s = 0; s < STATES; s++) {
		bool wanted = draw() < p->probability[s];
		double length = (0.5 + draw()) * p->mean_ns[s];

		p->ns[s] = wanted ? (uint64_t)length : 0;
	}
}

static void work(const struct plan *p)
{
	struct timespec pause = {.tv_nsec = (long)p->ns[ASLEEP]};

	spin_cpu(p->ns[ON_CPU]);
	if (p->ns[RUNNABLE])
		wake(&rival, p->ns[RUNNABLE]);
	if (p->ns[ASLEEP])
		nanosleep(&pause, NULL);
}

static void take_mutex(const struct plan *p)
{
	spin_cpu(p->ns[ON_CPU]);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void ask_peer(const struct plan *p)
{
	wake(&peer, p->ns[ASLEEP]);
}

static void hear_peer(const struct plan *p)
{
	char c;

	spin_cpu(p->ns[ON_CPU]);
	if (syscall(SYS_recvfrom, pair[0], &c, 1L, 0L, NULL, NULL) != 1)
		abort();
}

static void receive(const struct plan *p)
{
	char c;

	(void)p;
	if (recv(pair[0], &c, 1, 0) != 1)
		abort();
}

static void hold_mutex(const struct plan *p)
{
	atomic_store(&holder.on, false);
	wake(&holder, p->ns[ASLEEP] + p->ns[ON_CPU]);
	while (!atomic_load(&holder.on))
		sched_yield();
}

struct site {
	const char *name;
	void (*before)(const struct plan *p); /* outside of the region */
	void (*call)(const struct plan *p);
	bool crowded, wrapped; /* wrapped: the call is a function that scprof knows, no region */
	struct plan plan;
	long calls, switched, slept;
	double elapsed, sum[STATES], drawn[STATES], unexplained;
};

#define LAW(c, cpu_ns, r, runnable_ns, a, asleep_ns)                                               \
	{                                                                                          \
		{c, r, a}, {cpu_ns, runnable_ns, asleep_ns},                                       \
		{                                                                                  \
			0, 0, 0                                                                    \
		}                                                                                  \
	}
static struct site sites[] = {
	{.name = "spin", .call = work, .plan = LAW(1, 30e3, 0, 0, 0, 0)},
	{.name = "sleep", .call = work, .plan = LAW(1, 20e3, 0, 0, 1, 200e3)},
	{.name = "rival", .call = work, .plan = LAW(1, 20e3, 1, 200e3, 0, 0)},
	{.name = "mixed", .call = work, .plan = LAW(1, 20e3, 0.1, 300e3, 0.15, 200e3)},
	{.name = "mutex",
	 .before = hold_mutex,
	 .call = take_mutex,
	 .plan = LAW(1, 20e3, 0, 0, 0.5, 150e3)},
	{.name = "peer",
	 .before = ask_peer,
	 .call = hear_peer,
	 .plan = LAW(1, 20e3, 0, 0, 1, 150e3)},
	{.name = "recv",
	 .before = ask_peer,
	 .call = receive,
	 .wrapped = true,
	 .plan = LAW(0, 0, 0, 0, 1, 150e3)},
	{.name = "crowd", .call = work, .crowded = true, .plan = LAW(1, 200e3, 0, 0, 0, 0)},
	{.name = "crowd-sleep",
	 .call = work,
	 .crowded = true,
	 .plan = LAW(1, 100e3, 0, 0, 0.2, 200e3)},
};
#define SITES ((int)(sizeof(sites) / sizeof(*sites)))

#define MOST_UNEXPLAINED 50e3 /* ns; of a call that never slept */

/* A call that never slept, and has a long time that the kernel does not explain, lost its CPU in
 * the middle of a reading, after its run delay was read. */
static void add_call(struct site *s, const struct reading *first, const struct reading *last)
{
	double elapsed = (double)(last->mono - first->mono);
	double off = elapsed - (double)(last->cpu - first->cpu) - (double)readings_ns;
	double delay = (double)(last->delay - first->delay);
	bool slept = last->waits != first->waits, lost = last->losses != first->losses;
	double asleep = slept && off > delay ? off - delay : 0;

	if (!slept && lost && off > delay + MOST_UNEXPLAINED)
		delay = off;
	s->calls++;
	s->switched += slept || lost;
	s->slept += slept;
	s->elapsed += elapsed;
	s->sum[RUNNABLE] += delay;
	s->sum[ASLEEP] += asleep;
	s->sum[ON_CPU] += elapsed - delay - asleep;
	s->unexplained += slept ? 0 : off - delay;
	for (int i = 0; i < STATES; i++)
		s->drawn[i] += (double)s->plan.ns[i];
}

static __attribute__((noinline)) void make_call(struct site *s)
{
	struct reading first, last;

	draw_plan(&s->plan);
	if (s->before)
		s->before(&s->plan);
	if (!s->wrapped)
		SCPROF_BEGIN_NAMED(s->name);
	read_first(&first);
	s->call(&s->plan);
	read_last(&last);
	if (!s->wrapped)
		SCPROF_END;
	add_call(s, &first, &last);
}

/* The mean of the law: that of this run's calls, but for what their lengths were drawn above or
 * below theirs. What is not drawn (a wake-up's delay, readings) is as it was in this run. */
static void print_site(const struct site *s, bool last)
{
	double n = (double)s->calls;

	printf("\"%s\": {\"calls\": %ld, \"switched\": %ld, \"slept\": %ld, \"elapsed_ns\": %.1f, "
	       "\"unexplained_ns\": %.1f",
	       s->name, s->calls, s->switched, s->slept, s->elapsed / n, s->unexplained / n);
	for (int i = 0; i < STATES; i++)
		if (i == ON_CPU && s->wrapped)
			printf(", \"on_cpu_ns\": null");
		else
			printf(", \"%s_ns\": %.1f", state_name[i], s->sum[i] / n);
	printf(", \"design\": {");
	for (int i = 0; i < STATES; i++) {
		double law = s->plan.probability[i] * s->plan.mean_ns[i];
		bool drawn = law > 0 && (i != RUNNABLE || rival.real_time) && !s->crowded;

		if (drawn)
			printf("\"%s_ns\": %.1f", state_name[i],
			       (s->sum[i] - s->drawn[i]) / n + law);
		else
			printf("\"%s_ns\": null", state_name[i]);
		fputs(i == STATES - 1 ? "}}" : ", ", stdout);
	}
	puts(last ? "" : ",");
}

static void prepare(void)
{
	cpu_set_t allowed;
	int cpu[2] = {-1, -1};

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int i = 0; i < CPU_SETSIZE && cpu[1] < 0; i++)
		if (CPU_ISSET(i, &allowed))
			cpu[cpu[0] >= 0] = i;
	rival.cpu = crowd.cpu = cpu[0];
	holder.cpu = peer.cpu = cpu[1] < 0 ? cpu[0] : cpu[1];
	pin(cpu[0]);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	open_accounts();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
		perror("known_states: socketpair");
		exit(1);
	}
	struct helper *helpers[] = {&rival, &crowd, &holder, &peer};
	for (int i = 0; i < 4; i++)
		start(helpers[i]);
	readings_ns = readings_cost();
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 0;
	struct rusage first, last;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : now_ns(CLOCK_MONOTONIC);
	if (calls < 1) {
		fprintf(stderr, "usage: known_states CALLS [SEED]\n");
		return 2;
	}
	draw();
	getrusage(RUSAGE_THREAD, &first);
	prepare();
	for (int i = 0; i < SITES; i++) {
		atomic_store(&crowd.on, sites[i].crowded);
		if (sites[i].crowded)
			wake(&crowd, 1);
		for (long k = 0; k < calls; k++)
			make_call(&sites[i]);
		atomic_store(&crowd.on, false);
	}
	getrusage(RUSAGE_THREAD, &last);
	double cpu_s = (double)(last.ru_utime.tv_sec + last.ru_stime.tv_sec -
				first.ru_utime.tv_sec - first.ru_stime.tv_sec) +
		       (double)(last.ru_utime.tv_usec + last.ru_stime.tv_usec -
				first.ru_utime.tv_usec - first.ru_stime.tv_usec) /
			       1e6;
	printf("{\"readings_ns\": %llu, \"run_delay\": %s, \"real_time\": %s, \"cpu_s\": %.6f, "
	       "\"sites\": {\n",
	       (unsigned long long)readings_ns, schedstat < 0 ? "false" : "true",
	       rival.real_time ? "true" : "false", cpu_s);
	for (int i = 0; i < SITES; i++)
		print_site(&sites[i], i == SITES - 1);
	puts("}}");
	return 0;
}
