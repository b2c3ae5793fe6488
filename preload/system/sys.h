// SPDX-License-Identifier: Apache-2.0
/* Raw system calls, by name. They return a result or -errno and leave errno
 * alone; all of them are off the hot path. */
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "arch.h"
#include "preload/system/util.h"

/* Has the program installed a seccomp filter? A filter may kill for a system call that the program
 * itself never makes, so from then on we make none. Set by the interposed prctl and syscall just
 * before the filter is installed; never cleared (filters cannot be removed). Forked children
 * inherit it. */
extern HIDDEN uint32_t sys_sandboxed;

#define sys0(n)		    arch_syscall(n, 0, 0, 0, 0, 0, 0)
#define sys1(n, a)	    arch_syscall(n, (long)(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b)	    arch_syscall(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define sys3(n, a, b, c)    arch_syscall(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(n, a, b, c, d) arch_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/* A new descriptor, or -errno; where it is then. None of the lowest: a thread of the program that
 * closes all would be given it for a file of its own, and we would write there. */
HIDDEN long sys_move_away(long fd);

static inline long sys_open(const char *path, int flags, int mode)
{
	return sys_move_away(sys4(SYS_openat, AT_FDCWD, path, flags, mode));
}

/* For each file that is named from outside (a variable, an order): a regular one, with so many
 * bytes at least, since what is mapped beyond its end would be a fault. Nothing else is opened, for
 * a FIFO would be waited for. A descriptor, or -errno; -EINVAL: another kind, or shorter. */
HIDDEN long sys_open_given(const char *path, int flags, uint64_t least);

/* What one read gives of a file, NUL-terminated; its length, or -errno. */
HIDDEN long sys_read_file(const char *path, char *text, size_t room);

/* A file named from outside that begins with these eight bytes, `bytes` of it mapped: of `least` at
 * least. `access`: O_RDONLY or O_RDWR. NULL: there is none. */
HIDDEN void *sys_map_given(const char *path, int access, uint64_t least, size_t bytes,
			   const char *magic);

/* A page that threads read at any time, and that may be another one later: where there was one is
 * one for ever. Put `page` (NULL: no other) in the place of *last, unless that is NULL; where it is
 * now. */
HIDDEN void *sys_put_page(void **last, void *page, size_t bytes);
/* Its file is let go: zeros lie there. */
HIDDEN void sys_empty_page(void *last, size_t bytes, int prot);

/* The field of /proc/self/stat, from 3 on, that is a number; 0: it cannot be read. */
#define SYS_STAT_START 22 /* starttime: when the process began */
HIDDEN uint64_t sys_stat_field(unsigned field);

/* Mappings of this process, by the kernel's list of them: the loader's own needs its lock. Until
 * `take` returns true. Longer paths are cut. Where another thread is at it there are none. */
#define SYS_PATH_MAX 4096u
struct sys_mapping {
	uint64_t start, end, offset;
	int protection;	  /* PROT_* */
	const char *path; /* "": of no file */
};
HIDDEN void sys_read_mappings(bool (*take)(const struct sys_mapping *m, void *context),
			      void *context);

static inline long sys_close(int fd)
{
	return sys1(SYS_close, fd);
}

/* Those of this library: the kernel counts them as the program's. */
struct sys_made {
	uint64_t reads, writes;
};
extern HIDDEN struct sys_made sys_made;

static inline long sys_read(int fd, void *buf, size_t n)
{
	__atomic_add_fetch(&sys_made.reads, 1, __ATOMIC_RELAXED);
	return sys3(SYS_read, fd, buf, n);
}

/* What makes a file longer is told -EFBIG by a signal, too, where another thread has just lowered
 * RLIMIT_FSIZE (file_check_size). Signals are held: it is taken back. */
static inline long sys_without_signal(long r)
{
	const uint64_t too_long = UINT64_C(1) << (25 /* SIGXFSZ */ - 1);
	const long at_once[2] = {0, 0};
	if (r == -27 /* EFBIG */)
		sys4(SYS_rt_sigtimedwait, &too_long, 0, at_once, 8);
	return r;
}

static inline long sys_pwrite(int fd, const void *buf, size_t n, uint64_t at)
{
	__atomic_add_fetch(&sys_made.writes, 1, __ATOMIC_RELAXED);
	return sys_without_signal(sys4(SYS_pwrite64, fd, buf, n, at));
}

