// SPDX-License-Identifier: GPL-3.0-or-later
/* A command: started, waited for, and its status looked at, in loops. posix_spawn is the cheapest
 * way that libc has, so that the command makes most of the time. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/bench/bench_subject.h"

/* 0 and *status, or an errno. */
static int run_once(const char *path, char **command, int *status)
{
	pid_t pid;
	int error = posix_spawn(&pid, path, NULL, NULL, command, environ);

	if (error)
		return error;
	return TEMP_FAILURE_RETRY(waitpid(pid, status, 0)) < 0 ? errno : 0;
}

static int run(struct bench_subject *s, uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		int status, error = run_once(s->plan->path, s->plan->command, &status);

		if (error)
			return bench_measure_refuse(
				s->record,
				error == EAGAIN || error == ENOMEM ? BENCH_FAILED : BENCH_BAD,
				"cannot run %s: %s", s->plan->path, strerror(error));
		if (status && !s->plan->any_status) {
			char how[64];

			snprintf(how, sizeof(how),
				 WIFSIGNALED(status) ? "was killed by signal %d (%s)"
						     : "ended with status %d",
				 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
				 strsignal(WTERMSIG(status)));
			return bench_measure_refuse(
				s->record, BENCH_DIED,
				"the command %s; --any-status measures it all the same", how);
		}
	}
	return 0;
}

/* What starting anything takes is measured as the time of `true`. */
static int run_nothing(struct bench_subject *s, uint64_t calls, unsigned int turn)
{
	(void)s, (void)calls, (void)turn;
	return 0;
}

int bench_command_open(struct bench_subject *s)
{
	s->run = run;
	s->run_empty = run_nothing;
	s->rusage_who = RUSAGE_CHILDREN;
	return 0;
}
