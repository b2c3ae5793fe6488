// SPDX-License-Identifier: GPL-3.0-or-later
/* What a switch to another task and back does to the fluid's balance of charged time and
 * progress. The kernel fixes the moment of a switch when the other task is woken, while the fluid
 * still runs until the interrupt arrives: it progresses more than it is charged. What the kernel
 * does after the switch back is charged to the fluid and no progress. The sum is some tenths of a
 * microsecond, or microseconds where switching the address space is expensive, of either sign.
 *
 * A thread of the fluid's kind runs windows of a millisecond; a helper that sleeps on its CPU is
 * woken from another CPU every 20 us in every second window. The helper is a process, as programs
 * are: a switch to a thread of one's own leaves out the address space. The result is the difference
 * of consecutive windows, divided by switches.
 *
 * A wake-up on the same CPU (by a timer, a packet, a process that ran there) needs no interrupt:
 * then the thread wakes the helper itself, in every second window. */
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/clocks/counter.h"
#include "collector/displacement/displace_private.h"
#include "collector/machine/cpus.h"
#include "collector/displacement/fluid/fluid_private.h"

#define WINDOW_NS  1000000
#define BETWEEN_NS 20000 /* time between two wake-ups */
#define PAIRS	   151
#define PAUSE_NS   1000000 /* after each pair, for tasks that had to wait */
#define MEASURER   1	   /* real-time priorities */
#define SLEEPER	   2
#define LEAST_SEEN 10 /* minimum number of switches in a window */

/* Memory shared with the helper. */
struct probe {
	int cpu, other;
	double units_per_ns, longest_s;
	bool here;		  /* wake-ups come from the same CPU */
	bool first;		  /* real-time priority was granted */
	atomic_uint word, nobody; /* the helper sleeps on the first */
	atomic_uint waking;
	atomic_bool stop;
	struct fluid_loop loop;
	double with[PAIRS], without[PAIRS]; /* seconds per switch */
	size_t pairs;
	atomic_bool refused;
};

static long futex(atomic_uint *word, int operation, unsigned value)
{
	return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static bool come_first(int priority)
{
	const struct sched_param first = {.sched_priority = priority};

	return !sched_setscheduler(0, SCHED_FIFO, &first);
}

static void sleeper(struct probe *p)
{
	unsigned seen = 0;

	if (cpus_pin(p->cpu))
		atomic_store(&p->refused, true);
	come_first(SLEEPER);
	while (!atomic_load(&p->stop)) {
		futex(&p->word, FUTEX_WAIT, seen);
		seen = atomic_load(&p->word);
	}
}

/* A process that sends no SIGCHLD at its end, which would disturb waiting for other
 * children. */
static pid_t start_sleeper(struct probe *p)
{
	pid_t parent = getpid(), pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "scprof-switch");
	if (getppid() == parent)
		sleeper(p);
	_exit(0);
}

static void *waker(void *argument)
{
	struct probe *p = argument;
	uint64_t next = 0;

	if (cpus_pin(p->other))
		atomic_store(&p->refused, true);
	come_first(SLEEPER);
	while (!atomic_load(&p->stop)) {
		uint64_t now = clocks_read_raw_ns();

		futex(&p->waking, FUTEX_WAIT, 0);
		if (now < next) {
			counter_pause();
			continue;
		}
		next = now + BETWEEN_NS;
		atomic_fetch_add(&p->word, 1);
		futex(&p->word, FUTEX_WAKE, 1);
	}
	return NULL;
}

static void end_waker(struct probe *p)
{
	atomic_store(&p->stop, true);
	atomic_store(&p->waking, 1);
	futex(&p->waking, FUTEX_WAKE, 1);
}

static double lost_cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (double)u.ru_nivcsw;
}

/* Charged time minus progress in a window, seconds, while waking the sleeper on `word` repeatedly
 * (NULL: nobody); *switches: number of times that it lost its CPU. */
