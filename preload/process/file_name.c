// SPDX-License-Identifier: Apache-2.0
/* How a file comes to its name: complete, so that a process that is killed while it starts leaves
 * none, rather than one that nobody can read. */
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
	return sys1(SYS_prctl, PR_GET_SECCOMP) > 0 ? FILE_NAMED : FILE_UNNAMED;
}

int file_name_open_new(struct profile_file *f, const struct file_wish *w)
{
	long fd = -EEXIST;
	if (text_length(w->directory) + text_length(w->name) + 48 > FILE_PATH_MAX)
		return -ENAMETOOLONG;
	*f->path = 0;
	if (w->birth == FILE_UNNAMED)
		return (int)sys_open(w->directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
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
	uint64_t device = f->device, inode = f->inode;
	struct stat st;
	long r = sys2(SYS_fstat, fd, &st);
	if (r != 0)
		return (int)r;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	if (!inode || (device == f->device && inode == f->inode))
		return 0;
	f->device = device;
	f->inode = inode;
	return -ESTALE; /* somebody put another file in its place */
}

/* Mappings of a file that had no name are shown without one in /proc/PID/maps, where readers look
 * for them: put others in their place. What cannot be done is left. */
static void map_by_name(struct profile_file *f)
{
	long fd = sys_open(f->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	for (uint32_t i = 0; i < f->regions && file_name_identify(f, (int)fd) == 0; i++) {
		uint64_t before = i ? 0 : SCP_HEADER_BYTES, bytes = f->region[i].bytes + before;
		void *fresh = sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd,
				       f->region[i].offset - before);
		if (sys_failed(fresh))
			break;
		if (sys_failed(sys_move_mapping(fresh, bytes, f->region[i].at - before)))
			sys_munmap(fresh, bytes);
	}
	sys_close((int)fd);
}

static long link_to(const char *from, int flags, const char *to)
{
	return arch_syscall(SYS_linkat, AT_FDCWD, (long)from, AT_FDCWD, (long)to, flags, 0);
}

static long rename_to(const char *from, const char *to)
{
	long r = arch_syscall(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to,
			      RENAME_NOREPLACE, 0);
	if (r != -EINVAL && r != -ENOSYS)
		return r;
	r = link_to(from, 0, to);
	if (r == 0)
		sys_unlink(from);
	return r;
}

/* One at a time: see lifecycle_start. */
static long take_name(struct profile_file *f, const struct file_wish *w)
{
	static char path[FILE_PATH_MAX], self[40];
	long r = -EEXIST;
	size_t n = text_append(self, sizeof self, 0, "/proc/self/fd/");
	text_append_number(self, sizeof self, n, (uint64_t)f->fd);
	for (unsigned k = 0; r == -EEXIST && k < NAME_TRIES; k++) {
		make_path(path, w, false, k);
		r = w->birth == FILE_UNNAMED ? link_to(self, AT_SYMLINK_FOLLOW, path)
					     : rename_to(f->path, path);
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
	if (w->birth == FILE_UNNAMED)
		map_by_name(f);
	sys_close(f->fd);
	f->fd = -1;
	return 0;
}