static inline long sys_fallocate(int fd, uint64_t at, uint64_t bytes)
{
	return sys_without_signal(sys4(SYS_fallocate, fd, 0, at, bytes));
}

/* Without disk space. */
static inline long sys_lengthen(int fd, uint64_t bytes)
{
	return sys_without_signal(sys2(SYS_ftruncate, fd, bytes));
}

static inline long sys_unlink(const char *path)
{
	return sys3(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* An address, or -errno as an address above -4096. */
static inline void *sys_mmap(size_t bytes, int prot, int flags, int fd, uint64_t at)
{
	return (void *)arch_syscall(SYS_mmap, 0, (long)bytes, prot, flags, fd, (long)at);
}

static inline int sys_failed(const void *address)
{
	return (uintptr_t)address > (uintptr_t)-4096;
}

static inline long sys_munmap(void *address, size_t bytes)
{
	return sys2(SYS_munmap, address, bytes);
}

/* To an address that is in use: what is there is unmapped. */
static inline void *sys_move_mapping(void *from, size_t bytes, void *to)
{
	return (void *)arch_syscall(SYS_mremap, (long)from, (long)bytes, (long)bytes,
				    MREMAP_MAYMOVE | MREMAP_FIXED, (long)to, 0);
}

static inline long sys_madvise(void *address, size_t bytes, int advice)
{
	return sys3(SYS_madvise, address, bytes, advice);
}

/* For the few places that hold a descriptor or a lock: a handler that left one by longjmp, or a
 * cancellation, would leave it held. In a sandbox signals are not held; *before says so, by a mask
 * that no thread can have. */
static inline void sys_hold_signals(uint64_t *before)
{
	uint64_t all = ~UINT64_C(0);
	*before = all;
	if (!sys_sandboxed)
		sys4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, before, 8);
}

static inline void sys_release_signals(const uint64_t *before)
{
	if (*before != ~UINT64_C(0))
		sys4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, before, 0, 8);
}

/* Is memcheck to count what follows in this thread against the program? A request of
 * VG_USERREQ__CHANGE_ERR_DISABLEMENT, by 1 or -1. */
static inline void sys_let_memcheck_count(bool counts)
{
	static const uint64_t request[2][6] = {{0x1801, 1}, {0x1801, ~UINT64_C(0)}};
	arch_ask_valgrind(request[counts]);
}

/* The kernel reads an aligned word to compare it, and moves nobody who waits for it: EFAULT says
 * that it cannot be read. No effect, no descriptor, no memory; memcheck would say that nobody wrote
 * the word, where it lies in a frame. */
static inline int sys_can_read_word(uintptr_t word)
{
	sys_let_memcheck_count(false);
	long r = arch_syscall(SYS_futex, (long)word, 4 | 128 /* FUTEX_CMP_REQUEUE, private */, 0, 0,
			      (long)word, 0);
	sys_let_memcheck_count(true);
	return r == 0 || r == -11 /* EAGAIN */;
}

/* Can the eight bytes from here on be read? */
static inline int sys_can_read(uintptr_t address)
{
	return sys_can_read_word(address & ~UINT64_C(7)) &&
	       (address % 8 == 0 || sys_can_read_word((address + 7) & ~UINT64_C(7)));
}

/* An atomic addition of 0, by the kernel: -EFAULT where a store would be a fault. Nobody waits for
 * this word, which is aligned, as for a futex. */
static inline int sys_can_write(uintptr_t word)
{
	const uint32_t add = 1u << 28 /* FUTEX_OP_ADD */;
	return arch_syscall(SYS_futex, (long)word, 5 | 128 /* FUTEX_WAKE_OP, private */, 0, 0,
			    (long)word, add) >= 0;
}

static inline int sys_getpid(void)
{
	return (int)sys0(SYS_getpid);
}

static inline int sys_gettid(void)
{
	return (int)sys0(SYS_gettid);
}

/* Sleep while *word is `is`, so many nanoseconds at most (below 1e9). May return early. */
static inline void sys_futex_wait(uint32_t *word, uint32_t is, long ns)
{
	long most[2] = {0, ns}; /* as the kernel's timespec, 64 bits */
	sys4(SYS_futex, word, 128 /* FUTEX_WAIT_PRIVATE */, is, most);
}

/* One of those that sleep. */
static inline void sys_futex_wake(uint32_t *word)
{
	sys3(SYS_futex, word, 129 /* FUTEX_WAKE_PRIVATE */, 1);
}
