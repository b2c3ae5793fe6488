// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run/child_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/run/recording.h"

static volatile sig_atomic_t stopped;
static volatile pid_t running;

static void take(int number, siginfo_t *info, void *context)
{
	pid_t to = running;
	int error = errno;

	(void)context;
	if (number != SIGUSR1 && number != SIGUSR2) /* those mean nothing to us */
		stopped = number;
	if (to > 0 && !launch_group_has(number, info->si_code))
		kill(to, number);
	errno = error;
}

void child_run_take_signals(void)
{
	const int taken[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART}, now;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!sigaction(taken[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(taken[i], &action, NULL);
}

bool child_run_stopped(void)
{
	return stopped != 0;
}

static _Noreturn void become(char **argv, int (*prepare)(void *), void *context,
			     const sigset_t *mask)
{
	if ((!prepare || !prepare(context)) && !sigprocmask(SIG_SETMASK, mask, NULL))
		execv("/proc/self/exe", argv);
	dprintf(STDERR_FILENO, "scprof: cannot begin a run: %s\n", strerror(errno));
	_exit(FAILED);
}

/* A signal that comes before `running` is set waits until it is. */
static pid_t start(char **argv, int (*prepare)(void *), void *context)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid_t pid = fork();
	if (!pid)
		become(argv, prepare, context, &before);
	running = pid;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

int child_run(char **argv, int (*prepare)(void *context), void *context)
{
	pid_t pid = start(argv, prepare, context);
	int status = 0;

	if (pid < 0)
		return -1;
	/* the first process of a container is the parent of all that others leave behind */
	pid_t ended, any = getpid() == 1 ? -1 : pid;
	do
		ended = waitpid(any, &status, 0);
	while (ended != pid && (ended > 0 || errno == EINTR));
	running = 0;
	return launch_exit_status(status);
}
