// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls by the names that end in 64, which a program for an older libc has. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#undef open64
#undef pread64
#undef freopen64
extern int open64(const char *path, int flags, ...);
extern ssize_t pread64(int fd, void *buf, size_t n, off_t at);
extern FILE *freopen64(const char *path, const char *mode, FILE *f);

int main(int argc, char **argv)
{
	char buf[4];
	int fd = open64(argv[argc - 1], 0 /* O_RDONLY */);

	if (fd < 0) {
		printf("open64: %s\n", strerror(errno));
		return 1;
	}
	printf("read %zd\n", pread64(fd, buf, sizeof buf, 0));
	printf("same %d\n", freopen64("/dev/null", "r", stdin) == stdin);
	return 0;
}
