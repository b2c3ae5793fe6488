// SPDX-License-Identifier: Apache-2.0
#include "preload/call/fd_kind.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"

/* Pages of it that no descriptor reaches take no memory. */
LARGE uint8_t fd_kinds[FD_KINDS];
static uint32_t highest = FD_KINDS_LOW - 1; /* that is known: closing all is not to read all */

COLD bool fd_kind_ask(int fd)
{
	int type, length = sizeof type;
	if (sys_sandboxed) {
		process_loss(unclassified_calls, 1);
		return false;
	}
	long r = arch_syscall(SYS_getsockopt, fd, 1 /* SOL_SOCKET */, 3 /* SO_TYPE */, (long)&type,
			      (long)&length, 0);
	if (r == 0 || r == -88 /* ENOTSOCK */)
		fd_kind_set(fd, r == 0 ? FD_SOCKET : FD_OTHER);
	return r == 0;
}

COLD void fd_kind_set_high(int fd, enum fd_kind kind)
{
	uint32_t most = __atomic_load_n(&highest, __ATOMIC_RELAXED);
	if (fd < 0 || fd >= (int)FD_KINDS)
		return;
	while (most < (uint32_t)fd &&
	       !__atomic_compare_exchange_n(&highest, &most, (uint32_t)fd, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	fd_kinds[fd] = (uint8_t)kind;
}

COLD void fd_kind_forget_range(unsigned first, unsigned last)
{
	uint64_t end = least_of(last, __atomic_load_n(&highest, __ATOMIC_RELAXED));
	for (uint64_t fd = first; fd <= end; fd++)
		fd_kinds[fd] = FD_UNKNOWN;
}
