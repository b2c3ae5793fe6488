// SPDX-License-Identifier: GPL-3.0-or-later
/* Preloaded: writes to regular files are left out, and nothing else is changed: what a program is
 * like when one call is removed. */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { UNKNOWN, REGULAR, OTHER };
static unsigned char kind[65536]; /* of a descriptor, since its first write */

static int is_regular(int fd)
{
	struct stat s;

	if ((unsigned)fd >= sizeof(kind))
		return 0;
	if (kind[fd] == UNKNOWN)
		kind[fd] = !fstat(fd, &s) && S_ISREG(s.st_mode) ? REGULAR : OTHER;
	return kind[fd] == REGULAR;
}

ssize_t write(int fd, const void *buffer, size_t n)
{
	return is_regular(fd) ? (ssize_t)n : syscall(SYS_write, fd, buffer, n);
}

int close(int fd)
{
	if ((unsigned)fd < sizeof(kind))
		kind[fd] = UNKNOWN;
	return (int)syscall(SYS_close, fd);
}
