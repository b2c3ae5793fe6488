// SPDX-License-Identifier: GPL-3.0-or-later
/* The tracer is a process in a session of its own: what ends this tool from outside, or from its
 * terminal, does not reach it, and it completes what it began. */
#include "collector/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/attach/attach_work.h"
#include "collector/clocks/clocks_read.h"
#include "profile/base/error.h"

#define LIMIT_MS  60000
#define LINGER_MS 60000 /* that the tracer stays for threads that were asked and do not stop */
#define CLOSE_MS  1500	/* of that, what is waited for */

_Static_assert(sizeof(struct attach_answer) <= 4096, "one write to a pipe");

static void no_op(int signal)
{
	(void)signal;
}

static void work(const struct attach_target *t, const struct attach_order *o, int to)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
	struct attach_answer a = {.status = -1};
	struct sigaction alarm = {.sa_handler = no_op};
	sigset_t none;

	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigaction(SIGALRM, &alarm, NULL); /* interrupts waits */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	struct attach_working *w = attach_work(t, o, &a);
	bool answered = write(to, &a, sizeof(a)) == sizeof(a);
	for (int fd = 0; fd < 3; fd++)
		close(fd); /* nobody waits for the end of what is written there */
	attach_work_end(w, LINGER_MS);
	_exit(!answered);
}

/* Wait for the answer. False: there is none. */
static bool receive(int from, struct attach_answer *a)
{
	struct pollfd p = {.fd = from, .events = POLLIN};
	uint64_t end = clocks_read_ns(CLOCK_MONOTONIC) / 1000000 + LIMIT_MS, now;
	int n, left = LIMIT_MS;

	while ((n = poll(&p, 1, left)) < 0 && errno == EINTR) {
		now = clocks_read_ns(CLOCK_MONOTONIC) / 1000000;
		if (now >= end)
			return false;
		left = (int)(end - now);
	}
	return n > 0 && read(from, a, sizeof(*a)) == sizeof(*a);
}

/* The tracer's answer, or why there is none. */
static int await_answer(const struct attach_target *t, pid_t tracer, int from,
			struct attach_answer *a)
{
	bool answered = receive(from, a);
	int status = 0;

	if (!answered)
		kill(tracer, SIGKILL);
	/* it may have to let go of a thread that does not stop: that is not waited for */
	for (int ms = 0; ms < CLOSE_MS; ms++) {
		pid_t ended = waitpid(tracer, &status, answered ? WNOHANG : 0);

		if (ended > 0 || (ended < 0 && errno != EINTR))
			break;
		usleep(1000);
	}
	if (answered) {
		a->error.text[sizeof(a->error.text) - 1] = '\0';
		a->result.profile[sizeof(a->result.profile) - 1] = '\0';
		return a->status;
	}
	return error_set(&a->error,
			 "process %d: the process that was to trace it was ended by signal %d; it "
			 "goes on by itself",
			 (int)t->pid, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static int run(const struct attach_target *t, const struct attach_order *o, struct attach_result *r,
	       bool *was, struct profile_error *err)
{
	struct attach_answer a = {.status = -1};
	int ends[2] = {-1, -1}, status = -1;
	pid_t pid = -1;

	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		error_set(&a.error, "cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		close(ends[0]);
		work(t, o, ends[1]);
	}
	close(ends[1]);
	if (pid > 0)
		status = await_answer(t, pid, ends[0], &a);
	close(ends[0]);
	*r = a.result;
	*was = a.was;
	*err = a.error;
	return status;
}

int attach_begin(const struct attach_order *o, struct attach_result *r, struct profile_error *err)
{
	bool was;

	return run(&o->target, o, r, &was, err);
}

int attach_end(const struct attach_target *t, struct attach_result *r, bool *was,
	       struct profile_error *err)
{
	return run(t, NULL, r, was, err);
}

#ifndef __x86_64__
/* Tracing is for one architecture. */
struct attach_working *attach_work(const struct attach_target *t, const struct attach_order *o,
				   struct attach_answer *a)
{
	(void)t, (void)o;
	a->status = -1;
	snprintf(a->error.text, sizeof(a->error.text),
		 "attaching by ptrace exists for x86-64 only; start the program with LD_PRELOAD "
		 "and SCPROF_STOPPED=1");
	return NULL;
}

void attach_sample(pid_t tid, void (*look)(void *context), void *context, double *held_ms)
{
	(void)tid, (void)look, (void)context, (void)held_ms;
}

void attach_work_end(struct attach_working *w, int limit_ms)
{
	(void)w, (void)limit_ms;
}
#endif
