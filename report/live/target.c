// SPDX-License-Identifier: GPL-3.0-or-later
/* A process's profile is found in its memory maps. Device and inode tell whether the path leads
 * us to the same file (in a container or a chroot it may not). */
#include "report/live/live_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "profile/live/run_files.h"
#include "profile/base/array.h"
#include "profile/base/error.h"
#include "profile/base/kernel_file.h"
#include "profile/base/proc_maps.h"

struct list {
	struct target_file *file;
	size_t count;
	int maps_errno; /* errno of reading the maps; 0: success */
	bool failed;
};

static void add_file(struct list *l, const char *path, bool alive)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strcmp(l->file[i].path, path)) {
			l->file[i].alive |= alive;
			return;
		}
	char *copy = strdup(path);

	if (copy && ARRAY_PUT(l->file, l->count, (struct target_file){copy, alive}))
		return;
	free(copy);
	l->failed = true;
}

/* There, as in most containers, maps have the device of the layer that really holds the file, and
 * stat has the overlay's own. */
static bool is_on_overlay(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static bool is_same(const char *path, const struct proc_mapping *m)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_ino != m->inode)
		return false;
	return (major(st.st_dev) == m->major && minor(st.st_dev) == m->minor) ||
	       is_on_overlay(path);
}

static void take_map(struct list *l, pid_t pid, const struct proc_mapping *m)
{
	char within[PATH_MAX + 64];

	if (m->deleted || fnmatch("/*scprof.*.scp", m->path, 0))
		return;
	if (is_same(m->path, m)) {
		add_file(l, m->path, true);
		return;
	}
	snprintf(within, sizeof(within), "/proc/%d/root%s", (int)pid,
		 proc_maps_own_path(pid, m->path));
	if (is_same(within, m))
		add_file(l, within, true);
}

static void files_of_process(struct list *l, pid_t pid)
{
	struct proc_mapping m;
	FILE *maps = proc_maps_open(pid);
	bool any = maps && proc_maps_next(maps, &m);

	if (!any) /* a kernel thread or a zombie has none */
		l->maps_errno = maps && !ferror(maps) ? 0 : errno;
	for (; any; any = proc_maps_next(maps, &m))
		take_map(l, pid, &m);
	if (maps)
		fclose(maps);
}

#define GENERATIONS 64 /* of processes: pids are reused, so what looks like a loop may appear */

static void files_of_tree(struct list *l, pid_t pid, unsigned depth)
{
	DIR *threads = NULL;
	int thread, child;

	files_of_process(l, pid);
	if (depth < GENERATIONS)
		threads = kernel_file_folder("/proc/%d/task", (int)pid);
	while ((thread = kernel_file_next(&threads)) >= 0) {
		FILE *children = kernel_file_open("/proc/%d/task/%d/children", (int)pid, thread);

		while (children && fscanf(children, "%d", &child) == 1)
			files_of_tree(l, child, depth + 1);
		if (children)
			fclose(children);
	}
}

static void files_of_directory(struct list *l, const struct target *t)
{
	char path[PATH_MAX + NAME_MAX + 2];
	struct run_file *files;
	size_t count, alive = 0;

	if (run_files_list(t->path, &files, &count)) {
		l->failed = errno == ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		alive += run_files_is_live(&files[i]);
	for (size_t i = 0; i < count; i++) {
		bool lives = run_files_is_live(&files[i]);

		if (!files[i].started || (!lives && alive && t->kind == TARGET_DIRECTORY))
			continue;
		snprintf(path, sizeof(path), "%s/%s", t->path, files[i].name);
		add_file(l, path, lives);
	}
	run_files_free(files, count);
}

static void the_file(struct list *l, const struct target *t)
{
	int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	add_file(l, t->path, fd >= 0 && run_files_is_written(fd));
	if (fd >= 0)
		close(fd);
}

int target_files(const struct target *t, struct target_file **files, size_t *count)
{
	struct list l = {0};

	switch (t->kind) {
	case TARGET_PROCESS:
		files_of_tree(&l, t->pid, 0);
		break;
	case TARGET_FILE:
		the_file(&l, t);
		break;
	default:
		files_of_directory(&l, t);
	}
	if (l.failed) {
		target_free(l.file, l.count);
		l = (struct list){.failed = true};
	}
	*files = l.file;
	*count = l.count;
	return l.failed ? -1 : 0;
}

void target_free(struct target_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(files[i].path);
	free(files);
}

static bool is_scprof(pid_t pid)
{
	char text[64];

	return !kernel_file_line(text, sizeof(text), "/proc/%d/comm", (int)pid) &&
	       !strcmp(text, "scprof");
}

/* The process may be `scprof run`: all processes of the run write to one directory, even if their
 * parents have ended. */
static void take_directory(struct target *t, const struct list *l)
{
	if (!is_scprof(t->pid) || !l->count)
		return;
	char *slash = strrchr(l->file[0].path, '/');

	t->kind = TARGET_RUN;
	snprintf(t->path, sizeof(t->path), "%.*s", (int)(slash - l->file[0].path), l->file[0].path);
}

static int parse_process(struct target *t, pid_t pid, struct profile_error *err)
{
	char path[64];
	struct list l = {0};
	struct stat st;

	t->kind = TARGET_PROCESS;
	t->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st))
		return error_set(err, "no process has the number %d", (int)pid);
	files_of_tree(&l, pid, 0);
	take_directory(t, &l);
	size_t found = l.count;
	target_free(l.file, l.count);
	if (found)
		return 0;
	if (l.maps_errno)
		return error_set(err,
				 "cannot see what process %d has mapped: %s.\nRun this as the same "
				 "user, or as root; or name the profile file or its directory",
				 (int)pid, strerror(l.maps_errno));
	return error_set(
		err,
		"process %d writes no profile, and no process that it started does.\n"
		"Record it meanwhile: scprof top --attach %d. Or start it with scprof run COMMAND, "
		"or LD_PRELOAD=libscprof.so COMMAND",
		(int)pid, (int)pid);
}

int target_parse(struct target *t, const char *word, struct profile_error *err)
{
	char *end;
	long number = strtol(word, &end, 10);
	struct target_file *files;
	struct stat st;
	size_t count;

	*t = (struct target){0};
	if (stat(word, &st)) {
		if (*word && !*end && number > 0 && number <= INT_MAX)
			return parse_process(t, (pid_t)number, err);
		return error_set(err,
				 "%.300s: %s.\nName a process by its number, a profile file, or "
				 "a directory of them",
				 word, strerror(errno));
	}
	if (!realpath(word, t->path))
		return error_set(err, "%.300s: %s", word, strerror(errno));
	t->kind = S_ISDIR(st.st_mode) ? TARGET_DIRECTORY : TARGET_FILE;
	if (t->kind == TARGET_FILE)
		return 0;
	if (target_files(t, &files, &count))
		return error_set(err, "%.300s: out of memory", word);
	target_free(files, count);
	return count ? 0
		     : error_set(err,
				 "%.300s: there is no profile (scprof.*.scp) in it.\nA program "
				 "writes one from its start on, into SCPROF_OUT",
				 word);
}
