// SPDX-License-Identifier: GPL-3.0-or-later
/* What the target programs share: a transcript and expectations.
 *
 * The transcript (standard output) must come out the same with and without
 * libscprof.so. It goes out by raw system calls, so that the library under
 * test never sees it. Expectations go to the file named by $EXPECT, one line
 * each: FUNCTION MIN MAX LOSSY. The sum of them over all processes is compared
 * with the profile afterwards (counts_match in tests/commands/common.bash).
 */
#ifndef TARGET_H
#define TARGET_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
/* Keeps a call from becoming a jump, so that the caller's frame stays. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...)
{
	char text[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	syscall(SYS_write, 1, text, (size_t)length);
}

static inline void die(const char *what)
{
	say("FAILED: %s: %s\n", what, strerror(errno));
	syscall(SYS_exit_group, 99);
}

/* The library must have recorded min to max calls of `function`; of these it
 * may have given up `lossy`, if it counted them as skipped or abandoned. */
static inline void expect_between(const char *function, long min, long max, long lossy)
{
	const char *path = getenv("EXPECT");
	char line[128];
	int length, fd;

	if (!path)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	length = snprintf(line, sizeof line, "%s %ld %ld %ld\n", function, min, max, lossy);
	if (fd < 0 || syscall(SYS_write, fd, line, (size_t)length) != length)
		die("writing the expectation");
	syscall(SYS_close, fd);
}

static inline void expect_calls(const char *function, long calls)
{
	expect_between(function, calls, calls, 0);
}

/* How often the thread has slept, as the kernel counts. */
static inline long thread_sleeps(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		die("getrusage");
	return usage.ru_nvcsw;
}

static inline void make_pair(int fd[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		die("socketpair");
}

/* One send and one recv of a byte. */
static inline void exchange(const int fd[2])
{
	char c = 'x';

	if (send(fd[0], &c, 1, 0) != 1)
		die("send");
	if (recv(fd[1], &c, 1, 0) != 1)
		die("recv");
}

static inline void exchange_times(const int fd[2], long times)
{
	for (long i = 0; i < times; i++)
		exchange(fd);
}

static inline void expect_exchanges(long times)
{
	expect_calls("send", times);
	expect_calls("recv", times);
}

/* An exchange at the bottom of `depth` frames: another call path each depth. */
NOINLINE __attribute__((unused)) static void exchange_below(const int fd[2], int depth)
{
	if (depth > 0)
		exchange_below(fd, depth - 1);
	else
		exchange(fd);
	NO_TAIL_CALL();
}

#endif
