// SPDX-License-Identifier: GPL-3.0-or-later
/* The file has no name until it is whole (O_TMPFILE), so that nothing stays when this process is
 * killed. NFS and FUSE have no such files: there it has a name of its own from the beginning. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/write/temporary_file.h"

static int open_folder_of(const char *path, int flags)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = folder ? open(folder, flags | O_CLOEXEC, 0600) : -1;

	free(folder);
	return fd;
}

static void finish(struct partial *p)
{
	int error = errno;

	if (p->unnamed >= 0)
		close(p->unnamed);
	PROF_FREE(p, name);
	errno = error;
}

int temporary_file_create(struct partial *p, const char *path)
{
	int fd = open_folder_of(path, O_TMPFILE | O_WRONLY);

	*p = (struct partial){.path = path, .unnamed = fd < 0 ? -1 : dup(fd)};
	if ((fd < 0 ? asprintf(&p->name, "%s.XXXXXX", path)
		    : asprintf(&p->name, "%s.%d", path, (int)getpid())) < 0) {
		p->name = NULL;
		finish(p);
		if (fd >= 0)
			close(fd);
		errno = ENOMEM;
		return -1;
	}
	if (fd < 0)
		fd = mkostemp(p->name, O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		finish(p);
	return fd;
}

/* A link cannot replace a file: it is made beside it. */
static int give_name(struct partial *p)
{
	char open_file[64];

	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", p->unnamed);
	if (linkat(AT_FDCWD, open_file, AT_FDCWD, p->name, AT_SYMLINK_FOLLOW))
		return -1;
	close(p->unnamed);
	p->unnamed = -1;
	return 0;
}

int temporary_file_keep(struct partial *p)
{
	if ((p->unnamed >= 0 && give_name(p)) || rename(p->name, p->path)) {
		temporary_file_drop(p);
		return -1;
	}
	finish(p);
	return 0;
}

void temporary_file_drop(struct partial *p)
{
	int error = errno;

	if (p->unnamed < 0)
		unlink(p->name);
	errno = error;
	finish(p);
}

/* The new name is on disk only when its directory is. Some file systems cannot
 * sync a directory; the data are safe then all the same. */
static void sync_directory(const char *path)
{
	int fd = open_folder_of(path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Renaming over what is not a regular file would remove a device or a socket (/dev/null, when
 * root). */
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
		"exists and is not a regular file; it is left alone.\nName another output file.");
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

int temporary_file_save(const char *path, int (*write)(const void *of, int fd), const void *of,
			struct profile_error *err)
{
	struct partial p;

	if (check_target(path, err))
		return -1;
	int fd = temporary_file_create(&p, path);
	if (fd < 0)
		return error_fail(err, path, "cannot create a file beside it: %s", strerror(errno));
	if (write(of, fd) || fsync(fd))
		return failed(&p, "write", fd, err);
	if (close(fd))
		return failed(&p, "write", -1, err);
	if (temporary_file_keep(&p))
		return failed(&p, "put the file in its place", -1, err);
	sync_directory(path);
	return 0;
}
