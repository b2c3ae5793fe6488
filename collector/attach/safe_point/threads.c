// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point/threads.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "collector/machine/kernel_numbers.h"
#include "profile/base/array.h"
#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"

#define MOST_THREADS 65536u

struct thread {
	pid_t tid;
	enum threads_rank rank;
};

/* By a copy of the descriptor: its own options tell. */
static bool ask_for_limit(pid_t pid, uint64_t fd, int option)
{
	char link[8];
	struct timeval limit = {0};
	socklen_t bytes = sizeof(limit);

	kernel_file_link(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, (int)fd);
	if (strncmp(link, "socket:", 7) != 0)
		return false;
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int copy = (int)syscall(SYS_pidfd_getfd, process, (int)fd, 0);
	kernel_file_close(&process);
	if (copy < 0)
		return false;
	if (getsockopt(copy, SOL_SOCKET, option, &limit, &bytes) != 0)
		timerclear(&limit);
	close(copy);
	return timerisset(&limit);
}

/* Has the socket such a limit? Each is asked once: what closes it while there is a copy does not
 * end the connection. A limit that is set later is met by the next attach. */
static bool has_limit(pid_t pid, uint64_t fd, int option)
{
	static struct known {
		uint64_t fd;
		pid_t pid;
		int option;
		bool limited;
	} known[256];
	struct known *k = &known[(fd * 2 + (option == SO_SNDTIMEO)) % 256];

	if (k->pid != pid || k->fd != fd || k->option != option)
		*k = (struct known){fd, pid, option, ask_for_limit(pid, fd, option)};
	return k->limited;
}

static enum threads_rank rank_of_epoll(int limit_ms)
{
	if (limit_ms == 0)
		return THREADS_LIMITED;
	return limit_ms > 0 ? THREADS_EPOLL : THREADS_FRAGILE;
}

static enum threads_rank rank_of_futex(const uint64_t *argument)
{
	const uint64_t wait = 0, wait_bitset = 9, command = argument[1] & 0x7f;

	return (command == wait || command == wait_bitset) && argument[3] == 0 ? THREADS_FIRST
									       : THREADS_LIMITED;
}

/* What has come is the result of a call that a stop ends, however much is asked for. After several
 * messages it fails the next call, too, with an error that no program knows. */
static enum threads_rank rank_of_receive(pid_t pid, long call, const uint64_t *argument)
{
	uint64_t flags = argument[call == SYS_recvmsg ? 2 : 3];

	if (has_limit(pid, argument[0], SO_RCVTIMEO))
		return THREADS_ANEW;
	return call == SYS_recvmmsg || flags & MSG_WAITALL ? THREADS_SHORT : THREADS_FIRST;
}

/* The kernel takes up most calls again exactly as they were, with the time that is left. */
static enum threads_rank rank_of(pid_t pid, long call, const uint64_t *argument)
{
	const unsigned long has_arguments = 8; /* IORING_ENTER_EXT_ARG: a time limit among them */

	switch (call) {
	case SYS_read:
	case SYS_readv:
	case SYS_accept:
	case SYS_accept4:
		return has_limit(pid, argument[0], SO_RCVTIMEO) ? THREADS_ANEW : THREADS_FIRST;
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
		return rank_of_receive(pid, call, argument);
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
		return has_limit(pid, argument[0], SO_SNDTIMEO) ? THREADS_ANEW : THREADS_SHORT;
	case SYS_connect:
		return has_limit(pid, argument[0], SO_SNDTIMEO) ? THREADS_ANEW : THREADS_LIMITED;
	case SYS_wait4:
	case SYS_waitid:
		return THREADS_FIRST;
	case SYS_futex:
		return rank_of_futex(argument);
	case SYS_epoll_pwait:
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
		return rank_of_epoll((int)argument[3]);
	case SYS_epoll_pwait2:
	case SYS_semtimedop:
		return argument[3] ? THREADS_ANEW : THREADS_FRAGILE;
	case SYS_rt_sigtimedwait:
		return argument[2] ? THREADS_ANEW : THREADS_FRAGILE;
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return argument[4] ? THREADS_ANEW : THREADS_FRAGILE;
	case SYS_io_uring_enter:
		if (!(argument[3] & has_arguments) && argument[1])
			return THREADS_SHORT;
		return argument[3] & has_arguments ? THREADS_ANEW : THREADS_FRAGILE;
#ifdef SYS_semop
	case SYS_semop:
		return THREADS_FRAGILE;
#endif
	default:
		return THREADS_LIMITED;
	}
}

