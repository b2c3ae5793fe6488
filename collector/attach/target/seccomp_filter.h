// SPDX-License-Identifier: GPL-3.0-or-later
/* Would a seccomp filter let through what attaching needs? A child of this process installs a
 * thread's filters, and makes the system calls that opening libscprof.so and recording make. It
 * says how far it came. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

/* A system call that is needed. */
struct seccomp_call {
	const char *name;
	int number;
	uint64_t argument[6]; /* as likely ones */
	bool essential;	      /* nothing works where it fails; others may return an error */
};
extern const struct seccomp_call seccomp_calls[];
extern const size_t seccomp_calls_count;

struct seccomp_chain {
	struct sock_filter *code; /* of all filters, one after the other, the oldest first */
	size_t *count;		  /* instructions of each */
	size_t filters;
	bool notifies; /* one may ask another process, which does not answer a trial: ENOSYS */
};

/* Try all that is needed under these filters, and those of this process. 0; or -1 with *err, the
 * end of a sentence that names the first call that is not let through. In a container every process
 * has the filter that its first one was given: there a chain of none tells. */
int seccomp_filter_try(const struct seccomp_chain *chain, struct profile_error *err);

/* May this process read other processes' filters? The kernel wants CAP_SYS_ADMIN of the whole
 * machine, and no filter on the reader. */
bool seccomp_filter_readable(void);

/* How many filters a thread has; 0: it is in no seccomp mode. Where the kernel (before 5.9) does
 * not say, and in strict mode, the mode's number. */
unsigned seccomp_filter_count(pid_t tid);

/* Are the filters of a thread those that this process has, too: as many, and as many as the first
 * process here has? So it is in a container, of which all processes have got the same. */
bool seccomp_filter_is_ours(pid_t tid);

/* The filters of a thread that the calling thread traces and has stopped. 1: they are to be judged,
 * which can wait until the thread runs again; 0: it has none; -1 with *err, a whole line. Filters
 * that cannot be read, but are ours, are a chain of none. Each thread may have its own filters. */
int seccomp_filter_read(struct seccomp_chain *chain, pid_t tid, struct profile_error *err);

/* Try what was read of that thread. 0; or -1 with *err, a whole line. */
int seccomp_filter_judge(const struct seccomp_chain *chain, pid_t tid, struct profile_error *err);

void seccomp_filter_free(struct seccomp_chain *chain);
