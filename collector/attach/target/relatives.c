// SPDX-License-Identifier: GPL-3.0-or-later
/* By /proc alone: a process that ends meanwhile is left out. */
#include "collector/attach/target/relatives.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/machine/kernel_file.h"
#include "collector/machine/proc_maps.h"
#include "profile/base/proc_stat.h"

#define GENERATIONS_MOST 64
#define COMM_MOST	 15 /* of a name that the kernel keeps */

static pid_t parent_of(pid_t pid)
{
	char text[PROC_STAT_BYTES];
	const char *state = proc_stat_read(pid, 0, text);
	int parent = 0;

	return state && sscanf(state, "%*c %d", &parent) == 1 ? parent : 0;
}

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

/* Calls `take` for each process until it says false. */
static void each(bool (*take)(void *to, pid_t pid), void *to)
{
	DIR *proc = kernel_file_folder("/proc");

	for (pid_t pid; (pid = kernel_file_next(&proc)) >= 0;)
		if (!take(to, pid))
			break;
	kernel_file_leave(&proc);
}

struct family {
	pid_t of, *pids;
	size_t count, room;
};

static bool add_child(void *to, pid_t pid)
{
	struct family *f = to;
	pid_t parent = pid;

	if (f->count == f->room)
		return false;
	if (pid == f->of || !same_file(f->of, pid, "exe"))
		return true;
	for (int i = 0; i < GENERATIONS_MOST && parent && parent != f->of; i++)
		parent = parent_of(parent);
	if (parent == f->of)
		f->pids[f->count++] = pid;
	return true;
}

size_t relatives_children(pid_t pid, pid_t *pids, size_t room)
{
	struct family f = {.of = pid, .pids = pids, .room = room};

	each(add_child, &f);
	return f.count;
}

/* Processes that are to be listed, as long as there is room. */
struct listing {
	bool (*belongs)(pid_t pid, const char *text);
	const char *text;
	pid_t *pids;
	size_t count, room;
};

static bool add_if(void *to, pid_t pid)
{
	struct listing *l = to;

	if (l->count < l->room && l->belongs(pid, l->text))
		l->pids[l->count++] = pid;
	return l->count < l->room;
}

static size_t list(bool (*belongs)(pid_t pid, const char *text), const char *text, pid_t *pids,
		   size_t room)
{
	struct listing l = {belongs, text, pids, 0, room};

	each(add_if, &l);
	return l.count;
}

/* The kernel cuts names off, and adds " (deleted)" to files that have gone. */
static bool is_called(pid_t pid, const char *name)
{
	char text[PATH_MAX], *base;

	kernel_file_line(text, sizeof(text), "/proc/%d/comm", (int)pid);
	if (*text && !strncmp(text, name, COMM_MOST) && strlen(name) >= strlen(text))
		return true;
	kernel_file_link(text, sizeof(text), "/proc/%d/exe", (int)pid);
	base = strrchr(text, '/');
	return base && !strncmp(base + 1, name, strlen(name)) &&
	       (!base[1 + strlen(name)] || !strcmp(base + 1 + strlen(name), " (deleted)"));
}

static bool is_namesake(pid_t pid, const char *name)
{
	char text[2];

	return pid != getpid() && is_called(pid, name) &&
	       (!kernel_file_link(text, sizeof(text), "/proc/%d/exe", (int)pid) || errno != ENOENT);
}

size_t relatives_named(const char *name, pid_t *pids, size_t room)
{
	return list(is_namesake, name, pids, room);
}

static bool ends_with(const char *path, const char *end)
{
	size_t length = strlen(path), wanted = strlen(end);

	return length >= wanted && !strcmp(path + length - wanted, end);
}

int relatives_mapped(pid_t pid, const char *part, const char *end, char path[PATH_MAX])
{
	struct proc_mapping m;
	int found = -1;
	FILE *maps = proc_maps_open(pid);

	if (!maps)
		return -1;
	while (found && proc_maps_next(maps, &m)) {
		if (*m.path != '/' || !strstr(m.path, part) || !ends_with(m.path, end) ||
		    strlen(m.path) >= PATH_MAX)
			continue;
		strcpy(path, m.path);
		found = 0;
	}
	fclose(maps);
	return found;
}

static bool maps(pid_t pid, const char *path)
{
	char found[PATH_MAX];

	return !relatives_mapped(pid, path, path, found);
}

size_t relatives_mapping(const char *path, pid_t *pids, size_t room)
{
	return list(maps, path, pids, room);
}
