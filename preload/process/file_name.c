// SPDX-License-Identifier: Apache-2.0
/* A file gets its name when it is complete: a process that is killed while it starts leaves none
 * that nobody can read. */
#include <errno.h>
#include <sys/stat.h>

#include "preload/process/file.h"
#include "preload/system/sys.h"

#define NAME_TRIES	 100u
#define RENAME_NOREPLACE 1
#define PR_GET_SECCOMP	 21

static void make_path(char *path, const struct file_wish *w, bool temporary, unsigned k)
{
	size_t n = text_append(path, FILE_PATH_MAX, 0, w->directory);
	n = text_append(path, FILE_PATH_MAX, n, temporary ? "/.scprof." : "/scprof.");
	n = text_append(path, FILE_PATH_MAX, n, w->name);
	n = text_append(path, FILE_PATH_MAX, n, ".");
	n = text_append_number(path, FILE_PATH_MAX, n, (uint64_t)w->pid);
	if (k) {
		n = text_append(path, FILE_PATH_MAX, n, ".");
		n = text_append_number(path, FILE_PATH_MAX, n, k);
	}
	text_append(path, FILE_PATH_MAX, n, temporary ? ".new" : w->suffix ? w->suffix : ".scp");
}

enum file_birth file_name_first_birth(void)
{
	return sys1(SYS_prctl, PR_GET_SECCOMP) > 0 ? FILE_NAMED : FILE_TEMPORARY;
}

int file_name_open_new(struct profile_file *f, const struct file_wish *w)
{
	long fd = -EEXIST;
	if (text_length(w->directory) + text_length(w->name) + 48 > FILE_PATH_MAX)
		return -ENAMETOOLONG;
	*f->path = 0;
	for (unsigned k = 0; fd == -EEXIST && k < NAME_TRIES; k++) {
		make_path(f->path, w, w->birth == FILE_TEMPORARY, k);
		fd = sys_open(f->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (fd < 0)
		*f->path = 0;
	return (int)fd;
}

int file_name_identify(struct profile_file *f, int fd)
{
	struct stat st;
	long r = 0;
	if (!f->inode &&
	    (r = sys4(SYS_newfstatat, AT_FDCWD, f->path, &st, AT_SYMLINK_NOFOLLOW)) == 0) {
		f->device = st.st_dev;
		f->inode = st.st_ino;
	}
	if (r == 0)
		r = sys2(SYS_fstat, fd, &st);
	if (r != 0)
		return (int)r;
	/* else somebody put another file in its place, or has closed the descriptor */
	return st.st_dev == f->device && st.st_ino == f->inode ? 0 : -ESTALE;
}

static long rename_to(const char *from, const char *to)
{
	long r = arch_syscall(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to,
			      RENAME_NOREPLACE, 0);
	if (r != -EINVAL && r != -ENOSYS)
		return r;
	r = arch_syscall(SYS_linkat, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0, 0);
	if (r == 0)
		sys_unlink(from);
	return r;
}

/* One at a time: see lifecycle_start. */
static long take_name(struct profile_file *f, const struct file_wish *w)
{
	static LARGE char path[FILE_PATH_MAX];
	long r = -EEXIST;
	for (unsigned k = 0; r == -EEXIST && k < NAME_TRIES; k++) {
		make_path(path, w, false, k);
		r = rename_to(f->path, path);
	}
	if (r == 0)
		text_append(f->path, sizeof f->path, 0, path);
	return r;
}

int file_name_give_name(struct profile_file *f, const struct file_wish *w)
{
	long r = w->birth == FILE_NAMED ? 0 : take_name(f, w);
	if (r != 0)
		return (int)r;
	sys_close(f->fd);
	f->fd = -1;
	return 0;
}
