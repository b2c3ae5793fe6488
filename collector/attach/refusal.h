// SPDX-License-Identifier: GPL-3.0-or-later
/* What makes a process one that scprof cannot go to, found out before anything is touched. */
#ifndef SCPROF_COLLECTOR_ATTACH_REFUSAL_H
#define SCPROF_COLLECTOR_ATTACH_REFUSAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/attach.h"
#include "profile/profile.h"

struct refusal_facts {
	struct attach_target target;
	uid_t uid; /* effective, of the process */
	gid_t gid;
	bool other_root;     /* its mount namespace or root directory is not ours */
	bool preloaded;	     /* libscprof.so is mapped already */
	char wake[PATH_MAX]; /* of its wake page, as we can open it; "": none */
	char exe[PATH_MAX];
	uint32_t threads;
};

/* 0, or -1 with *err: one line, what and why and what to do. `by_ptrace`: false, where the process
 * is to be woken by its page only. */
int refusal_check(pid_t pid, const char *library, bool by_ptrace, struct refusal_facts *f,
		  struct profile_error *err);

#endif
