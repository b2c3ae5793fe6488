// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_THREADS 65536u

enum rank { RANK_FIRST, RANK_EPOLL, RANK_LIMITED, RANK_RUNNING, RANK_NEVER };

struct thread {
	pid_t tid;
	enum rank rank;
};

static size_t read_small(int tasks, const char *tid, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/%s", tid, name);
	int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* Asleep or running: not stopped, dying, or where no signal reaches it. */
static bool can_be_asked(int tasks, const char *tid)
{
	char text[512];
	if (read_small(tasks, tid, "stat", text, sizeof(text)) == 0)
		return false;
	const char *name_end = strrchr(text, ')');
	return name_end != NULL && name_end[1] == ' ' && (name_end[2] == 'S' || name_end[2] == 'R');
}

/* The kernel takes these up again exactly as they were, or they have no time limit. */
static enum rank rank_of(long call, const unsigned long *argument)
{
	const unsigned long futex_wait = 0, futex_wait_bitset = 9, command = 0x7f;
	switch (call) {
	case SYS_read:
	case SYS_readv:
	case SYS_accept:
	case SYS_accept4:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_wait4:
	case SYS_waitid:
		return RANK_FIRST;
	case SYS_futex:
		return ((argument[1] & command) == futex_wait ||
			(argument[1] & command) == futex_wait_bitset) &&
				       argument[3] == 0
			       ? RANK_FIRST
			       : RANK_LIMITED;
	case SYS_epoll_pwait:
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
		return (int)argument[3] < 0 ? RANK_EPOLL : RANK_LIMITED;
	default:
		return RANK_LIMITED;
	}
}

static bool has_room(const struct safe_point_maps *maps, uint64_t sp)
{
	const struct safe_point_map *map = safe_point_maps_find(maps, sp);
	return map != NULL && map->readable && map->writable && sp - map->start >= SAFE_POINT_ROOM;
}

/* "running"; or the number, six arguments, the stack pointer and the address of the code; or -1,
 * where it is in no call, and these two. */
static enum rank rank_thread(int tasks, const char *tid, const struct safe_point_maps *maps)
{
	char text[256];
	unsigned long argument[6], sp, pc;
	if (!can_be_asked(tasks, tid))
		return RANK_NEVER;
	if (read_small(tasks, tid, "syscall", text, sizeof(text)) == 0 ||
	    strncmp(text, "running", 7) == 0)
		return RANK_RUNNING;
	char *end;
	long call = strtol(text, &end, 10);
	if (call < 0)
		return sscanf(end, "%lx %lx", &sp, &pc) == 2 && has_room(maps, sp) ? RANK_RUNNING
										   : RANK_NEVER;
	for (unsigned i = 0; i < 6; i++)
		argument[i] = strtoul(end, &end, 16);
	sp = strtoul(end, &end, 16);
	if (call == SYS_exit || call == SYS_exit_group || call == SYS_execve)
		return RANK_NEVER;
	return has_room(maps, sp) ? rank_of(call, argument) : RANK_NEVER;
}

static int by_rank(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static size_t list_tasks(int tasks, DIR *d, const struct safe_point_maps *maps, struct thread *t)
{
	size_t count = 0;
	for (struct dirent *e; count < MOST_THREADS && (e = readdir(d)) != NULL;) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		t[count].tid = (pid_t)strtol(e->d_name, NULL, 10);
		t[count].rank = rank_thread(tasks, e->d_name, maps);
		count += t[count].rank != RANK_NEVER;
	}
	return count;
}

size_t safe_point_threads_list(pid_t pid, const struct safe_point_maps *maps, pid_t *tids,
			       size_t room)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	struct thread *t = malloc(MOST_THREADS * sizeof(*t));
	size_t count = d != NULL && t != NULL ? list_tasks(dirfd(d), d, maps, t) : 0;
	if (count > 0)
		qsort(t, count, sizeof(*t), by_rank);
	if (count > room)
		count = room;
	for (size_t i = 0; i < count; i++)
		tids[i] = t[i].tid;
	free(t);
	if (d != NULL)
		closedir(d);
	return count;
}
