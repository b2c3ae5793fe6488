// SPDX-License-Identifier: GPL-3.0-or-later
/* What makes a process one that scprof cannot go to, found out before anything is touched: nothing
 * is stopped, written or called. What a stopped thread alone tells (its seccomp filters) is asked
 * for later, by seccomp_filter_read and seccomp_filter_judge. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/attach.h"
#include "profile/profile.h"

struct refusal_facts {
	struct attach_target
		target;	 /* pid 0: known by its wake page alone, whose file has its user */
	pid_t inner_pid; /* its number in its own pid namespace */
	uid_t uid;	 /* effective, of the process */
	gid_t gid;
	bool preloaded;	     /* libscprof.so is mapped already */
	char wake[PATH_MAX]; /* of its wake page, as wake_open takes it; "": none */
	char exe[PATH_MAX];
	uint32_t threads;
};

/* 0, or -1 with *err: one line, what and why and what to do. `library`: its path, as the process
 * would open it; NULL: it will be copied in, and is not looked for there. `page`: a process that
 * has a wake page (f->wake) is let through by that alone, without ptrace. *f holds what was found
 * out, also on failure.
 *
 * Under 1 ms of work for usual processes; one that is just being executed is given a second. */
int refusal_check(pid_t pid, const char *library, bool page, struct refusal_facts *f,
		  struct profile_error *err);

/* The same for one that is only looked into: any program, also one that is stopped or traced. */
int refusal_look(pid_t pid, struct refusal_facts *f, struct profile_error *err);

/* Does the path (of a file or directory) lead the process to where it leads us? */
bool refusal_sees(const struct refusal_facts *f, const char *path);
