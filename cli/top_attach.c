// SPDX-License-Identifier: GPL-3.0-or-later
/* It writes the directory into a pipe, which it holds open as long as it lives. */
#include "cli/top_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/messages/complaint.h"

#define FAILED 125

static _Noreturn void become_attach(int end, int said, const char *pid, char **options)
{
	size_t count = 0, n = 3;
	char number[16], **argv;

	while (options[count])
		count++;
	argv = calloc(count + 6, sizeof(*argv));
	if (!argv)
		_exit(FAILED);
	snprintf(number, sizeof(number), "%d", end);
	argv[0] = strdup("scprof");
	argv[1] = strdup("attach-watched");
	argv[2] = number;
	for (size_t i = 0; i < count; i++)
		argv[n++] = options[i];
	argv[n++] = strdup("--");
	argv[n++] = strdup(pid);
	fcntl(end, F_SETFD, 0);
	dup2(said, STDERR_FILENO);
	dup2(said, STDOUT_FILENO);
	setpgid(0, 0); /* Ctrl-C is for the picture */
	execv("/proc/self/exe", argv);
	_exit(FAILED);
}

static void print_said(int said)
{
	char text[4096];
	ssize_t bytes;

	fflush(stdout);
	lseek(said, 0, SEEK_SET);
	while ((bytes = read(said, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)bytes, stderr);
}

/* One line, without its end. */
static int read_directory(struct top_attach *t)
{
	size_t used = 0;
	ssize_t bytes;

	while (used + 1 < sizeof(t->directory)) {
		bytes = read(t->end, t->directory + used, 1);
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return -1;
		if (t->directory[used] == '\n') {
			t->directory[used] = '\0';
			return 0;
		}
		used++;
	}
	return -1;
}

int top_attach_begin(struct top_attach *t, const char *pid, char **options)
{
	int ends[2];

	*t = (struct top_attach){.end = -1, .said = memfd_create("scprof-said", MFD_CLOEXEC)};
	if (t->said < 0 || pipe2(ends, O_CLOEXEC)) {
		complaint_say("scprof top", "cannot start scprof attach: %s", strerror(errno));
		return FAILED;
	}
	fflush(NULL);
	t->pid = fork();
	if (!t->pid)
		become_attach(ends[1], t->said, pid, options);
	close(ends[1]);
	t->end = ends[0];
	if (t->pid > 0 && !read_directory(t))
		return 0;
	if (t->pid < 0)
		complaint_say("scprof top", "cannot start scprof attach: %s", strerror(errno));
	int status = top_attach_end(t);
	return status ? status : FAILED;
}

int top_attach_end(struct top_attach *t)
{
	int status = 0;

	if (t->pid > 0) {
		kill(t->pid, SIGTERM);
		while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	if (t->said >= 0) {
		print_said(t->said);
		close(t->said);
	}
	if (t->end >= 0)
		close(t->end);
	*t = (struct top_attach){.end = -1, .said = -1};
	return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}
