// SPDX-License-Identifier: GPL-3.0-or-later
/* The group's name contains its maker's pid, to recognise groups left behind by killed makers. */
#include "collector/displacement/fluid/fluid_group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"
#include "profile/base/words.h"

#define NAME	"scprof-fluid-"
#define TRIES	200 /* a thread leaves its group a little after it has ended */
#define WAIT_US 1000

static int write_file(const char *folder, const char *name, const char *text)
{
	int file = kernel_file_fd(O_WRONLY, "%s/%s", folder, name);

	if (file < 0)
		return -1;
	ssize_t written = write(file, text, strlen(text));
	close(file);
	return written == (ssize_t)strlen(text) ? 0 : -1;
}

static void remove_left(const char *folder)
{
	DIR *groups = opendir(folder);
	struct dirent *entry;
	char path[512];

	while (groups && (entry = readdir(groups))) {
		if (strncmp(entry->d_name, NAME, strlen(NAME)) != 0)
			continue;
		pid_t maker = atoi(entry->d_name + strlen(NAME));
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		/* one that is in use is not empty, and stays */
		if (maker > 0 && kill(maker, 0) && errno == ESRCH)
			rmdir(path);
	}
	kernel_file_leave(&groups);
}

/* "4:cpu,cpuacct:/a/b": the folder that /a/b lies in. */
static int find_folder(const char *mount, const char *cgroup_file, char *folder, size_t size)
{
	char text[4096], line[512], *controllers, *path;

	kernel_file_text(text, sizeof(text), "%s", cgroup_file);
	fluid_group_line(text, line, sizeof(line));
	controllers = strchr(line, ':');
	path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path || path == controllers + 1 || path[1] != '/')
		return -1; /* none, or v2 */
	*path++ = '\0';
	*strrchr(path, '/') = '\0';
	int printed = snprintf(folder, size, "%s/%s%s", mount, controllers + 1, path);
	return printed > 0 && (size_t)printed < size ? 0 : -1;
}

int fluid_group_make(struct fluid_group *g, const char *mount, const char *cgroup_file)
{
	char folder[sizeof(g->path) - sizeof(NAME) - 16];

	*g->path = '\0';
	if (find_folder(mount, cgroup_file, folder, sizeof(folder)))
		return -1;
	remove_left(folder);
	snprintf(g->path, sizeof(g->path), "%s/" NAME "%d", folder, (int)getpid());
	/* its name is ours alone: one that exists was left by an earlier process of this number, or
	 * by us */
	if (mkdir(g->path, 0755) && (errno != EEXIST || rmdir(g->path) || mkdir(g->path, 0755))) {
		*g->path = '\0';
		return -1;
	}
	if (!write_file(g->path, "cpu.idle", "1\n"))
		return 0;
	fluid_group_remove(g);
	return -1;
}

static int move(const struct fluid_group *g, const char *to, pid_t tid)
{
	char number[16];

	snprintf(number, sizeof(number), "%d\n", (int)tid);
	return *g->path ? write_file(g->path, to, number) : -1;
}

int fluid_group_join(const struct fluid_group *g, pid_t tid)
{
	return move(g, "tasks", tid);
}

void fluid_group_leave(const struct fluid_group *g, pid_t tid)
{
	move(g, "../tasks", tid);
}

void fluid_group_remove(struct fluid_group *g)
{
	for (int i = 0; *g->path && i < TRIES && rmdir(g->path) && errno == EBUSY; i++)
		usleep(WAIT_US);
	*g->path = '\0';
}

/* /proc shows an ended process in the root group, so the caller must know that it lives. */

void fluid_group_line(const char *cgroup, char *line, size_t size)
{
	*line = '\0';
	for (const char *at = cgroup; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *controllers = strchr(at, ':');
		size_t length = controllers ? strcspn(++controllers, ":\n") : 0;
		char list[256];

		if (!controllers)
			return;
		snprintf(list, sizeof(list), "%.*s", (int)length, controllers);
		bool found = words_have(list, ",", "cpu");
		if (length ? found : !*line)
			snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
		if (found)
			return;
	}
}

static bool differ(const char *own, const char *its)
{
	return *own && *its && strcmp(own, its) != 0;
}

bool fluid_group_differs(pid_t pid)
{
	char text[4096], own[1024], its[1024];
	bool differs = false;

	kernel_file_text(text, sizeof(text), "/proc/sys/kernel/sched_autogroup_enabled");
	if (*text == '1') { /* a session's */
		kernel_file_text(own, sizeof(own), "/proc/self/autogroup");
		kernel_file_text(its, sizeof(its), "/proc/%d/autogroup", (int)pid);
		differs = differ(own, its);
	}
	kernel_file_text(text, sizeof(text), "/proc/self/cgroup");
	fluid_group_line(text, own, sizeof(own));
	kernel_file_text(text, sizeof(text), "/proc/%d/cgroup", (int)pid);
	fluid_group_line(text, its, sizeof(its));
	if (!differs && !differ(own, its))
		return false;
	const char *state = proc_stat_read(pid, 0, text); /* does it live? */

	return state && *state != 'Z' && *state != 'X';
}