static double window(struct probe *p, atomic_uint *word, double *switches)
{
	double before = lost_cpu();
	uint64_t slice = (uint64_t)((word ? BETWEEN_NS : WINDOW_NS) * p->units_per_ns);
	uint64_t charged = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID), at = fluid_thread_now();
	uint64_t end = at + (uint64_t)(WINDOW_NS * p->units_per_ns);

	fluid_loop_clear(&p->loop);
	while (at < end) {
		at = fluid_loop_run(&p->loop, fluid_thread_now(), at + slice);
		if (!word)
			continue;
		atomic_fetch_add(word, 1);
		futex(word, FUTEX_WAKE, 1);
	}
	charged = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID) - charged;
	*switches = lost_cpu() - before;
	struct fluid_chunks c = fluid_loop_chunks(&p->loop);
	return ((double)charged - c.mean * p->loop.chunks / p->units_per_ns) / 1e9;
}

static void pair_of_windows(struct probe *p, double *with, double *many, double *without,
			    double *few)
{
	if (p->here) {
		*with = window(p, &p->word, many);
		*without = window(p, &p->nobody, few);
		return;
	}
	atomic_store(&p->waking, 1);
	futex(&p->waking, FUTEX_WAKE, 1);
	*with = window(p, NULL, many);
	atomic_store(&p->waking, 0);
	*without = window(p, NULL, few);
}

/* Runs before all ordinary tasks, or like the fluid. */
static bool take_place(struct probe *p)
{
	const struct sched_param none = {0};

	p->first = come_first(MEASURER);
	return p->first || !sched_setscheduler(0, SCHED_IDLE, &none);
}

static void *measure(void *argument)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct probe *p = argument;
	uint64_t end = clocks_read_raw_ns() + (uint64_t)(p->longest_s * 1e9);

	fluid_loop_begin(&p->loop, p->units_per_ns);
	if (cpus_pin(p->cpu) || !take_place(p))
		atomic_store(&p->refused, true);
	while (!atomic_load(&p->refused) && p->pairs < PAIRS && clocks_read_raw_ns() < end) {
		double many, few, with, without;

		if (p->first)
			nanosleep(&pause, NULL);
		pair_of_windows(p, &with, &many, &without, &few);
		if (many < few + LEAST_SEEN)
			continue; /* the waker had no CPU */
		p->with[p->pairs] = with / (many - few);
		p->without[p->pairs++] = without / (many - few);
	}
	end_waker(p);
	return NULL;
}

static void run_all(struct probe *p)
{
	void *(*const body[])(void *) = {measure, waker};
	const int threads = p->here ? 1 : 2;
	pid_t helper = start_sleeper(p);
	pthread_t thread[2];
	int started = 0;

	if (helper < 0)
		return;
	while (started < threads && !pthread_create(&thread[started], NULL, body[started], p))
		started++;
	if (started < threads)
		end_waker(p);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	kill(helper, SIGKILL);
	while (waitpid(helper, NULL, __WALL) < 0 && errno == EINTR)
		continue;
}

static int another_cpu(int cpu)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	for (int other = 0; other < CPU_SETSIZE; other++)
		if (other != cpu && CPU_ISSET(other, &allowed))
			return other;
	return -1;
}

struct displacement_value displace_switch_cost(int cpu, bool here, double units_per_ns,
					       double longest_s)
{
	const struct displacement_value unknown = {0, INFINITY, 1};
	struct displacement_value cost;
	int other = here ? cpu : another_cpu(cpu);
	struct probe *p = other < 0 ? MAP_FAILED
				    : mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigset_t all, before;
	double scratch[PAIRS];

	if (p == MAP_FAILED)
		return unknown;
	p->other = other;
	p->here = here;
	p->cpu = cpu;
	p->units_per_ns = units_per_ns;
	p->longest_s = longest_s;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	run_all(p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	cost = displacement_switching(p->with, p->without, p->pairs, scratch);
	munmap(p, sizeof(*p));
	return isfinite(cost.error) ? cost : unknown;
}
