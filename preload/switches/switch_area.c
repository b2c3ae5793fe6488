// SPDX-License-Identifier: Apache-2.0
/* Areas of rseq(2) for threads to which libc gives none: glibc before 2.35, and musl. The kernel
 * writes to a thread's area whenever it gives it a CPU, and kills where there is no memory. So ours
 * lie where memory stays while the process lives, not in a thread's own, which musl unmaps before
 * the thread has ended. A thread has one area at most: where the program asks for its own, by
 * syscall(), ours is given back just before. */
#include <errno.h>

#include "preload/switches/switch_track.h"
#include "preload/system/sys.h"

#define AREAS	   4096u /* threads at a time */
#define AREA_BYTES 32u	 /* as the kernel takes them from libc */
#define UNREGISTER 1

static struct {
	struct rseq_area area;
} __attribute__((aligned(64))) areas[AREAS] LARGE;
static LARGE uint8_t taken[AREAS];
static __thread struct rseq_area *own;

static struct rseq_area *take_free(void)
{
	uint8_t no;
	for (uint32_t i = 0; i < AREAS; i++) {
		no = 0;
		if (!__atomic_load_n(&taken[i], __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&taken[i], &no, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &areas[i].area;
	}
	return NULL;
}

static void put_back(const struct rseq_area *a)
{
	uint64_t i = ((uint64_t)a - (uint64_t)areas) / sizeof areas[0];
	__atomic_store_n(&taken[i], 0, __ATOMIC_RELEASE);
}

static long call(struct rseq_area *a, long flags)
{
	return sys4(SYS_rseq, a, AREA_BYTES, flags, ARCH_RSEQ_SIGNATURE);
}

/* It has one already in a forked child, but not in one of vfork, which has its parent's TLS. A
 * handler may do the same meanwhile; the kernel takes the first. */
COLD struct rseq_area *switch_area_take(void)
{
	struct rseq_area *a = own;
	if (sys_sandboxed)
		return a;
	if (!a)
		a = take_free();
	if (!a)
		return NULL;
	long r = call(a, 0);
	if (r == 0 || r == -EBUSY) {
		own = a;
		return a;
	}
	if (a == own)
		own = NULL;
	put_back(a);
	return own;
}

COLD bool switch_area_leave(void)
{
	struct rseq_area *a = own;
	if (!a || sys_sandboxed)
		return false;
	own = NULL;
	if (call(a, UNREGISTER) == 0)
		put_back(a);
	return true;
}
