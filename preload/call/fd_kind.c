// SPDX-License-Identifier: Apache-2.0
/* Descriptor kinds: one static table, further ones mapped when a program has
 * thousands of descriptors open. */
#include "preload/call/fd_kind.h"
#include "preload/process/arena.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"

#define FAR_TABLES 256u /* 2^20 descriptors, the usual nr_open */

uint8_t fd_kind_direct[FD_KIND_DIRECT];
static uint8_t *far_table[FAR_TABLES];

static uint8_t *place(int fd, bool make)
{
	uint32_t i = (uint32_t)fd / FD_KIND_DIRECT;
	if (i == 0)
		return &fd_kind_direct[fd];
	if (i >= FAR_TABLES)
		return NULL;
	uint8_t *table = __atomic_load_n(&far_table[i], __ATOMIC_ACQUIRE);
	if (!table && make) {
		uint8_t *fresh = arena_map(FD_KIND_DIRECT);
		if (!fresh)
			return NULL;
		if (__atomic_compare_exchange_n(&far_table[i], &table, fresh, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			table = fresh;
		else
			arena_unmap(fresh, FD_KIND_DIRECT);
	}
	return table ? &table[(uint32_t)fd % FD_KIND_DIRECT] : NULL;
}

COLD void fd_kind_set_far(int fd, enum fd_kind kind)
{
	uint8_t *p = place(fd, kind != FD_UNKNOWN);
	if (p)
		*p = (uint8_t)kind;
}

COLD bool fd_kind_ask(int fd)
{
	uint8_t *p = place(fd, true);
	int type, length = sizeof type;
	if (p && *p != FD_UNKNOWN)
		return *p == FD_SOCKET;
	if (sys_sandboxed) {
		process_loss(unclassified_calls, 1);
		return false;
	}
	long r = arch_syscall(SYS_getsockopt, fd, 1 /* SOL_SOCKET */, 3 /* SO_TYPE */, (long)&type,
			      (long)&length, 0);
	if (p && (r == 0 || r == -88 /* ENOTSOCK */))
		*p = r == 0 ? FD_SOCKET : FD_OTHER;
	return r == 0;
}

COLD void fd_kind_forget_range(unsigned first, unsigned last)
{
	for (uint32_t i = first / FD_KIND_DIRECT; i < FAR_TABLES; i++) {
		uint8_t *table =
			i ? __atomic_load_n(&far_table[i], __ATOMIC_ACQUIRE) : fd_kind_direct;
		for (uint32_t k = 0; table && k < FD_KIND_DIRECT; k++) {
			uint32_t fd = i * FD_KIND_DIRECT + k;
			if (fd >= first && fd <= last)
				table[k] = FD_UNKNOWN;
		}
	}
}
