// SPDX-License-Identifier: GPL-3.0-or-later
/* Whatever ends the tool closes its end of a pipe. The guard is in a session of its own, so that
 * what a terminal or a shell sends to the tool's process group does not reach it; and it has closed
 * all that the tool has open, among it the run's lock, by which others know that the tool lives. */
#include "cli/attach/attach_targets.h"
#include "collector/machine/kernel_numbers.h"
#include "profile/base/kernel_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE 3 /* its descriptor there */

/* `scprof detach` of these. */
static char **words_of(const struct attach_targets *t)
{
	char **words = calloc(t->count + 3, sizeof(*words));

	if (!words)
		_exit(0);
	words[0] = "scprof";
	words[1] = "detach";
	for (size_t i = 0; i < t->count; i++) {
		const struct refusal_facts *f = &t->one[i].facts;

		if (!f->target.pid)
			words[2 + i] = (char *)f->wake;
		else if (asprintf(&words[2 + i], "%d", (int)f->target.pid) < 0)
			_exit(0);
	}
	return words;
}

static void keep_guard(int from, char **words)
{
	static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
	sigset_t none;
	char word;

	setsid();
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		signal(ending[i], SIG_IGN); /* the others are held */
	if (dup2(from, PIPE) < 0 || syscall(SYS_close_range, PIPE + 1, ~0u, 0) < 0)
		return;
	for (int fd = 0; fd < PIPE; fd++) {
		close(fd);
		if (open("/dev/null", O_RDWR) != fd)
			return;
	}
	if (read(PIPE, &word, 1) != 0) /* all is well */
		return;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* by its own file, which the tool's name may not lead to any more */
	execv("/proc/self/exe", words);
}

void attach_guard_begin(struct attach_guard *g, const struct attach_targets *t)
{
	sigset_t all, before;
	int fd[2];

	*g = (struct attach_guard){.fd = -1};
	if (pipe2(fd, O_CLOEXEC))
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	g->pid = fork();
	if (!g->pid) {
		keep_guard(fd[0], words_of(t));
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(fd[0]);
	g->fd = fd[1];
	if (g->pid < 0)
		kernel_file_close(&g->fd);
}

void attach_guard_end(struct attach_guard *g)
{
	if (g->fd < 0)
		return;
	if (write(g->fd, "", 1) < 0)
		kill(g->pid, SIGKILL); /* it is gone, and is waited for below */
	kernel_file_close(&g->fd);
	waitpid(g->pid, NULL, 0);
}
