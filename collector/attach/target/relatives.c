// SPDX-License-Identifier: GPL-3.0-or-later
/* By /proc alone: a process that ends meanwhile is left out. */
#include "collector/attach/target/relatives.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/kernel_file.h"
#include "profile/base/proc_maps.h"
#include "profile/base/given_file.h"

#define GENERATIONS_MOST 64
#define COMM_MOST	 15 /* of a name that the kernel keeps */

static bool same_file(pid_t a, pid_t b, const char *what)
{
	char name[48];
	struct stat x, y;

	snprintf(name, sizeof(name), "/proc/%d/%s", (int)a, what);
	if (stat(name, &x))
		return false;
	snprintf(name, sizeof(name), "/proc/%d/%s", (int)b, what);
	return !stat(name, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool relatives_same_root(pid_t a, pid_t b)
{
	return same_file(a, b, "root") && same_file(a, b, "ns/mnt");
}

/* Processes that belong to that, as long as there is room. */
static size_t list(bool (*belongs)(pid_t pid, const void *to), const void *to, pid_t *pids,
		   size_t room)
{
	DIR *proc = kernel_file_folder("/proc");
	size_t count = 0;

	for (pid_t pid; count < room && (pid = kernel_file_next(&proc)) >= 0;)
		if (belongs(pid, to))
			pids[count++] = pid;
	kernel_file_leave(&proc);
	return count;
}

static bool is_child(pid_t pid, const void *of)
{
	const pid_t ancestor = *(const pid_t *)of;
	char text[PROC_STAT_BYTES];
	pid_t parent = pid;

	if (pid == ancestor || !same_file(ancestor, pid, "exe"))
		return false;
	for (int i = 0; i < GENERATIONS_MOST && parent > 0 && parent != ancestor; i++)
		parent = (pid_t)proc_stat_number(proc_stat_read(parent, 0, text), 4);
	return parent == ancestor;
}

size_t relatives_children(pid_t pid, pid_t *pids, size_t room)
{
	return list(is_child, &pid, pids, room);
}

/* The kernel cuts names off, and adds " (deleted)" to files that have gone. */
static bool is_namesake(pid_t pid, const void *name)
{
	char text[PATH_MAX];

	kernel_file_line(text, sizeof(text), "/proc/%d/comm", (int)pid);
	bool called = *text && !strncmp(text, name, COMM_MOST) && strlen(name) >= strlen(text);
	if (pid == getpid() ||
	    (kernel_file_link(text, sizeof(text), "/proc/%d/exe", (int)pid) && errno == ENOENT))
		return false;
	text[proc_maps_path_bytes(text)] = '\0';
	return called || (*text && !strcmp(basename(text), name));
}

size_t relatives_named(const char *name, pid_t *pids, size_t room)
{
	return list(is_namesake, name, pids, room);
}

int relatives_mapped(pid_t pid, const char *part, const char *end, char path[PATH_MAX])
{
	struct proc_mapping m;
	int found = -1;
	FILE *maps = proc_maps_open(pid);

	if (!maps)
		return -1;
	while (found && proc_maps_next(maps, &m)) {
		size_t length = strlen(m.path), wanted = strlen(end);

		if (*m.path != '/' || !strstr(m.path, part) || length >= PATH_MAX ||
		    length < wanted || strcmp(m.path + length - wanted, end) != 0)
			continue;
		strcpy(path, m.path);
		found = 0;
	}
	fclose(maps);
	return found;
}

static bool maps(pid_t pid, const void *path)
{
	char found[PATH_MAX];

	return !relatives_mapped(pid, path, path, found);
}

size_t relatives_mapping(const char *path, pid_t *pids, size_t room)
{
	return list(maps, path, pids, room);
}
