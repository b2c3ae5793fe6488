// SPDX-License-Identifier: GPL-3.0-or-later
/* Only the fixed head of a file is looked at here; reading and checking it as a profile is the work
 * of profile/read/. */
#include "profile/live/run_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/scprof_format.h"
#include "profile/base/array.h"
#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"

#define MOST_DESCRIPTORS 65536

static const char nothing[sizeof(((struct scp_header *)0)->magic)];

static int read_head(int fd, struct run_file *f)
{
	struct scp_header h = {0};
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -1;
	ssize_t bytes = pread(fd, &h, sizeof(h), 0);
	/* something that is no header, or only the beginning of one, is damage */
	f->started = bytes != 0 && memcmp(h.magic, nothing, sizeof(nothing)) != 0;
	if (bytes != (ssize_t)sizeof(h) || memcmp(h.magic, SCP_MAGIC, sizeof(h.magic)) != 0)
		return 0;
	f->pid = (pid_t)h.pid;
	f->process_start = h.process_start;
	f->start_mono_ns = h.start_mono_ns;
	f->end_state = h.end_state;
	snprintf(f->comm, sizeof(f->comm), "%.15s", h.comm);
	return 0;
}

static int add(int directory, const char *name, struct run_file **files, size_t *count)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct run_file file = {0};

	if (fd < 0)
		return 0; /* gone, or a link */
	int skip = read_head(fd, &file);
	close(fd);
	if (skip)
		return 0;
	struct run_file *to = ARRAY_APPEND(*files, *count);
	if (!to)
		return -1;
	*to = file;
	to->name = strdup(name);
	return to->name ? 0 : -1;
}

ARRAY_COMPARE(by_start, struct run_file,
	      ARRAY_ORDER(a->start_mono_ns, b->start_mono_ns) ?: strcmp(a->name, b->name))

int run_files_list(const char *directory, struct run_file **files, size_t *count)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int failed = 0;

	*files = NULL;
	*count = 0;
	if (!dir)
		return -1;
	while (!failed && (entry = readdir(dir)))
		if (!fnmatch("scprof.*.scp", entry->d_name, 0))
			failed = add(dirfd(dir), entry->d_name, files, count);
	closedir(dir);
	if (failed) {
		run_files_free(*files, *count);
		errno = ENOMEM;
		return -1;
	}
	ARRAY_SORT(*files, *count, by_start);
	return 0;
}

void run_files_free(struct run_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(files[i].name);
	free(files);
}

uint64_t run_files_process_start(pid_t pid, char *state)
{
	char text[PROC_STAT_BYTES];
	const char *fields = proc_stat_read(pid, 0, text);
	long long start = proc_stat_number(fields, 22), mapped_bytes = proc_stat_number(fields, 23);

	if (mapped_bytes < 0)
		return 0;
	if (state)
		*state = mapped_bytes ? *fields : 'X';
	return (uint64_t)start;
}

static bool is_live(const struct run_file *file, pid_t pid)
{
	char state;

	return file->pid && file->process_start && file->end_state == SCP_END_RUNNING &&
	       run_files_process_start(pid, &state) == file->process_start && state != 'Z' &&
	       state != 'X';
}

bool run_files_is_live_here(const struct run_file *file)
{
	return is_live(file, file->pid);
}

bool run_files_is_live(const struct run_file *file)
{
	bool live = run_files_is_live_here(file), over = file->end_state != SCP_END_RUNNING;
	DIR *all = live || over ? NULL : kernel_file_folder("/proc");
	pid_t pid;

	while (!live && (pid = kernel_file_next(&all)) >= 0)
		live = is_live(file, pid) && proc_inner_pid(pid) == file->pid;
	kernel_file_leave(&all);
	return live;
}

bool run_files_is_written(int fd)
{
	struct run_file file = {0};

	return !read_head(fd, &file) && run_files_is_live(&file);
}

void run_files_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= MOST_DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max < MOST_DESCRIPTORS ? limit.rlim_max : MOST_DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}
