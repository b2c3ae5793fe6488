// SPDX-License-Identifier: GPL-3.0-or-later
/* In a container every process has the filter that its first one was given, and nobody there may
 * read it. So the calls are made, under that filter, by a child of ours: with addresses and
 * descriptors that are none, so that what the filter lets through fails in the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/attach/seccomp_filter.h"
#include "collector/machine/proc_status.h"
#include "profile/base/error.h"

#define CHILD_SECONDS 5

/* 0: none, or the kernel (before 5.9) does not say. */
static unsigned filters_of(pid_t tid)
{
	return (unsigned)proc_status_number(tid, "Seccomp_filters", 10, 0);
}

unsigned seccomp_filter_count(pid_t tid)
{
	unsigned count = filters_of(tid);

	return count ? count : (unsigned)proc_status_number(tid, "Seccomp", 10, 0);
}

bool seccomp_filter_is_ours(pid_t tid)
{
	unsigned own = filters_of(getpid());

	return own && filters_of(tid) == own && filters_of(1) == own;
}

/* rt_sigreturn cannot be tried; every process that handles a signal needs it. */
static void try_all(volatile size_t *at, volatile bool *forbidden)
{
	alarm(CHILD_SECONDS);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	syscall(SYS_close_range, 0U, ~0U, 0U);
	for (*at = 0; *at < seccomp_calls_count; ++*at) {
		const struct seccomp_call *call = &seccomp_calls[*at];
		const uint64_t *a = call->argument;

		if (call->number == SYS_rt_sigreturn)
			continue;
		*forbidden = syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]) < 0 &&
			     (errno == EPERM || errno == EACCES || errno == ENOSYS) &&
			     call->essential;
		if (*forbidden)
			_exit(1);
	}
	_exit(0);
}

int seccomp_filter_try(struct profile_error *err)
{
	struct {
		volatile size_t at;
		volatile bool forbidden;
	} *seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	pid_t child = seen == MAP_FAILED ? -1 : fork();
	int failed = -1;

	if (!child)
		try_all(&seen->at, &seen->forbidden);
	if (child > 0) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		failed = seen->at < seccomp_calls_count ? -1 : 0;
	}
	if (failed)
		error_set(err, "its seccomp filter %s %s, which recording needs",
			  child > 0 && seen->forbidden ? "forbids" : "kills for",
			  child > 0 ? seccomp_calls[seen->at].name : "something");
	if (seen != MAP_FAILED)
		munmap(seen, sizeof(*seen));
	return failed;
}
