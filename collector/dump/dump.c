// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads, their states, and what they wait for. */
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/attach/attach.h"
#include "collector/attach/refusal/refusal.h"
#include "collector/attach/safe_point/threads.h"
#include "collector/clocks/clocks_read.h"
#include "collector/dump/dump_private.h"
#include "collector/machine/cpus.h"
#include "collector/machine/tasks.h"
#include "profile/base/array.h"
#include "profile/base/error.h"
#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"

#define MOST_THREADS 65536u
#define TRIES	     3	   /* to read a thread that wakes up meanwhile */
#define MOST_S	     10	   /* for threads that run: where many share a CPU, none stops at once */
#define SPAN_US	     20000 /* in which a thread that has a CPU uses at least half of it */

struct reading {
	struct dump *d;
	struct dump_stacks stacks;
	struct dump_moment *moment; /* shared with the process that stops a thread */
	size_t thread;		    /* which one that is */
};

static bool add_thread(struct dump *d, pid_t tid)
{
	struct dump_thread *t = ARRAY_APPEND(d->thread, d->threads);

	if (!t)
		return false;
	*t = (struct dump_thread){.tid = tid, .for_s = NAN, .call = -1, .fd.number = -1};
	t->inner_tid = proc_inner_pid(tid) ?: tid;
	kernel_file_line(t->name, sizeof(t->name), "/proc/%d/task/%d/comm", (int)d->pid, (int)tid);
	return true;
}

static bool list_threads(struct dump *d)
{
	DIR *tasks = kernel_file_folder("/proc/%d/task", (int)d->pid);
	pid_t tid;

	while (d->threads < MOST_THREADS && (tid = kernel_file_next(&tasks)) >= 0)
		if (!add_thread(d, tid))
			break;
	kernel_file_leave(&tasks);
	ARRAY_SORT(d->thread, d->threads, array_by_number);
	return d->threads > 0;
}

/* False: nothing can be known of the thread without stopping it. */
static bool read_call(pid_t pid, struct dump_thread *t, struct threads_call *c,
		      struct safe_point_registers *r)
{
	if (!threads_call(pid, t->tid, c))
		return false;
	t->call = (c->number == SYS_restart_syscall ? (long)machine_restarted(pid, c->pc) : 0)
			  ?: c->number;
	memcpy(t->argument, c->argument, sizeof(t->argument));
	r->of[ARCH_SP] = c->sp;
	r->pc = c->pc;
	return r->pc != 0;
}

static void read_python(const struct reading *g, const struct dump_thread *t)
{
	const struct interpreter *p = &g->stacks.python;
	struct interpreter_memory m = {.bytes = 0};

	g->moment->pythons = interpreter_read(p, interpreter_first(p, t->inner_tid), false, &m,
					      g->moment->python, INTERPRETER_FRAMES);
}

/* A thread that is in the kernel all the while is read without being stopped. */
static bool read_asleep(struct reading *g, struct dump_thread *t)
{
	struct dump_moment *m = g->moment;
	struct threads_call before, after;
	char stat[PROC_STAT_BYTES];
	pid_t pid = g->d->pid;

	for (int i = 0; i < TRIES; i++) {
		unsigned long sleeps = threads_sleeps(t->tid);
		const char *state = proc_stat_read(pid, t->tid, stat);

		t->state = state ? *state : 'X';
		m->all = false;
		m->window.bytes = 0;
		if (t->state == 'R' || !read_call(pid, t, &before, &m->registers))
			break;
		read_python(g, t);
		dump_stack_walk(&g->stacks, m, g->d->names, t);
		if (read_call(pid, t, &after, &m->registers) &&
		    !memcmp(&before, &after, sizeof(before)) && threads_sleeps(t->tid) == sleeps)
			return true;
	}
	t->call = -1;
	t->frames = 0;
	return !strchr("RS", t->state);
}

/* In the process that has stopped the thread. */
static void look_at(void *context)
{
	struct reading *g = context;
	struct dump_moment *m = g->moment;
	const struct dump_thread *t = &g->d->thread[g->thread];

	m->all = machine_registers(t->tid, &m->registers);
	m->window.pid = g->d->pid;
	m->window.start = m->registers.of[ARCH_SP] & ~UINT64_C(7);
	m->window.bytes =
		memory_some(m->window.pid, m->window.start, m->window.data, SAFE_POINT_WINDOW);
	read_python(g, t);
}

struct dump_times dump_times(pid_t pid)
{
	struct dump d = {.pid = pid};
	struct dump_times times = {0};
	uint64_t ns[2];

	times.at_s = clocks_read_seconds();
	list_threads(&d);
	times.threads = d.threads;
	for (size_t i = 0; i < d.threads; i++) {
		tasks_thread_times(pid, d.thread[i].tid, ns);
		times.on_cpu_s += (double)ns[0] / 1e9;
		times.runnable_s += (double)ns[1] / 1e9;
	}
	free(d.thread);
	return times;
}

/* A thread that has a CPU uses it, also where we had none for a while. */
static void judge_running(struct dump *d)
{
	uint64_t ns[2], passed_ns;
	bool any = false;

	for (size_t i = 0; i < d->threads; i++) {
		any |= d->thread[i].state == 'R';
		tasks_thread_times(d->pid, d->thread[i].tid, ns);
		d->thread[i].cpu_ns = ns[0];
		d->thread[i].read_ns = clocks_read_ns(CLOCK_MONOTONIC);
	}
	if (any)
		usleep(SPAN_US);
	for (size_t i = 0; any && i < d->threads; i++) {
		tasks_thread_times(d->pid, d->thread[i].tid, ns);
		passed_ns = clocks_read_ns(CLOCK_MONOTONIC) - d->thread[i].read_ns;
		d->thread[i].waits_for_cpu = ns[0] - d->thread[i].cpu_ns < passed_ns / 2;
	}
}

