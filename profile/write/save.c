// SPDX-License-Identifier: GPL-3.0-or-later
/* Put bytes into a file, all or nothing.
 *
 * Renaming over what is not a regular file would remove a device or a socket
 * (/dev/null, when root), so that is refused.
 */
#include "profile/write/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/write/temporary_file.h"

static int write_all(int fd, const char *bytes, uint64_t count)
{
	while (count) {
		ssize_t r = write(fd, bytes, count < (1u << 30) ? count : 1u << 30);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		bytes += r;
		count -= (uint64_t)r;
	}
	return 0;
}

/* The new name is on disk only when its directory is. Some file systems cannot
 * sync a directory; the data are safe then all the same. */
static void sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd;

	if (!directory)
		return;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int check_target(const char *path, struct profile_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0
				       : error_fail(err, path, "cannot write: %s", strerror(errno));
	if (S_ISREG(st.st_mode))
		return 0;
	return error_fail(
		err, path,
		"exists and is not a regular file; it is left alone.\nName another output "
		"file.");
}

static int failed(struct partial *p, const char *what, int fd, struct profile_error *err)
{
	int reason = errno;

	if (fd >= 0)
		close(fd);
	if (p->name)
		temporary_file_drop(p);
	return error_fail(err, p->path,
			  "cannot %s: %s.\nNo file was made, and an older one is as it was; "
			  "free some space, or name another place.",
			  what, strerror(reason));
}

int save_bytes(const char *path, const void *bytes, uint64_t count, struct profile_error *err)
{
	struct partial p;
	int fd;

	if (check_target(path, err))
		return -1;
	fd = temporary_file_create(&p, path);
	if (fd < 0)
		return error_fail(err, path, "cannot create a file beside it: %s", strerror(errno));
	if (write_all(fd, bytes, count) || fsync(fd))
		return failed(&p, "write", fd, err);
	if (close(fd))
		return failed(&p, "write", -1, err);
	if (temporary_file_keep(&p))
		return failed(&p, "put the file in its place", -1, err);
	sync_directory(path);
	return 0;
}
