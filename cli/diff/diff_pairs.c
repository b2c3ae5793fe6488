// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/diff/diff_cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "cli/run/child_run.h"
#include "cli/usage/output.h"
#include "collector/launch/environment.h"
#include "report/symbols/function_names.h"

/* Options and their values before the command. */
#define BEFORE 12
/* Lines shown of the output of a failed run. */
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

/* Without a shell where the text is only words: letters, digits, and of other characters
 * those that no shell reads. -1: out of memory. */
static int read_text(struct diff_command *c)
{
	size_t n = 0;
	char *rest = NULL;

	c->words = strdup(c->text);
	c->argv = c->split = calloc(strlen(c->text) / 2 + 5, sizeof(*c->split));
	if (!c->words || !c->argv)
		return -1;
	if (is_words(c->text)) {
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

static int read_commands(struct diff_pairs *p, const struct diff_arguments *a)
{
	for (int side = 0; side < 2; side++) {
		char **words = a->words[side];
		struct diff_command *c = &p->command[side];

		c->side = side ? "NEW" : a->live ? "BASE" : "OLD";
		c->text = a->live ? a->file[side] : words[0];
		c->argv = words;
		if ((a->live || (!words[1] && strpbrk(words[0], " \t"))) && read_text(c))
			return -1;
	}
	return 0;
}

/* ---- the files ---- */

static int make_directory(struct diff_pairs *p)
{
	const char *where = getenv("TMPDIR");

	if (asprintf(&p->directory, "%s/scprof-diff.XXXXXX", where && *where ? where : "/tmp") < 0)
		p->directory = NULL;
	if (p->directory && mkdtemp(p->directory))
		return 0;
	complaint_say(DIFF_COMMAND, "cannot make a directory like %s: %s",
		      p->directory ? p->directory : "/tmp", strerror(errno));
	PROF_FREE(p, directory);
	return -1;
}

static int name_files(struct diff_pairs *p)
{
	p->file = calloc(2 * (size_t)p->pairs, sizeof(*p->file));
	if (!p->file || asprintf(&p->said, "%s/said", p->directory) < 0) {
		p->said = NULL;
		return -1;
	}
	for (uint32_t i = 0; i < 2 * p->pairs; i++) {
		char *name;

		if (asprintf(&name, "%s/%s.%u.scp", p->directory, i < p->pairs ? "old" : "new",
			     i % p->pairs + 1) < 0)
			return -1;
		p->file[i] = name;
	}
	return 0;
}

int diff_pairs_begin(struct diff_pairs *p, const struct diff_arguments *a)
{
	*p = (struct diff_pairs){.arguments = a, .pairs = a->live ? 1 : a->runs};
	random_seed(&p->random, random_fresh_seed());
	if (make_directory(p))
		return -1;
	if (name_files(p) || read_commands(p, a))
		return complaint_say(DIFF_COMMAND, "out of memory");
	child_run_take_signals();
	return 0;
}

void diff_pairs_end(struct diff_pairs *p)
{
	for (uint32_t i = 0; p->file && i < 2 * p->pairs && p->file[i]; i++) {
		unlink(p->file[i]);
		free((char *)p->file[i]);
	}
	if (p->said)
		unlink(p->said);
	if (p->directory)
		rmdir(p->directory);
	for (int side = 0; side < 2; side++)
		PROF_FREE(&p->command[side], split, words);
	PROF_FREE(p, said, directory, file);
	*p = (struct diff_pairs){0};
}

/* ---- a run ---- */

static char **arguments_of(const struct diff_pairs *p, const struct diff_command *c,
			   const char *profile)
{
	const struct diff_arguments *a = p->arguments;
	const char *const value[][2] = {
		{"-c", a->clock}, {"-s", a->symbols}, {"-g", a->groups}, {"-o", profile}};
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

/* Runs in the child; `said` receives its output. */
static int prepare(void *said)
{
	return environment_draw_layout() || redirect("/dev/null", O_RDONLY, STDIN_FILENO) ||
	       redirect("/dev/null", O_WRONLY, STDOUT_FILENO) ||
	       redirect(said, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
}

/* The last lines, of which the run's own are the last: those that name its profile are left out,
 * since that is removed. */
static void say_what_it_said(const struct diff_pairs *p)
{
	char line[LINES][512];
	FILE *f = fopen(p->said, "re");
	size_t n = 0;

	while (f && fgets(line[n % LINES], sizeof(*line), f))
		n += !strstr(line[n % LINES], p->directory);
	if (f)
		fclose(f);
	for (size_t i = n > LINES ? n - LINES : 0; i < n; i++) {
		char *text = line[i % LINES];

		text[strcspn(text, "\n")] = '\0';
		complaint_print("    ", text);
	}
}

static int check(const struct diff_pairs *p, const struct diff_command *c, int status,
		 const char *profile)
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
	say_what_it_said(p);
	return -1;
}

static int run_one(struct diff_pairs *p, const struct diff_command *c, const char *profile)
{
	char **argv = arguments_of(p, c, profile);

	unlink(profile);
	int status = argv ? child_run(argv, prepare, p->said) : -1;
	free(argv);
	if (status >= 0)
		return check(p, c, status, profile);
	return complaint_say(DIFF_COMMAND, "cannot start a process: %s", strerror(errno));
}

int diff_pairs_run(struct diff_pairs *p, uint32_t pair)
{
	unsigned first = (unsigned)random_below(&p->random, 2);
	int failed = 0;

	for (unsigned i = 0; i < 2 && !failed; i++) {
		unsigned side = first ^ i;

		failed = child_run_stopped() ||
			 run_one(p, &p->command[side], p->file[side * p->pairs + pair]);
	}
	return failed ? -1 : 0;
}

/* ---- their profiles, or those that are given ---- */

void diff_files_free(struct diff_files *f)
{
	diff_model_free(f->diff);
	for (uint32_t i = 0; f->profile && i < f->files; i++)
		profile_free(f->profile[i]);
	free(f->profile);
	*f = (struct diff_files){0};
}

static int open_all(struct diff_files *f, const char *const *file)
{
	struct profile_error why;
	int status = 0;

	for (uint32_t i = 0; i < f->files; i++) {
		f->profile[i] = profile_open(&file[i], 1, &why);
		if (f->profile[i]) {
			function_names_fill(f->profile[i]);
			continue;
		}
		complaint_lines(DIFF_COMMAND, why.text);
		status = -1;
	}
	return status;
}

int diff_files_compare(struct diff_files *f, const char *const *file, uint32_t files,
		       uint32_t bases, const struct diff_options *o)
{
	struct profile_error why;

	*f = (struct diff_files){calloc(files + 1, sizeof(*f->profile)), files, NULL};
	if (!f->profile)
		return complaint_say(DIFF_COMMAND, "out of memory");
	if (open_all(f, file))
		return -1;
	const struct profile *const *all = (const struct profile *const *)f->profile;

	inputs_tell_same(DIFF_COMMAND, all, bases);
	inputs_tell_same(DIFF_COMMAND, all + bases, files - bases);
	f->diff = diff_model_build(all, files, bases, o, &why);
	if (!f->diff)
		complaint_lines(DIFF_COMMAND, why.text);
	return f->diff ? 0 : -1;
}
