// SPDX-License-Identifier: GPL-3.0-or-later
/* Each recording is scprof executed anew, with the same words and an output of its own: later
 * options win over earlier ones. */
#include "cli/run/run_again.h"
#include "cli/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/child_run.h"
#include "cli/run/recording.h"
#include "report/symbols/function_names.h"

/* Words before the operands: --no-report --runs=1 -o PATH --tick=TICK --exact-tick -- */
#define ADDED  7
#define SUFFIX ".scp"

struct again {
	const char *command;
	const struct run_options *options;
	struct run_output output;
	char tick[40]; /* an option: of one tick the sums of all can be added; "": no page clock */
	char **path;   /* of the recordings that left a profile */
	uint32_t paths;
};

int run_again_check(const struct run_options *o)
{
	const char *what = o->filters.attached ? "--windows" : "--runs";

	if (o->runs < 2)
		return 0;
	if (o->live)
		say_format("%s and --live: one picture cannot show several recordings", what);
	else if (o->displace)
		say_format("%s and --displace: scprof displace has replications of its own", what);
	else if (o->filters.attached && !o->filters.length && !(o->until > 0))
		say_format("%s needs a length: --for 5s, or --until 5%%", what);
	else
		return 0;
	return -1;
}

/* "r.scp" becomes "r.2.scp". NULL: out of memory. */
static char *path_of(const struct again *a, uint32_t run)
{
	const char *path = a->output.path, *suffix = "";
	size_t length = strlen(path), end = strlen(SUFFIX);
	char *numbered = NULL;

	if (length > end && !strcmp(path + length - end, SUFFIX)) {
		length -= end;
		suffix = SUFFIX;
	}
	if (asprintf(&numbered, "%.*s.%u%s", (int)length, path, run, suffix) < 0)
		return NULL;
	return numbered;
}

/* The words of one recording; `operands` begin in argv. */
static char **words_of(const struct again *a, int argc, char **argv, int operands, char *path)
{
	int options = !strcmp(argv[operands - 1], "--") ? operands - 1 : operands, n = 2;
	char **words = calloc((size_t)argc + ADDED + 2, sizeof(*words));

	if (!words)
		return NULL;
	words[0] = "scprof";
	words[1] = (char *)a->command;
	for (int i = 1; i < options; i++)
		words[n++] = argv[i];
	words[n++] = "--no-report";
	words[n++] = a->options->filters.attached ? "--windows=1" : "--runs=1";
	words[n++] = "-o";
	words[n++] = path;
	if (*a->tick) {
		words[n++] = (char *)a->tick;
		words[n++] = "--exact-tick";
	}
	words[n++] = "--";
	for (int i = operands; i < argc; i++)
		words[n++] = argv[i];
	return words;
}

/* Was the file written meanwhile? An older one is no profile of this run, and stays if nothing
 * replaces it. `before`: st_ino 0 where there was none. */
static bool is_new(const char *path, const struct stat *before)
{
	struct stat now;

	return !stat(path, &now) &&
	       (now.st_ino != before->st_ino || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

/* Its exit status. */
static int record(struct again *a, uint32_t run, int argc, char **argv, int operands)
{
	char *path = path_of(a, run), **words = NULL;
	struct stat before = {0};
	int status = -1;

	if (path && stat(path, &before))
		before = (struct stat){0};
	if (path)
		words = words_of(a, argc, argv, operands, path);
	say_format("%s %u of %u", a->options->filters.attached ? "window" : "run", run,
		   a->options->runs);
	if (words)
		status = child_run(words, NULL, NULL);
	if (status < 0)
		say_format("cannot start a run: %s", strerror(errno));
	free(words);
	if (path && is_new(path, &before))
		a->path[a->paths++] = path;
	else
		free(path);
	return status < 0 ? FAILED : status;
}

static int report(const struct again *a)
{
	struct profile_error err = {""};
	struct profile *p = profile_open((const char *const *)a->path, a->paths, &err);

	if (!p)
		return say(err.text);
	function_names_fill(p);
	run_output_report(&a->output, a->options, NULL, p);
	profile_free(p);
	return 0;
}

static int record_all(struct again *a, int argc, char **argv, int operands)
{
	int status = 0;

	child_run_take_signals();
	for (uint32_t run = 1; run <= a->options->runs && !child_run_stopped(); run++) {
		int ended = record(a, run, argc, argv, operands);

		status = status ? status : ended;
		if (ended >= FAILED && ended <= FAILED + 2) /* scprof's own, or no command */
			break;
	}
	if (a->paths && report(a))
		status = status ? status : FAILED;
	if (a->paths)
		say_format("%u profiles: %s%s%s\nread them again with: scprof report FILE...",
			   a->paths, a->path[0], a->paths > 1 ? " to " : "",
			   a->paths > 1 ? a->path[a->paths - 1] : "");
	return status;
}

int run_again(const char *command, int argc, char **argv, const struct run_options *o,
	      uint64_t tick_ns)
{
	static struct again a; /* paths: too large for the stack */
	int operands = optind, status = FAILED;
	char name[64];

	a = (struct again){.command = command, .options = o};
	if (run_output_check(o->output, &a.output))
		return FAILED;
	snprintf(name, sizeof(name), "attach.%.40s", *o->command);
	run_output_name(&a.output, o->filters.attached ? name : *o->command, getpid());
	if (tick_ns)
		snprintf(a.tick, sizeof(a.tick), "--tick=%" PRIu64 "ns", tick_ns);
	a.path = calloc(o->runs, sizeof(*a.path));
	if (a.path)
		status = record_all(&a, argc, argv, operands);
	else
		say("out of memory");
	for (uint32_t i = 0; a.path && i < a.paths; i++)
		free(a.path[i]);
	free(a.path);
	return status;
}
