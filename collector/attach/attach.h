// SPDX-License-Identifier: GPL-3.0-or-later
/* Into a process that runs, and out again: by ptrace, in a process of our own that ends afterwards,
 * so that the kernel lets go of the target whatever happens to us.
 *
 * One thread is borrowed, the others run on. It is stopped where it holds nothing that the call
 * needs (safe_point.h), and made to call a function of its process on a stack of its own. Its
 * registers lie in a signal frame below its stack all the while: if the tool dies, the thread
 * returns by that frame, as from a signal handler. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/scprof_attach.h"
#include "profile/profile.h"

struct attach_target {
	pid_t pid;
	uint64_t process_start; /* starttime of /proc/PID/stat: another one is another process */
};

struct attach_order {
	struct attach_target target;
	const char *library;	      /* path of libscprof.so, as the target sees it */
	const char *const *variables; /* "NAME=value", ended by NULL: instead of the environment */
};

struct attach_result {
	double stopped_ms;	 /* the longest that a thread was held up, over all of them */
	double stopped_total_ms; /* all of it */
	pid_t began_anew;	 /* a thread whose wait's time limit began anew; 0: none */
	uint32_t threads;	 /* of the process, when it began */
	uint32_t in_calls;	 /* of these: inside a system call that blocks; not recorded */
	struct scp_attach_slots slots;
	char profile[1024]; /* as the target sees it */
};

/* Begin to record. 0; or -1 with *err: nothing acts in the target then. */
int attach_begin(const struct attach_order *o, struct attach_result *r, struct profile_error *err);

/* Stop, and put all back. Also where another tool began and was killed. 0; or -1 with *err. *was:
 * there was something to put right. */
int attach_end(const struct attach_target *t, struct attach_result *r, bool *was,
	       struct profile_error *err);

/* Call `look` while a thread is stopped, in another process: what it finds goes to memory that both
 * share, and so does for how long the thread was held. A thread that does not stop within 200 ms,
 * and any on a processor that scprof does not attach on, is not looked at. */
void attach_sample(pid_t tid, void (*look)(void *context), void *context, double *held_ms);
