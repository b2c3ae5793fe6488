// SPDX-License-Identifier: GPL-3.0-or-later
/* Would a seccomp filter let through what attaching needs? Its filters are run here, over the
 * system calls that opening libscprof.so and recording make (seccomp_calls.c). As in the kernel all
 * filters of a thread are asked, and the most severe answer counts.
 *
 * Filters are classic BPF: they only jump forward, so that running one takes as many steps as it
 * has instructions at most. */
#ifndef SCPROF_COLLECTOR_ATTACH_SECCOMP_FILTER_H
#define SCPROF_COLLECTOR_ATTACH_SECCOMP_FILTER_H

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

/* What one filter says to one call: SECCOMP_RET_..., data and all. *valid is false for a filter
 * that the kernel would not have taken. */
uint32_t seccomp_filter_run(const struct sock_filter *code, size_t count,
			    const struct seccomp_data *call, bool *valid);

/* All filters of a chain, over all that is needed. 0; or -1 with *err, the end of a sentence that
 * names the first call that would not be let through. */
struct seccomp_chain {
	struct sock_filter *code; /* of all filters, one after the other */
	size_t *count;		  /* instructions of each */
	size_t filters;
};
int seccomp_filter_judge(const struct seccomp_chain *chain, struct profile_error *err);

/* May this process read other processes' filters? The kernel wants CAP_SYS_ADMIN of the whole
 * machine, and no filter on the reader. */
bool seccomp_filter_readable(void);

/* How many filters a thread has; 0: it is in no seccomp mode. Where the kernel (before 5.9) does
 * not say, and in strict mode, the mode's number. */
unsigned seccomp_filter_count(pid_t tid);

/* Are the filters of a thread those that this process has, too: as many, and as many as the first
 * process here has? So it is in a container, of which all processes have got the same. */
bool seccomp_filter_is_ours(pid_t tid);

/* All that is needed is tried by a child of this process, under its filters. As
 * seccomp_filter_judge. */
int seccomp_filter_try(struct profile_error *err);

/* Of a thread that the calling thread traces and has stopped: 0, also where it has no filter; -1
 * with *err, a whole line. Filters that cannot be read are tried, if they are ours. Each thread may
 * have filters of its own. */
int seccomp_filter_check(pid_t tid, struct profile_error *err);

#endif