/* The file's text is "running"; or the number of the call, six arguments, the stack pointer and the
 * address of the code; or -1, where it is in no call, and these two. */
bool threads_call(pid_t pid, pid_t tid, struct threads_call *c)
{
	char text[256], *at = text;

	*c = (struct threads_call){.number = -1};
	kernel_file_text(text, sizeof(text), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	if (!strchr("-0123456789", *text) || !*text)
		return false;
	c->number = strtol(at, &at, 10);
	for (int i = 0; c->number >= 0 && i < 6; i++)
		c->argument[i] = strtoull(at, &at, 16);
	c->sp = strtoull(at, &at, 16);
	c->pc = strtoull(at, &at, 16);
	return true;
}

static enum threads_rank rank_of_call(pid_t pid, pid_t tid, uint64_t *sp)
{
	struct threads_call c;

	*sp = 0;
	if (!threads_call(pid, tid, &c))
		return THREADS_RUNNING;
	*sp = c.sp;
	if (c.number < 0)
		return c.sp ? THREADS_RUNNING : THREADS_NEVER;
	if (c.number == SYS_exit || c.number == SYS_exit_group || c.number == SYS_execve)
		return THREADS_NEVER;
	return rank_of(pid, c.number, c.argument);
}

static enum threads_rank rank_thread(pid_t pid, pid_t tid, const struct proc_map_list *maps)
{
	char text[PROC_STAT_BYTES];
	const char *state = proc_stat_read(pid, tid, text);
	uint64_t sp;

	/* asleep or running: not stopped, dying, or where no signal reaches it */
	if (state == NULL || (*state != 'S' && *state != 'R'))
		return THREADS_NEVER;
	enum threads_rank rank = rank_of_call(pid, tid, &sp);
	const struct proc_map *map = proc_maps_find(maps, sp);
	return sp == 0 || (map != NULL && map->readable && map->writable &&
			   sp - map->start >= SAFE_POINT_ROOM)
		       ? rank
		       : THREADS_NEVER;
}

enum threads_rank threads_rank(pid_t pid, pid_t tid)
{
	uint64_t sp;

	return rank_of_call(pid, tid, &sp);
}

unsigned long threads_sleeps(pid_t tid)
{
	return (unsigned long)proc_status_number(tid, "voluntary_ctxt_switches", 10, 0);
}

/* A thread that is about to run shows the call that it will make; its state is looked at after
 * that, and with the same number of sleeps before and after it did not run between. */
unsigned long threads_epoll(pid_t pid, pid_t tid)
{
	char text[PROC_STAT_BYTES];
	unsigned long before = threads_sleeps(tid);

	if (threads_rank(pid, tid) != THREADS_EPOLL)
		return 0;
	const char *state = proc_stat_read(pid, tid, text);
	return state && *state == 'S' && threads_sleeps(tid) == before ? before : 0;
}

ARRAY_COMPARE(by_rank, struct thread, ARRAY_ORDER(a->rank, b->rank) ?: ARRAY_ORDER(a->tid, b->tid))

size_t threads_list(pid_t pid, const struct proc_map_list *maps, pid_t *tids, size_t room)
{
	DIR *tasks = kernel_file_folder("/proc/%d/task", (int)pid);
	struct thread *t = malloc(MOST_THREADS * sizeof(*t));
	size_t count = 0;
	pid_t tid;
	while (t != NULL && count < MOST_THREADS && (tid = kernel_file_next(&tasks)) >= 0) {
		t[count] = (struct thread){tid, rank_thread(pid, tid, maps)};
		count += t[count].rank != THREADS_NEVER;
	}
	kernel_file_leave(&tasks);
	ARRAY_SORT(t, count, by_rank);
	if (count > room)
		count = room;
	for (size_t i = 0; i < count; i++)
		tids[i] = t[i].tid;
	free(t);
	return count;
}
