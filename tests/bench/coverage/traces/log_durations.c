// SPDX-License-Identifier: GPL-3.0-or-later
/* Preloaded into a program, writes down the duration of every call of a few functions: for
 * tests/bench/coverage/traces/record.py. It is independent of scprof's library on purpose.
 *
 * LOG_DURATIONS names a directory. A process writes DIRECTORY/FUNCTION.PID: the durations in the
 * order of their ends, 64-bit numbers of the time stamp counter, the rest of the file 0. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <x86intrin.h>

#define MOST (1u << 22) /* durations a function and process */

enum function { READ, WRITE, EPOLL_WAIT, WRITEV, RECV, SENDFILE, PREAD, FDATASYNC, FUNCTIONS };

static struct log {
	const char *name;
	void *real;
	_Atomic(uint64_t *) map;
	atomic_uint count;
} logs[FUNCTIONS] = {
	[READ] = {"read", NULL, NULL, 0},
	[WRITE] = {"write", NULL, NULL, 0},
	[EPOLL_WAIT] = {"epoll_wait", NULL, NULL, 0},
	[WRITEV] = {"writev", NULL, NULL, 0},
	[RECV] = {"recv", NULL, NULL, 0},
	[SENDFILE] = {"sendfile64", NULL, NULL, 0},
	[PREAD] = {"pread64", NULL, NULL, 0},
	[FDATASYNC] = {"fdatasync", NULL, NULL, 0},
};

/* Programs may replace their environment later. */
static char folder[400] = "/nonexistent";

static void forget(void)
{
	for (int i = 0; i < FUNCTIONS; i++) {
		atomic_store(&logs[i].map, NULL);
		atomic_store(&logs[i].count, 0);
	}
}

static void *real_of(enum function f)
{
	if (!logs[f].real)
		logs[f].real = dlsym(RTLD_NEXT, logs[f].name);
	return logs[f].real;
}

__attribute__((constructor)) static void begin(void)
{
	for (int i = 0; i < FUNCTIONS; i++)
		real_of((enum function)i);
	if (getenv("LOG_DURATIONS"))
		snprintf(folder, sizeof folder, "%s", getenv("LOG_DURATIONS"));
	pthread_atfork(NULL, NULL, forget);
}

/* NULL: cannot be written. Threads that come at the same time map the same file. */
static uint64_t *map_of(struct log *l)
{
	uint64_t *map = NULL;
	char name[512];
	int fd;

	snprintf(name, sizeof name, "%s/%s.%d", folder, l->name, (int)getpid());
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && ftruncate(fd, MOST * sizeof *map) == 0)
		map = mmap(NULL, MOST * sizeof *map, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		map = NULL;
	if (map)
		atomic_store(&l->map, map);
	return map;
}

static void note(enum function f, uint64_t duration)
{
	struct log *l = &logs[f];
	uint64_t *map = atomic_load(&l->map);
	unsigned at = atomic_fetch_add(&l->count, 1);

	if (!map)
		map = map_of(l);
	if (map && at < MOST)
		map[at] = duration;
}

#define TIMED(which, type, call)                                                                   \
	do {                                                                                       \
		uint64_t begin = __rdtsc();                                                        \
		type result = call;                                                                \
		uint64_t end = __rdtsc();                                                          \
		note(which, end - begin);                                                          \
		return result;                                                                     \
	} while (0)

ssize_t read(int fd, void *to, size_t size)
{
	ssize_t (*real)(int, void *, size_t) = real_of(READ);

	TIMED(READ, ssize_t, real(fd, to, size));
}

ssize_t write(int fd, const void *from, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = real_of(WRITE);

	TIMED(WRITE, ssize_t, real(fd, from, size));
}

int epoll_wait(int fd, struct epoll_event *event, int most, int timeout)
{
	int (*real)(int, struct epoll_event *, int, int) = real_of(EPOLL_WAIT);

	TIMED(EPOLL_WAIT, int, real(fd, event, most, timeout));
}

ssize_t writev(int fd, const struct iovec *part, int parts)
{
	ssize_t (*real)(int, const struct iovec *, int) = real_of(WRITEV);

	TIMED(WRITEV, ssize_t, real(fd, part, parts));
}

ssize_t recv(int fd, void *to, size_t size, int flags)
{
	ssize_t (*real)(int, void *, size_t, int) = real_of(RECV);

	TIMED(RECV, ssize_t, real(fd, to, size, flags));
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size)
{
	ssize_t (*real)(int, int, off64_t *, size_t) = real_of(SENDFILE);

	TIMED(SENDFILE, ssize_t, real(to, from, at, size));
}

ssize_t pread64(int fd, void *to, size_t size, off64_t at)
{
	ssize_t (*real)(int, void *, size_t, off64_t) = real_of(PREAD);

	TIMED(PREAD, ssize_t, real(fd, to, size, at));
}

int fdatasync(int fd)
{
	int (*real)(int) = real_of(FDATASYNC);

	TIMED(FDATASYNC, int, real(fd));
}
