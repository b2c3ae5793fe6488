// SPDX-License-Identifier: GPL-3.0-or-later
/* The handler makes system calls only, and lets the signal do what it would have done. A file
 * without a name (O_TMPFILE) would need no handler, but NFS and FUSE have none. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/write/temporary_file.h"

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGXFSZ};
#define ENDINGS (sizeof(ending) / sizeof(*ending))

/* Changed while all signals are blocked in the thread that writes. */
static struct {
	const char *volatile name;
	pid_t maker;
	struct sigaction before[ENDINGS];
} guard;

static void give_back(void)
{
	for (size_t i = 0; i < ENDINGS; i++)
		sigaction(ending[i], &guard.before[i], NULL);
}

/* A child that was forked meanwhile does not own the file. */
static void remove_and_end(int number)
{
	if (guard.name && getpid() == guard.maker)
		unlink(guard.name);
	guard.name = NULL;
	give_back();
	raise(number); /* comes when this handler has ended */
}

static void begin(const char *name)
{
	struct sigaction action = {.sa_handler = remove_and_end};

	if (guard.name)
		return;
	sigfillset(&action.sa_mask);
	guard.maker = getpid();
	guard.name = name;
	for (size_t i = 0; i < ENDINGS; i++) {
		sigaction(ending[i], NULL, &guard.before[i]);
		if (guard.before[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
}

static void block_all(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static void finish(struct partial *p)
{
	sigset_t before;

	block_all(&before);
	if (guard.name == p->name) {
		guard.name = NULL;
		give_back();
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(p->name);
	p->name = NULL;
}

int temporary_file_create(struct partial *p, const char *path)
{
	sigset_t before;
	int fd, error;

	*p = (struct partial){.path = path};
	if (asprintf(&p->name, "%s.XXXXXX", path) < 0) {
		p->name = NULL;
		errno = ENOMEM;
		return -1;
	}
	block_all(&before);
	fd = mkostemp(p->name, O_CLOEXEC | O_NOFOLLOW);
	error = errno;
	if (fd >= 0)
		begin(p->name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fd < 0) {
		free(p->name);
		p->name = NULL;
		errno = error;
	}
	return fd;
}

int temporary_file_keep(struct partial *p)
{
	if (rename(p->name, p->path)) {
		temporary_file_drop(p);
		return -1;
	}
	finish(p);
	return 0;
}

void temporary_file_drop(struct partial *p)
{
	int error = errno;

	unlink(p->name);
	finish(p);
	errno = error;
}

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

int temporary_file_save(const char *path, const void *bytes, uint64_t count,
			struct profile_error *err)
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
