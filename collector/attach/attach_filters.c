// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/attach_work.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/attach/safe_point/threads.h"
#include "collector/attach/target/seccomp_filter.h"
#include "profile/base/kernel_file.h"
#include "profile/base/error.h"

#define DIFFERENT_MOST 16u
#define STOP_MS	       500 /* that a thread may take to stop */
#define PATIENT_MS     1500
#define LOOK_MS	       5
#define LINGER_MS      60000 /* for threads that were asked and do not stop */

struct answer {
	int status;
	struct profile_error error;
};

/* The thread runs while its filters are tried, which may take seconds. */
static struct answer judge(struct remote *r, pid_t tid)
{
	struct answer a = {.status = -1};
	struct seccomp_chain chain;
	const char *why;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)r->target.pid, (int)tid);
	if (tid <= 0 || access(path, F_OK) != 0) {
		a.status = 1;
		return a;
	}
	switch (remote_stop(r, tid, STOP_MS, &why, &a.error)) {
	case REMOTE_FINE:
		a.status = seccomp_filter_read(&chain, tid, &a.error);
		remote_let_go(r);
		if (a.status == 1)
			a.status = seccomp_filter_judge(&chain, tid, &a.error);
		seccomp_filter_free(&chain);
		break;
	case REMOTE_PASSED:
		a.status = 1;
		break;
	default:
		break;
	}
	return a;
}

/* The child: until nobody asks any more. */
static void serve(const struct attach_target *t, int from)
{
	struct profile_error err;
	struct remote *r = calloc(1, sizeof(*r));
	struct pollfd p = {.fd = from, .events = POLLIN};
	struct answer a;
	pid_t tid;

	if (!r || remote_open(r, t, &err) != 0)
		_exit(1);
	do {
		/* a thread that was given up may stop meanwhile */
		while (poll(&p, 1, 0) == 0)
			remote_rest(r, LOOK_MS);
		if (read(from, &tid, sizeof(tid)) != sizeof(tid))
			break;
		a = judge(r, tid);
	} while (write(from, &a, sizeof(a)) == sizeof(a));
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	remote_close(r, LINGER_MS);
	_exit(0);
}

static int start(struct attach_filters *f, const struct attach_target *t, struct profile_error *err)
{
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
	    (child = fork()) < 0)
		return error_set(err, "cannot start a process: %s", strerror(errno));
	if (child == 0) {
		close(ends[0]);
		serve(t, ends[1]);
	}
	close(ends[1]);
	f->child = ends[0];
	return 0;
}

/* Does a stop take nothing from the thread now? Else it is best stopped when it begins to wait. */
static bool await_harmless(pid_t pid, pid_t tid, int limit_ms)
{
	const unsigned long sleeps = threads_sleeps(tid);

	for (int ms = 0; threads_rank(pid, tid) >= THREADS_SHORT; ms++) {
		if (ms >= limit_ms || threads_sleeps(tid) != sleeps)
			return false;
		usleep(1000);
	}
	return true;
}

int attach_filters_begin(struct attach_filters *f, const struct attach_target *t,
			 struct profile_error *err)
{
	int status = 0;
	pid_t tid;

	*f = (struct attach_filters){.pid = t->pid, .child = -1};
	/* checks a thread if none with as many filters was, and in the end whatever it waits in */
	for (int end = 0; end < 2; end++) {
		DIR *d = kernel_file_folder("/proc/%d/task", (int)t->pid);

		while (status >= 0 && (tid = kernel_file_next(&d)) >= 0) {
			unsigned int count = seccomp_filter_count(tid), i = 0;

			while (i < f->seens && f->seen[i].count != count)
				i++;
			if (!count || f->seens == DIFFERENT_MOST || i < f->seens ||
			    (!await_harmless(t->pid, tid, end * PATIENT_MS) && !end))
				continue;
			status = f->child < 0 ? start(f, t, err) : 0;
			if (status == 0)
				status = attach_filters_check(f, tid, err);
		}
		kernel_file_leave(&d);
	}
	return status < 0 ? -1 : 0;
}

int attach_filters_check(struct attach_filters *f, pid_t tid, struct profile_error *err)
{
	unsigned count = seccomp_filter_count(tid);
	struct answer a;

	if (attach_filters_same(f, tid))
		return 0;
	if (f->child < 0)
		return 1; /* it has got one since */
	if (write(f->child, &tid, sizeof(tid)) != sizeof(tid) ||
	    read(f->child, &a, sizeof(a)) != sizeof(a))
		return error_set(err, "process %d: its seccomp filter cannot be judged",
				 (int)f->pid);
	if (a.status == 0) {
		f->seen[f->seens % ATTACH_FILTERS_SEEN].tid = tid;
		f->seen[f->seens++ % ATTACH_FILTERS_SEEN].count = count;
	} else if (a.status < 0) {
		*err = a.error;
	}
	return a.status;
}

bool attach_filters_same(const struct attach_filters *f, pid_t tid)
{
	unsigned count = seccomp_filter_count(tid);

	for (unsigned int i = 0; i < ATTACH_FILTERS_SEEN && count; i++)
		if (f->seen[i].tid == tid && f->seen[i].count == count)
			return true;
	return !count;
}
