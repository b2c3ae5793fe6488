// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads of a process in the order in which they are worth borrowing: what a stop does to what
 * they wait in decides. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "profile/base/proc_maps.h"

#define SAFE_POINT_ROOM 16384u /* below the stack pointer: for the frame that saves a thread */

enum safe_point_wait {
	SAFE_POINT_WAIT_GOES_ON, /* a stop changes nothing; or it does not wait */
	SAFE_POINT_WAIT_FRAGILE, /* nothing, unless the tracer is killed at once: then it ends with
				    EINTR */
	SAFE_POINT_WAIT_SHORT,	 /* it may end with a part of what was asked for */
	SAFE_POINT_WAIT_EPOLL, /* fragile, and has a time limit in a register, which begins anew */
	SAFE_POINT_WAIT_ANEW   /* the same, of another call */
};

/* What the thread waits in now. */
enum safe_point_wait threads_wait(pid_t pid, pid_t tid);

/* How often it has gone to sleep, which a processor that is taken from it does not change; 0: not
 * known. */
unsigned long threads_sleeps(pid_t pid, pid_t tid);

/* The same, where it is asleep in epoll_wait with a time limit; 0: it is not. */
unsigned long threads_epoll(pid_t pid, pid_t tid);

size_t threads_list(pid_t pid, const struct proc_map_list *maps, pid_t *tids, size_t room);
