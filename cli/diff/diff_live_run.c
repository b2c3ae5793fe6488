// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/diff/diff_live_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/diff/diff_files.h"
#include "cli/messages/complaint.h"
#include "cli/run/child_run.h"
#include "collector/launch/layout.h"

/* Options and their values before the command. */
#define BEFORE 12
/* Of what the run said, when it failed. */
#define LINES 8

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

int diff_live_command_take(struct diff_live_command *c, const char *side, char **words)
{
	size_t n = 0;

	if (!words[1] && strpbrk(words[0], " \t"))
		return diff_live_command_read(c, side, words[0]);
	while (words[n])
		n++;
	*c = (struct diff_live_command){.side = side, .text = words[0]};
	c->argv = calloc(n + 1, sizeof(*c->argv));
	if (!c->argv)
		return -1;
	memcpy(c->argv, words, n * sizeof(*words));
	return 0;
}

void diff_live_command_free(struct diff_live_command *c)
{
	free(c->argv);
	free(c->words);
	c->argv = NULL;
	c->words = NULL;
}

/* ---- a run ---- */

int diff_live_directory(char *path, size_t room)
{
	const char *where = getenv("TMPDIR");

	snprintf(path, room, "%s/scprof-diff.XXXXXX", where && *where ? where : "/tmp");
	if (mkdtemp(path))
		return 0;
	complaint_say(DIFF_COMMAND, "cannot make a directory like %s: %s", path, strerror(errno));
	*path = '\0';
	return -1;
}

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

/* In the child: `said` is where its words go. */
static int prepare(void *said)
{
	return layout_draw() || redirect("/dev/null", O_RDONLY, STDIN_FILENO) ||
	       redirect("/dev/null", O_WRONLY, STDOUT_FILENO) ||
	       redirect(said, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
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
	if (child_run_stopped())
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
	char *words = strdup(said);
	int status;

	unlink(profile);
	status = argv && words ? child_run(argv, prepare, words) : -1;
	free(argv);
	free(words);
	if (status >= 0)
		return check(c, status, profile, said);
	complaint_say(DIFF_COMMAND, "cannot start a process: %s", strerror(errno));
	return -1;
}
