// SPDX-License-Identifier: GPL-3.0-or-later
/* Measures how a switch to another task and back changes the fluid's balance of charged time and
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
#include "collector/displacement/displacement_private.h"
#include "collector/machine/cpus.h"
#include "collector/displacement/fluid/fluid_private.h"

#define WINDOW_NS  1000000
#define BETWEEN_NS 20000 /* time between two wake-ups */
#define PAIRS	   151
#define PAUSE_US   1000 /* after each pair, for tasks that had to wait */
#define MEASURER   1	/* real-time priorities */
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

/* A process that sends no SIGCHLD at its end, which would disturb waiting for other children. */
static pid_t start_sleeper(struct probe *p)
{
	pid_t parent = getpid(), pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "scprof-switch");
	if (cpus_pin(p->cpu))
		atomic_store(&p->refused, true);
	come_first(SLEEPER);
	for (unsigned seen = 0; getppid() == parent && !atomic_load(&p->stop);) {
		futex(&p->word, FUTEX_WAIT, seen);
		seen = atomic_load(&p->word);
	}
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
		uint64_t now = counter_raw_ns();

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
	uint64_t charged = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID), at = counter_read_ordered();
	uint64_t end = at + (uint64_t)(WINDOW_NS * p->units_per_ns);

	fluid_loop_clear(&p->loop);
	while (at < end) {
		at = fluid_loop_run(&p->loop, counter_read_ordered(), at + slice);
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

/* Runs before all ordinary tasks, or like the fluid. */
static bool take_place(struct probe *p)
{
	const struct sched_param none = {0};

	p->first = come_first(MEASURER);
	return p->first || !sched_setscheduler(0, SCHED_IDLE, &none);
}

static void *measure(void *argument)
{
	struct probe *p = argument;
	uint64_t end = counter_raw_ns() + (uint64_t)(p->longest_s * 1e9);

	fluid_loop_begin(&p->loop, p->units_per_ns);
	if (cpus_pin(p->cpu) || !take_place(p))
		atomic_store(&p->refused, true);
	while (!atomic_load(&p->refused) && p->pairs < PAIRS && counter_raw_ns() < end) {
		double many, few, with, without;

		if (p->first)
			usleep(PAUSE_US);
		if (!p->here) {
			atomic_store(&p->waking, 1);
			futex(&p->waking, FUTEX_WAKE, 1);
		}
		with = window(p, p->here ? &p->word : NULL, &many);
		atomic_store(&p->waking, 0);
		without = window(p, p->here ? &p->nobody : NULL, &few);
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
	TEMP_FAILURE_RETRY(waitpid(helper, NULL, __WALL));
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

static struct displacement_value switch_cost(int cpu, bool here, double units_per_ns,
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

/* The two kinds of switches, and the number of each. A wake-up on the fluid's own CPU costs it some
 * tenths of a microsecond; one from another CPU takes a rescheduling interrupt, and until that
 * arrives the fluid goes on while the other task is charged: microseconds on a virtual machine, of
 * the other sign. */

/* From one measurement to the next it differs by this (root mean square), beyond the
 * error of either: a wake-up from another CPU takes as long as the host lets it. */
#define SWITCH_UNKNOWN 0.3e-6
/* And by this share of itself: beside a ping-pong over Unix sockets on two CPUs, which has no
 * softirq, it was -5.4 to -5.7 us where the measurement at the start said -6.2 to -6.8. */
#define SWITCH_OFF 0.15
/* The error if nothing was measured: 0.7 us and -7.3 us were seen on a virtual machine. */
#define SWITCH_ERROR 4e-6

void displacement_switch_measure(struct displacement *d, double units_per_ns)
{
	double longest = d->options.rest_s > 0 ? fmin(DISPLACEMENT_OPEN_S, d->options.rest_s / 2)
					       : DISPLACEMENT_OPEN_S;
	bool several = d->cpus > 1;
	int cpu = 0;

	while (!CPU_ISSET(cpu, &d->options.cpus))
		cpu++;
	d->here = switch_cost(cpu, true, units_per_ns, several ? longest / 2 : longest);
	d->away = (struct displacement_value){0, INFINITY, 1};
	if (several)
		d->away = switch_cost(cpu, false, units_per_ns, longest / 2);
	d->switching_known = isfinite(d->here.error) && (!several || isfinite(d->away.error));
	if (!d->switching_known)
		d->here = d->away = (struct displacement_value){0, SWITCH_ERROR, 30};
	d->here.error = hypot(d->here.error, SWITCH_OFF * d->here.value);
	d->away.error = hypot(d->away.error, SWITCH_OFF * d->away.value);
	d->switching = displacement_switching_of(d->here, d->away, 0, 1);
	/* it varies: half a second is valid for that half second only */
	d->switching.error = hypot(d->switching.error, SWITCH_UNKNOWN);
}

void displacement_switch_count(uint64_t *count)
{
	if (cpu_times_reschedules(count, CPU_SETSIZE))
		for (size_t i = 0; i < CPU_SETSIZE; i++)
			count[i] = UINT64_MAX;
}

void displacement_switch_since(struct displacement *d, double *woken)
{
	displacement_switch_count(d->woken_to);
	for (size_t i = 0; i < d->cpus; i++) {
		int cpu = fluid_cpu(d->fluid, i);
		uint64_t from = d->woken_from[cpu], to = d->woken_to[cpu];

		woken[i] = from != UINT64_MAX && to != UINT64_MAX ? (double)(to - from) : NAN;
	}
}

struct displacement_value displacement_switch_cost(const struct displacement *d, double switches,
						   double interrupts, double struck)
{
	struct displacement_value cost =
		displacement_switching_on(d->here, d->away, switches, interrupts, struck);

	cost.error = hypot(cost.error, SWITCH_UNKNOWN);
	return cost;
}

/* Rescheduling interrupts of a run that switched no fluid: each takes the CPU of another task, the
 * program (which counts that) or others (which get them in proportion to their time). */
static double struck(const struct displacement *d, size_t i, double wall)
{
	double others = d->other_on[i] + d->other_ended + d->own[i];

	return d->preempted + (wall > 0 ? d->woken[i] * fmin(1, others / wall) : 0);
}

void displacement_switch_set(struct displacement *d)
{
	double sum = 0, error = 0, all = 0;

	for (size_t i = 0; i < d->cpus; i++) {
		struct fluid_sums s = displacement_windows_fluid_sums(d, i);
		double wall = (double)(d->to - d->from) / d->rate / 1e9;

		d->cost[i] =
			displacement_switch_cost(d, s.switches, d->woken[i], struck(d, i, wall));
		sum += s.switches * d->cost[i].value;
		error += s.switches * d->cost[i].error;
		all += s.switches;
	}
	if (all > 0)
		d->switching = (struct displacement_value){sum / all, error / all, 30};
}
