// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads of a process in the order in which they are worth borrowing: what a stop does to what
 * they wait in decides. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/base/proc_maps.h"

#define SAFE_POINT_ROOM 16384u /* below the stack pointer: for the frame that saves a thread */

/* In that order. Behind THREADS_FRAGILE each takes more from a thread that waits. */
enum threads_rank {
	THREADS_NEVER,
	THREADS_FIRST,	 /* a stop changes nothing */
	THREADS_FRAGILE, /* nothing, unless the tracer is killed at once: then it ends with EINTR */
	THREADS_LIMITED, /* nothing; it ends by itself */
	THREADS_RUNNING,
	THREADS_SHORT, /* it may end with a part of what was asked for */
	THREADS_EPOLL, /* fragile, and has a time limit in a register, which begins anew */
	THREADS_ANEW   /* the same, of another call */
};

/* The system call that a thread is in, as the kernel tells it without a stop. */
struct threads_call {
	long number; /* -1: in none, and of the others only the last two are known */
	uint64_t argument[6], sp, pc;
};

/* False: it runs, or nothing can be known. */
bool threads_call(pid_t pid, pid_t tid, struct threads_call *c);

/* The call that goes on by restart_syscall, after it was interrupted. 0: not known. */
uint64_t machine_restarted(pid_t pid, uint64_t pc);

/* By what the thread waits in now. */
enum threads_rank threads_rank(pid_t pid, pid_t tid);

/* How often it has gone to sleep, which a processor that is taken from it does not change; 0: not
 * known. */
unsigned long threads_sleeps(pid_t tid);

/* The same, where it is asleep in epoll_wait with a time limit; 0: it is not. */
unsigned long threads_epoll(pid_t pid, pid_t tid);

size_t threads_list(pid_t pid, const struct proc_map_list *maps, pid_t *tids, size_t room);
