// SPDX-License-Identifier: GPL-3.0-or-later
/* The run is scprof itself, executed anew: it takes signals, makes directories and gathers as ever.
 */
#include "cli/diff/diff_live_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/diff/diff_files.h"
#include "cli/messages/complaint.h"
#include "collector/launch/launch.h"
#include "collector/launch/layout.h"

/* Options and their values before the command. */
#define BEFORE 12
/* Of what the run said, when it failed. */
#define LINES 8
/* Exit status of scprof run's own failures and of commands that cannot be executed. */
#define NO_COMMAND 125

static volatile sig_atomic_t stopped;
static volatile pid_t running;

/* ---- the command ---- */

static bool is_words(const char *text)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "_./:,@%+=- \t";
	size_t first = strcspn(text + strspn(text, " \t"), " \t");

	/* a first word with = in it sets a variable */
	return first && !text[strspn(text, plain)] &&
	       !memchr(text + strspn(text, " \t"), '=', first);
}

int diff_live_command_read(struct diff_live_command *c, const char *side, const char *text)
{
	size_t n = 0;
	char *rest = NULL;

	*c = (struct diff_live_command){.side = side, .text = text};
	c->words = strdup(text);
	c->argv = calloc(strlen(text) / 2 + 5, sizeof(*c->argv));
	if (!c->words || !c->argv) {
		diff_live_command_free(c);
		return -1;
	}
	if (is_words(text)) {
		for (char *w = strtok_r(c->words, " \t", &rest); w;
		     w = strtok_r(NULL, " \t", &rest))
			c->argv[n++] = w;
		return 0;
	}
	c->argv[n++] = "/bin/sh";
	c->argv[n++] = "-c";
	c->argv[n++] = c->words;
	return 0;
}

void diff_live_command_free(struct diff_live_command *c)
{
	free(c->argv);
	free(c->words);
	c->argv = NULL;
	c->words = NULL;
}

/* ---- signals ---- */

/* What a terminal sends, it sends to the run, too. */
static void take(int number, siginfo_t *info, void *context)
{
	pid_t to = running;
	int error = errno;

	(void)context;
	stopped = number;
	if (to > 0 && info->si_code != SI_KERNEL)
		kill(to, number);
	errno = error;
}

void diff_live_run_take_signals(void)
{
	const int taken[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART}, now;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!sigaction(taken[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(taken[i], &action, NULL);
}

bool diff_live_run_stopped(void)
{
	return stopped != 0;
}

/* ---- a run ---- */

static char **arguments_of(const struct diff_live_command *c, const struct diff_live_recording *how,
			   const char *profile)
{
	const char *const value[][2] = {
		{"-c", how->clock}, {"-s", how->symbols}, {"-g", how->groups}, {"-o", profile}};
	size_t words = 0, n = 0;
	char **argv;

	while (c->argv[words])
		words++;
	argv = calloc(words + BEFORE + 1, sizeof(*argv));
	if (!argv)
		return NULL;
	argv[n++] = "scprof";
	argv[n++] = "run";
	argv[n++] = "--no-report";
	for (size_t i = 0; i < sizeof(value) / sizeof(*value); i++) {
		if (!value[i][1])
			continue;
		argv[n++] = (char *)value[i][0];
		argv[n++] = (char *)value[i][1];
	}
	argv[n++] = "--";
	memcpy(&argv[n], c->argv, words * sizeof(*argv));
	return argv;
}

static int redirect(const char *path, int flags, int descriptor)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd < 0 || dup2(fd, descriptor) < 0 ? -1 : 0;
}

static _Noreturn void become(char **argv, const char *said, const sigset_t *mask)
{
	if (!layout_draw() && !redirect("/dev/null", O_RDONLY, STDIN_FILENO) &&
	    !redirect("/dev/null", O_WRONLY, STDOUT_FILENO) &&
	    !redirect(said, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO) &&
	    !sigprocmask(SIG_SETMASK, mask, NULL))
		execv("/proc/self/exe", argv);
	dprintf(STDERR_FILENO, "scprof: cannot begin a run: %s\n", strerror(errno));
	_exit(NO_COMMAND);
}

/* A signal that comes before `running` is set waits until it is. */
static pid_t start(char **argv, const char *said)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid)
		become(argv, said, &before);
	running = pid;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* The last lines, of which the run's own are the last. */
static void say_what_it_said(const char *said)
{
	char line[LINES][512];
	FILE *f = fopen(said, "re");
	size_t n = 0;

	while (f && fgets(line[n % LINES], sizeof(*line), f))
		n++;
	if (f)
		fclose(f);
	for (size_t i = n > LINES ? n - LINES : 0; i < n; i++) {
		char *text = line[i % LINES];

		text[strcspn(text, "\n")] = '\0';
		complaint_print("    ", text);
	}
}

static int check(const struct diff_live_command *c, int status, const char *profile,
		 const char *said)
{
	if (stopped)
		return -1;
	if (status)
		complaint_say(
			DIFF_COMMAND,
			"%s, %.200s, ended with status %d: nothing is compared. Where that is "
			"no failure, write '... || true'",
			c->side, c->text, status);
	else if (access(profile, R_OK))
		complaint_say(DIFF_COMMAND, "%s, %.200s, has left no profile", c->side, c->text);
	else
		return 0;
	say_what_it_said(said);
	return -1;
}

int diff_live_run(const struct diff_live_command *c, const struct diff_live_recording *how,
		  const char *profile, const char *said)
{
	char **argv = arguments_of(c, how, profile);
	int status = 0;
	pid_t pid;

	unlink(profile);
	pid = argv ? start(argv, said) : -1;
	free(argv);
	if (pid < 0) {
		complaint_say(DIFF_COMMAND, "cannot start a process: %s", strerror(errno));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	return check(c, launch_exit_status(status), profile, said);
}
