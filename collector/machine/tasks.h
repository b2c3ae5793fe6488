// SPDX-License-Identifier: GPL-3.0-or-later
/* Who else ran: the CPU time of every process and kernel thread, by name.
 *
 * Each is asked by its CPU clock (that of clock_getcpuclockid), which is exact, holds its ended
 * threads, and needs no permission; /proc is read for names only. A process that begins and ends
 * between two looks is not seen. What the kernel hides (hidepid) is not seen either, and
 * `hidden` says so. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Longer than TASK_COMM_LEN: kernel threads' full names. */
#define TASK_NAME 64

struct task {
	pid_t pid, parent;
	char name[TASK_NAME];
	uint64_t last_ns;     /* its clock when last seen */
	uint64_t used_ns;     /* since tasks_mark */
	int cpu;	      /* where it last ran; -1: not known */
	bool kernel, program; /* program: it is the command or descends from it */
	bool gone;
};

struct tasks {
	struct task *task; /* by pid */
	uint32_t count, room;
	bool hidden; /* the kernel hides others' processes here */
	pid_t self;
	pid_t command; /* set by the caller: it and its descendants are the program; 0: none */
	uint64_t looks;
	/* since tasks_mark, of all but the program and this process: by where each was when it
	 * was looked at */
	uint64_t on_ns[CPU_SETSIZE];
};

/* Looks around: what is seen later and not now began meanwhile. 0, or -1: no /proc or no memory. */
int tasks_begin(struct tasks *t);

/* One look: advances used_ns of all that live. Some 0.1 ms for 100 processes. */
int tasks_look(struct tasks *t);

/* CPU time of the program's processes since tasks_mark, by their clocks now; those that no look
 * has seen are missing. About a microsecond for each. */
uint64_t tasks_program_ns(const struct tasks *t);

/* used_ns and on_ns back to 0; those that are gone are forgotten. */
void tasks_mark(struct tasks *t);

/* NULL: not seen. */
const struct task *tasks_find(const struct tasks *t, pid_t pid);

void tasks_free(struct tasks *t);

/* CPU time of a process so far, of all its threads; 0: it is gone. */
uint64_t tasks_clock_ns(pid_t pid);
/* For how long a thread was on a CPU, and waited for one. False: not known, and both are 0. */
bool tasks_thread_times(pid_t pid, pid_t tid, uint64_t ns[2]);
