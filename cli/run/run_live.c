// SPDX-License-Identifier: GPL-3.0-or-later
/* The screen is another process of this program (`scprof watch-run`), without the library that the
 * environment of the command names. */
#include "cli/run/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "profile/base/kernel_file.h"
#include "report/wording/utf8.h"

static int open_log(struct run_live *l, const char *directory, const char *command)
{
	const char *name = base_name(command);
	int fd = -1;

	for (int i = 0; fd < 0 && i < 1000; i++) {
		char number[16] = "";

		if (i)
			snprintf(number, sizeof(number), ".%d", i);
		if (snprintf(l->log, sizeof(l->log), "%s/scprof.%.200s.log%s", directory, name,
			     number) >= (int)sizeof(l->log))
			break;
		fd = open(l->log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
			  0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		say_format("--live: cannot write the command's output to %.300s: %s", l->log,
			   strerror(errno));
	return fd;
}

/* Puts `fd` in place of a standard descriptor that is a terminal, and keeps a copy of that. */
static int replace(struct run_live *l, int number, int fd)
{
	if (!isatty(number))
		return 0;
	l->kept[number] = fcntl(number, F_DUPFD_CLOEXEC, 3);
	return l->kept[number] < 0 || dup2(fd, number) < 0 ? -1 : 0;
}

int run_live_open(struct run_live *l, const char *directory, const char *command)
{
	*l = (struct run_live){
		.wished = true, .terminal = -1, .kept = {-1, -1, -1}, .end = -1, .log_fd = -1};
	l->terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (l->terminal < 0)
		return say_format(
			"--live needs a terminal: %s.\nWithout one: scprof run COMMAND & scprof "
			"top --batch $!",
			strerror(errno));
	if (!isatty(1) && !isatty(2))
		return 0;
	l->log_fd = open_log(l, directory, command);
	return l->log_fd < 0 ? -1 : 0;
}

void run_live_lend(struct run_live *l)
{
	if (!l->wished)
		return;
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing >= 0)
		replace(l, 0, nothing);
	if (l->log_fd >= 0 && !replace(l, 1, l->log_fd))
		replace(l, 2, l->log_fd);
	kernel_file_close(&nothing);
}

static void restore(struct run_live *l, int number)
{
	if (l->kept[number] < 0)
		return;
	fflush(stderr);
	dup2(l->kept[number], number);
	kernel_file_close(&l->kept[number]);
}

void run_live_take_back(struct run_live *l)
{
	for (int i = 0; l->wished && i < 3; i++)
		restore(l, i);
}

static void become_picture(const struct run_live *l, int end, const char *profiles,
			   const char *goes_on)
{
	char number[16], note[PATH_MAX + 64];
	sigset_t none;

	snprintf(number, sizeof(number), "%d", end);
	snprintf(note, sizeof(note), "%s%s", *l->log ? "The program's output goes to " : "",
		 l->log);
	for (int i = 0; i < 3; i++)
		dup2(l->terminal, i);
	fcntl(end, F_SETFD, 0);
	unsetenv("LD_PRELOAD");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/proc/self/exe", "scprof", "watch-run", number, note, profiles, goes_on,
	      (char *)NULL);
	_exit(127);
}

static struct run_live *shown; /* for run_live_say; NULL: none */

void run_live_begin(struct run_live *l, const char *profiles, const char *command, pid_t pid,
		    bool reports)
{
	int pipe_ends[2];
	char goes_on[400];

	if (!l->wished || l->terminal < 0)
		return;
	if (pipe2(pipe_ends, O_CLOEXEC)) {
		say_format("--live: no picture: %s", strerror(errno));
		return;
	}
	snprintf(goes_on, sizeof(goes_on), "%.255s (pid %d) runs on; Ctrl-C ends it. The %s.",
		 base_name(command), (int)pid,
		 reports ? "report comes when it ends" : "profile is saved when it ends");
	fflush(NULL);
	l->has_settings = !tcgetattr(l->terminal, &l->settings);
	l->pid = fork();
	if (!l->pid)
		become_picture(l, pipe_ends[0], profiles, goes_on);
	close(pipe_ends[0]);
	if (l->pid < 0) {
		say_format("--live: no picture: %s", strerror(errno));
		close(pipe_ends[1]);
		l->pid = 0;
		return;
	}
	l->end = pipe_ends[1];
	shown = l;
	if (l->log_fd >= 0)
		replace(l, 2, l->log_fd);
}

/* Only the file that we made: another one may have its name by now. */
static bool unlink_empty(const struct run_live *l)
{
	struct stat ours, there;

	return !fstat(l->log_fd, &ours) && !ours.st_size && !lstat(l->log, &there) &&
	       there.st_dev == ours.st_dev && there.st_ino == ours.st_ino && !unlink(l->log);
}

/* A screen process that was killed leaves the terminal without echo and line mode, on the alternate
 * screen. A process in the background would be stopped by SIGTTOU here. */
static void mend_terminal(const struct run_live *l)
{
	/* ECMA-48 and DEC: plain text, the normal screen, a cursor, plain keys */
	static const char leave[] = "\033[0m\033[?1049l\033[?25h\033[?1l\033>";
	sigset_t background, before;

	sigemptyset(&background);
	sigaddset(&background, SIGTTOU);
	sigprocmask(SIG_BLOCK, &background, &before);
	if (l->has_settings)
		tcsetattr(l->terminal, TCSADRAIN, &l->settings);
	if (write(l->terminal, leave, sizeof(leave) - 1) < 0) {
		/* the terminal has gone */
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Waits for the screen process, with waitpid's `flags`. */
static void note_quit(struct run_live *l, int flags)
{
	int status = 0;

	if (!l->pid || !TEMP_FAILURE_RETRY(waitpid(l->pid, &status, flags)))
		return;
	if (WIFSIGNALED(status))
		mend_terminal(l);
	l->pid = 0;
	restore(l, 2);
}

int run_live_say(const char *text)
{
	if (shown)
		note_quit(shown, WNOHANG);
	return say(text);
}

void run_live_end(struct run_live *l)
{
	if (!l->wished)
		return;
	kernel_file_close(&l->end);
	note_quit(l, 0);
	shown = NULL;
	restore(l, 2);
	kernel_file_close(&l->terminal);
	if (l->log_fd >= 0 && !unlink_empty(l))
		say_format("the command's output: %s", l->log);
	kernel_file_close(&l->log_fd);
	l->wished = false;
}
