// SPDX-License-Identifier: GPL-3.0-or-later
/* A command: started, waited for, and its status looked at, in loops. posix_spawn is the cheapest
 * way that libc has, so that the command makes most of the time. */
#include "collector/microbench/bench_subject.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* 0 and *status, or an errno. */
static int run_once(const char *path, char **command, int *status)
{
	pid_t pid;
	int error = posix_spawn(&pid, path, NULL, NULL, command, environ);

	if (error)
		return error;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

static int refuse_status(struct bench_subject *s, int status)
{
	if (WIFSIGNALED(status))
		return bench_subject_refuse(
			s->record, BENCH_DIED,
			"the command was killed by signal %d (%s); --any-status "
			"measures it all the same",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	return bench_subject_refuse(
		s->record, BENCH_DIED,
		"the command ended with status %d; --any-status measures it all the "
		"same",
		WEXITSTATUS(status));
}

static int run(struct bench_subject *s, uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		int status, error = run_once(s->plan->path, s->plan->command, &status);

		if (error)
			return bench_subject_refuse(
				s->record,
				error == EAGAIN || error == ENOMEM ? BENCH_FAILED : BENCH_BAD,
				"cannot run %s: %s", s->plan->path, strerror(error));
		if (status && !s->plan->any_status)
			return refuse_status(s, status);
	}
	return 0;
}

static int run_empty(struct bench_subject *s, uint64_t calls, unsigned int turn)
{
	char *command[] = {s->empty_path, NULL};

	(void)turn;
	for (uint64_t i = 0; s->record->empty_known && i < calls; i++) {
		int status, error = run_once(s->empty_path, command, &status);

		if (error || status)
			return bench_subject_refuse(s->record, BENCH_FAILED,
						    "the empty command: %s",
						    error ? strerror(error) : "it failed");
	}
	return 0;
}

int bench_command_open(struct bench_subject *s)
{
	char *command[] = {s->empty_path, NULL};
	int status;

	/* where programs in memory may not be executed, there is none to compare with */
	s->record->empty_known = !bench_empty_program(s->empty_path, sizeof(s->empty_path)) &&
				 !run_once(s->empty_path, command, &status) && !status;
	s->run = run;
	s->run_empty = run_empty;
	s->rusage_who = RUSAGE_CHILDREN;
	return 0;
}
