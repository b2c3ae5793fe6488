// SPDX-License-Identifier: Apache-2.0
/* What system calls share. */
#include <errno.h>
#include <sys/stat.h>

#include "preload/system/sys.h"

uint32_t sys_sandboxed;
struct sys_made sys_made;

static long refuse_others(const struct stat *st, uint64_t least)
{
	return S_ISREG(st->st_mode) && (uint64_t)st->st_size >= least ? 0 : -EINVAL;
}

/* Asked before, for a device may do something when it is opened; and after, for the name may be
 * another file's by then. */
long sys_open_given(const char *path, int flags, uint64_t least)
{
	struct stat st;
	long r = sys4(SYS_newfstatat, AT_FDCWD, path, &st, 0);
	if (r == 0)
		r = refuse_others(&st, least);
	if (r != 0)
		return r;
	long fd = sys_open(path, flags | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	r = sys2(SYS_fstat, fd, &st);
	if (r == 0)
		r = refuse_others(&st, least);
	if (r == 0)
		return fd;
	sys_close((int)fd);
	return r;
}
