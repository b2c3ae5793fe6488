// SPDX-License-Identifier: GPL-3.0-or-later
/* Opening files with another user's rights, by the calling thread alone: root that follows paths
 * which a process's owner laid out can then reach and make only what that owner could. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define AS_USER_GROUPS 64 /* at most */

struct as_user {
	uid_t uid;
	gid_t gid;
	gid_t group[AS_USER_GROUPS];
	int groups;
};

struct as_user_before {
	bool switched;
	gid_t gid;
	gid_t group[AS_USER_GROUPS];
	int groups, dumpable;
};

/* Nothing changes where this process has that user's rights already, or is not root's. 0; or -1
 * with errno, and all as it was. */
int as_user_begin(const struct as_user *u, struct as_user_before *before);
void as_user_end(const struct as_user_before *before);

/* Open what the path leads a process to: openat2 keeps absolute symbolic links, and "..", below the
 * process's root. -1 with errno. */
int as_user_open_inside(pid_t pid, const char *inside, int flags);
