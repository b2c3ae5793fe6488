// SPDX-License-Identifier: GPL-3.0-or-later
/* libc changes the groups of all threads; the kernel, asked directly, those of one. */
#include "collector/attach/target/as_user.h"
#include "collector/machine/kernel_numbers.h"
#include "profile/base/kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_now(uid_t uid, gid_t gid)
{
	/* an impossible one is not set, and the present one returned */
	return (uid_t)setfsuid((uid_t)-1) == uid && (gid_t)setfsgid((gid_t)-1) == gid;
}

int as_user_begin(const struct as_user *u, struct as_user_before *before)
{
	*before = (struct as_user_before){.gid = getegid()};
	if (geteuid() || !u->uid)
		return 0;
	before->groups = getgroups(AS_USER_GROUPS, before->group);
	before->dumpable = prctl(PR_GET_DUMPABLE);
	if (before->groups < 0 || syscall(SYS_setgroups, (size_t)u->groups, u->group))
		return -1;
	before->switched = true;
	setfsgid(u->gid);
	setfsuid(u->uid);
	if (is_now(u->uid, u->gid))
		return 0;
	as_user_end(before);
	errno = EPERM;
	return -1;
}

void as_user_end(const struct as_user_before *before)
{
	int error = errno;

	if (before->switched) {
		setfsuid(geteuid());
		setfsgid(before->gid);
		syscall(SYS_setgroups, (size_t)before->groups, before->group);
		prctl(PR_SET_DUMPABLE, before->dumpable == 1);
	}
	errno = error;
}

int as_user_open_inside(pid_t pid, const char *inside, int flags)
{
	struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int root = kernel_file_fd(O_PATH | O_DIRECTORY, "/proc/%d/root", (int)pid);

	if (root < 0)
		return -1;
	long fd = syscall(SYS_openat2, root, inside, &how, sizeof(how));
	kernel_file_close(&root);
	return (int)fd;
}