/* When a thread was last on a CPU, by that CPU's own clock in milliseconds; NAN: not known. */
static double last_ran_ms(pid_t pid, pid_t tid)
{
	char text[4096];

	kernel_file_text(text, sizeof(text), "/proc/%d/task/%d/sched", (int)pid, (int)tid);
	const char *line = strstr(text, "\nse.exec_start");
	double ms = line ? strtod(line + strcspn(line, ":") + 1, NULL) : 0;
	return ms > 0 ? ms : NAN;
}

/* CPUs' clocks differ: each is read on the CPU itself. */
static void tell_since(const struct dump *d, struct dump_thread *t)
{
	char text[PROC_STAT_BYTES];
	long long cpu = proc_stat_number(proc_stat_read(d->pid, t->tid, text), 39);
	cpu_set_t before;
	double now_ms = NAN;

	if (cpu < 0 || t->state == 'R' || sched_getaffinity(0, sizeof(before), &before))
		return;
	if (!cpus_pin((int)(cpu % CPU_SETSIZE))) {
		sched_yield(); /* or else what is read of us is as of the last tick */
		now_ms = last_ran_ms(getpid(), (pid_t)syscall(SYS_gettid));
		sched_setaffinity(0, sizeof(before), &before);
	}
	t->for_s = (now_ms - last_ran_ms(d->pid, t->tid)) / 1000;
	t->for_s = t->for_s > 0 ? t->for_s : NAN; /* it ran meanwhile */
}

/* glibc's mutex is a word, which is 2 where a thread waits for it, a count, and its owner's number;
 * the word for the end of a thread is that thread's number. */
static void find_owner(const struct dump *d, struct dump_thread *t)
{
	const uint64_t wait = 0, wait_bitset = 9, wanted = 2, command = t->argument[1] & 0x7f;
	uint32_t word[3] = {0};

	if (t->call != SYS_futex || (command != wait && command != wait_bitset))
		return;
	t->futex = t->argument[0];
	for (size_t i = 0; i < d->threads; i++)
		t->waiters +=
			d->thread[i].call == SYS_futex && d->thread[i].argument[0] == t->futex;
	if (!memory_read(d->pid, t->futex, word, sizeof(word)) ||
	    word[0] != (uint32_t)t->argument[2])
		return;
	t->joins = word[0] != wanted;
	for (size_t i = 0; i < d->threads; i++)
		if (d->thread[i].inner_tid == (pid_t)word[t->joins ? 0 : 2])
			t->owner = &d->thread[i];
}

static void read_all(struct reading *g, bool sample)
{
	struct dump *d = g->d;
	double last_s = clocks_read_seconds() + MOST_S;

	for (g->thread = 0; g->thread < d->threads; g->thread++) {
		struct dump_thread *t = &d->thread[g->thread];

		if (!read_asleep(g, t) && sample && clocks_read_seconds() < last_s) {
			g->moment->all = false;
			g->moment->held_ms = 0;
			attach_sample(t->tid, look_at, g, &g->moment->held_ms);
			if (g->moment->all)
				dump_stack_walk(&g->stacks, g->moment, d->names, t);
			d->stopped_ms = fmax(d->stopped_ms, g->moment->held_ms);
		}
		tell_since(d, t);
		dump_fd_find(d, t);
	}
	dump_fd_name(d);
	for (size_t i = 0; i < d->threads; i++)
		find_owner(d, &d->thread[i]);
	judge_running(d);
}

/* As symbolize_new() wants it: files are looked for in the process's own file system. */
static bool begin_names(struct dump *d, const struct refusal_facts *f)
{
	d->names = profile_new();
	struct prof_process *p = d->names ? calloc(1, sizeof(*p)) : NULL;
	char comm[32], line[PATH_MAX];

	if (!p)
		return false;
	d->names->process = p;
	d->names->processes = 1;
	d->names->foreign = f->uid != geteuid();
	p->pid = (uint32_t)f->inner_pid;
	p->attached.pid = (uint32_t)d->pid;
	p->owner = f->uid;
	p->exe = strdup(f->exe);
	/* what the program was started as, where its command line, whose first word ends in a NUL,
	 * says so, too: an interpreter's begins with its own name */
	kernel_file_line(comm, sizeof(comm), "/proc/%d/comm", (int)d->pid);
	kernel_file_text(line, sizeof(line), "/proc/%d/cmdline", (int)d->pid);
	bool is_comm = *comm && !strncmp(basename(line), comm, strlen(comm));
	p->program = strdup(is_comm ? comm : basename(f->exe));
	return p->exe && p->program;
}

struct dump *dump_take(pid_t pid, bool sample, struct profile_error *err)
{
	struct reading *g = calloc(1, sizeof(*g));
	struct dump *d = calloc(1, sizeof(*d));
	struct refusal_facts facts;
	bool fine = false;

	if (g && d && !refusal_look(pid, &facts, err)) {
		error_set(err, "process %d has ended, or its memory cannot be read", (int)pid);
		g->d = d;
		d->pid = pid;
		g->moment = mmap(NULL, sizeof(*g->moment), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		fine = g->moment != MAP_FAILED && begin_names(d, &facts) && list_threads(d) &&
		       dump_stack_open(&g->stacks, d);
		if (fine)
			read_all(g, sample);
		dump_stack_close(&g->stacks);
		if (g->moment != MAP_FAILED)
			munmap(g->moment, sizeof(*g->moment));
	}
	free(g);
	if (fine)
		return d;
	dump_free(d);
	return NULL;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->threads; i++)
		free(d->thread[i].frame);
	free(d->thread);
	profile_free(d->names);
	free(d);
}
