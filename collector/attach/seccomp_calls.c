// SPDX-License-Identifier: GPL-3.0-or-later
/* The system calls of dlopen, and of libscprof.so where it begins a file, a thread and a child,
 * ends them and goes on; with arguments as they really come. What may fail (a name, a count, a
 * hint) is not essential: but it must not kill. */
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "collector/attach/seccomp_filter.h"

#define HERE  ((uint64_t)(uint32_t)AT_FDCWD)
#define PLACE UINT64_C(0x7f2000000000)
#define NO_FD UINT64_C(0xffffffff)
#define CALL(name, essential, ...)                                                                 \
	{                                                                                          \
#name, SYS_##name, {__VA_ARGS__ }, essential                                       \
	}

const struct seccomp_call seccomp_calls[] = {
	/* the chain of signal frames, and the loader */
	CALL(rt_sigreturn, true, 0),
	CALL(rt_sigprocmask, true, 0, PLACE, PLACE, 8),
	CALL(futex, true, PLACE, FUTEX_WAIT_PRIVATE, 1, PLACE, 0, 0),
	CALL(futex, true, PLACE, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0),
	CALL(ppoll, false, PLACE, 0, PLACE, 0, 0),
	CALL(openat, true, HERE, PLACE, O_RDONLY | O_CLOEXEC, 0),
	CALL(read, true, 3, PLACE, 832),
	CALL(pread64, true, 3, PLACE, 784, 64),
#ifdef SYS_newfstatat
	CALL(newfstatat, true, 3, PLACE, PLACE, AT_EMPTY_PATH),
#endif
	CALL(fstat, true, 3, PLACE),
	CALL(mmap, true, 0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_DENYWRITE, 3, 0),
	CALL(mmap, true, PLACE, 1 << 18, PROT_READ | PROT_EXEC,
	     MAP_PRIVATE | MAP_FIXED | MAP_DENYWRITE, 3, 4096),
	CALL(mmap, true, PLACE, 1 << 14, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, NO_FD, 0),
	CALL(mmap, true, 0, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, NO_FD, 0),
	CALL(mprotect, true, PLACE, 4096, PROT_READ),
	CALL(mprotect, true, PLACE, 4096, PROT_READ | PROT_WRITE),
	CALL(munmap, true, PLACE, 4096),
	CALL(close, true, 3),
	CALL(brk, false, 0),
#ifdef SYS_getrandom
	CALL(getrandom, false, PLACE, 8, 1),
#endif
	/* the profile's file */
	CALL(openat, true, HERE, PLACE, O_RDWR | O_CLOEXEC | O_TMPFILE, 0600),
	CALL(openat, true, HERE, PLACE, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600),
	CALL(openat, true, HERE, PLACE, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0),
	CALL(linkat, true, HERE, PLACE, HERE, PLACE, AT_SYMLINK_FOLLOW),
	CALL(renameat2, false, HERE, PLACE, HERE, PLACE, 1),
	CALL(unlinkat, false, HERE, PLACE, 0),
	CALL(fallocate, false, 3, 0, 0, 1 << 20),
	CALL(ftruncate, true, 3, 1 << 20),
	CALL(fstatfs, false, 3, PLACE),
	CALL(pwrite64, false, 3, PLACE, 64, 0),
	CALL(lseek, false, 3, 0, 0),
	CALL(mmap, true, 0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0),
	CALL(mremap, true, PLACE, 1 << 20, 1 << 20, MREMAP_MAYMOVE | MREMAP_FIXED, PLACE),
	CALL(madvise, false, PLACE, 4096, MADV_WIPEONFORK),
	CALL(madvise, false, PLACE, 1 << 20, MADV_POPULATE_WRITE),
	/* what it says of the process, threads and clocks */
	CALL(getpid, true, 0),
	CALL(getppid, false, 0),
	CALL(gettid, true, 0),
	CALL(geteuid, false, 0),
	CALL(getcwd, false, PLACE, 1024),
	CALL(readlinkat, false, HERE, PLACE, PLACE, 1023),
	CALL(prlimit64, false, 0, RLIMIT_AS, 0, PLACE),
	CALL(prctl, false, PR_GET_TSC, PLACE),
	CALL(prctl, false, PR_GET_SECCOMP),
	CALL(prctl, false, PR_GET_NAME, PLACE),
	CALL(clock_gettime, true, CLOCK_MONOTONIC_RAW, PLACE),
	CALL(clock_gettime, false, CLOCK_THREAD_CPUTIME_ID, PLACE),
	CALL(clock_getres, false, CLOCK_MONOTONIC_RAW, PLACE),
	CALL(getrusage, false, (uint64_t)RUSAGE_CHILDREN, PLACE),
	CALL(getrusage, false, RUSAGE_THREAD, PLACE),
	CALL(getsockopt, false, 3, SOL_SOCKET, SO_TYPE, PLACE, PLACE),
	CALL(sigaltstack, false, 0, PLACE),
	CALL(tgkill, false, 2, 2, 0),
	CALL(rt_sigaction, false, 2, 0, PLACE, 8),
};
const size_t seccomp_calls_count = sizeof(seccomp_calls) / sizeof(*seccomp_calls);
