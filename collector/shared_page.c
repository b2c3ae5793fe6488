// SPDX-License-Identifier: GPL-3.0-or-later
/* Reserved before it is mapped: a sparse page on a full disk is a SIGBUS. */
#include "collector/shared_page.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *shared_page_create(const char *path, size_t bytes, mode_t mode)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), error;
	void *mapped = MAP_FAILED;

	if (fd < 0)
		return NULL;
	errno = posix_fallocate(fd, 0, (off_t)bytes);
	if (!errno && !fchmod(fd, mode))
		mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	error = errno;
	close(fd);
	if (mapped != MAP_FAILED)
		return mapped;
	unlink(path);
	errno = error;
	return NULL;
}
