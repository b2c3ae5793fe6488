// SPDX-License-Identifier: GPL-3.0-or-later
/* A filter that can match nothing is refused before the command starts: else the user would see it
 * only after a long run. */
#include "cli/run/run_filters.h"
#include "include/scprof_control.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/attach/as_user.h"
#include "collector/select/below.h"
#include "collector/duration.h"
#include "profile/base/error.h"
#include "cli/messages/nearest.h"
#include "cli/usage/quantity.h"
#include "cli/messages/say.h"
#include "cli/usage/options.h"

#define NAME_MOST 15  /* characters of a thread's name */
#define LIST_MOST 900 /* of all patterns together: the profile has them */

static int join(char **list, const char *value)
{
	char *joined = NULL;

	if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", value) < 0) {
		say("out of memory");
		return -1;
	}
	free(*list);
	*list = joined;
	return 0;
}

int run_filters_take(struct run_filters *f, int option, const char *value)
{
	switch (option) {
	case RUN_OPTION_BELOW:
		return join(&f->below, value);
	case RUN_OPTION_THREAD:
		return join(&f->threads, value);
	case RUN_OPTION_DEPTH:
		f->depth = value;
		return 0;
	case RUN_OPTION_NATIVE:
		f->native = "1";
		return 0;
	case RUN_OPTION_NO_PYTHON:
		f->python = "off";
		return 0;
	case RUN_OPTION_AFTER:
		f->after = value;
		return 0;
	case RUN_OPTION_FOR:
		f->length = value;
		return 0;
	case RUN_OPTION_SIGNAL:
		f->signal = value;
		return 0;
	default:
		f->stopped = true;
		return 0;
	}
}

void run_filters_end(struct recording_control **w)
{
	if (*w && recording_control_stop(*w))
		say("a process that was measured cut the page that stops and starts recording:\n"
		    "what was recorded may begin and end elsewhere");
	*w = NULL;
}

void run_filters_free(struct run_filters *f)
{
	free(f->below);
	free(f->threads);
	f->below = f->threads = NULL;
}

static int take_variables(struct run_filters *f)
{
	const char *below = options_variable("SCPROF_BELOW"),
		   *threads = options_variable("SCPROF_THREADS");
	const char *stopped = options_variable("SCPROF_STOPPED");

	if ((!f->below && below && join(&f->below, below)) ||
	    (!f->threads && threads && join(&f->threads, threads)))
		return -1;
	f->depth = f->depth ? f->depth : options_variable("SCPROF_DEPTH");
	f->after = f->after ? f->after : options_variable("SCPROF_AFTER");
	f->length = f->length ? f->length : options_variable("SCPROF_FOR");
	if (f->attached) /* begins when it is told to */
		return 0;
	f->signal = f->signal ? f->signal : options_variable("SCPROF_SIGNAL");
	f->stopped |= stopped && strcmp(stopped, "0") != 0;
	return 0;
}

/* A name that no thread can have certainly matches nothing. */
static int check_threads(const char *list)
{
	if (list && strlen(list) > LIST_MOST) {
		say_format("--thread: more than %d characters of names; shorten them by globs",
			   LIST_MOST);
		return -1;
	}
	for (const char *at = list; list; at += strcspn(at, ",") + 1) {
		size_t length = strcspn(at, ",");

		if (!length) {
			say_format("--thread: a pattern without a name: '%s'.\n"
				   "Write names or globs, separated by commas: 'main,io-*'",
				   list);
			return -1;
		}
		if (length > NAME_MOST && !memchr(at, '*', length) && !memchr(at, '[', length) &&
		    !memchr(at, '\\', length)) {
			say_format("--thread: no thread can be called '%.*s': names have at most "
				   "%d characters.\nShorten it: '%.*s*'",
				   (int)length, at, NAME_MOST, NAME_MOST - 1, at);
			return -1;
		}
		if (!at[length])
			break;
	}
	return 0;
}

static int check_depth(const char *text)
{
	uint64_t depth;

	if (!text || !quantity_count(text, 1, SCP_MAX_FRAMES, &depth))
		return 0;
	say_format("--depth: '%s' is no number of frames between 1 and %u", text, SCP_MAX_FRAMES);
	return -1;
}

static int check_python(const struct run_filters *f)
{
	if (!f->native || !f->python)
		return 0;
	say("--native keeps C frames beside Python functions, and --no-python reads none of "
	    "those.\n"
	    "C frames alone are what --no-python records");
	return -1;
}

static int check_time(const char *option, const char *text, uint64_t *ns)
{
	if (!text || (!duration_parse(text, ns) && *ns))
		return 0;
	say_format("%s: '%s' is no time.\nWrite a number and its unit: 500ms, 5s, 0.5s", option,
		   text);
	return -1;
}

static int check_signal(const char *text, int *number)
{
	const char *name = text && !strncmp(text, "SIG", 3) ? text + 3 : text;

	if (!text)
		return 0;
	*number = !strcmp(name, "USR1") ? SIGUSR1 : !strcmp(name, "USR2") ? SIGUSR2 : 0;
	if (*number)
		return 0;
	say_format("--signal: '%s' is neither USR1 nor USR2, which scprof takes itself.\n"
		   "Other signals are the program's",
		   text);
	return -1;
}

int run_filters_check(struct run_filters *f)
{
	struct recording_plan *plan = &f->plan;

	if (take_variables(f) || check_threads(f->threads) || check_depth(f->depth) ||
	    check_python(f) || check_time("--after", f->after, &plan->after_ns) ||
	    check_time("--for", f->length, &plan->for_ns) || check_signal(f->signal, &plan->signal))
		return -1;
	/* without a signal the program starts recording, not the tool */
	plan->stopped = f->stopped && (f->signal || !f->until);
	if (f->below && !*f->below) {
		say("--below: which function? Write names or globs, such as 'handle_*'");
		return -1;
	}
	if (f->stopped && (f->after || (f->length && !f->signal))) {
		say_format(
			"--stopped waits for %s, and %s goes by the clock.\nLeave one of them out",
			f->signal ? "a signal" : "the program's SCPROF_START",
			f->after ? "--after" : "--for");
		return -1;
	}
	return 0;
}

static void complain(struct below *b, const struct profile_error *err)
{
	char near[256] = "";

	if (b->unmatched && b->unmatched->is_exact)
		nearest_names(b->unmatched->name, (const char **)b->near, b->nears, near,
			      sizeof(near));
	if (*near)
		say_format("%s.\nNear: %s", err->text, near);
	else if (b->unmatched)
		say_format(
			"%s.\nA function that was inlined everywhere, or whose symbols were "
			"stripped, cannot be found;\none of what the command starts is named as "
			"/PATH/OF/PROGRAM:NAME, a Python function as FILE.py:NAME or MODULE.NAME",
			err->text);
	else
		say(err->text);
}

/* nearest_names reorders `near` and drops names; below_free needs them all. */
static void complain_in_copy(const struct below *b, const struct profile_error *err)
{
	struct below copy = *b;

	copy.near = calloc(b->nears + 1, sizeof(*copy.near));
	if (copy.near && b->nears)
		memcpy(copy.near, b->near, b->nears * sizeof(*copy.near));
	copy.nears = copy.near ? b->nears : 0;
	complain(&copy, err);
	free(copy.near);
}

/* Of a process that runs, with its user's rights. */
static int resolve_mapped(struct below *b, const struct run_filters *f, struct profile_error *err)
{
	const struct as_user user = {.uid = f->uid, .gid = f->gid};
	struct as_user_before before;

	*b = (struct below){0};
	if (as_user_begin(&user, &before)) {
		error_set(err, "--below: cannot take the rights of user %u", (unsigned)f->uid);
		return -1;
	}
	int failed = below_resolve_mapped(b, f->process, f->root, f->below, err);
	as_user_end(&before);
	return failed;
}

static int find_below(const struct run_filters *f, const struct program *program, const char *path)
{
	struct profile_error err;
	struct below b;
	int failed = f->process ? resolve_mapped(&b, f, &err)
				: below_resolve(&b, program->runner, program->path, f->below, &err);

	if (failed)
		complain_in_copy(&b, &err);
	else if ((failed = below_write(&b, path, &err)))
		say(err.text);
	below_free(&b);
	return failed;
}

int run_filters_prepare(const struct run_filters *f, const struct program *program,
			const struct run_directory *d, struct recording_control **w,
			struct environment_filters *e)
{
	struct profile_error err;
	bool by_tool = f->after || f->length || f->signal || f->until || f->attached;

	*e = (struct environment_filters){.below = f->below,
					  .below_ranges = f->below ? d->below : NULL,
					  .threads = f->threads,
					  .depth = f->depth,
					  .python = f->python,
					  .native = f->native,
					  .after = f->after,
					  /* else the page alone ends it, with nothing left out */
					  .length = f->attached ? NULL : f->length,
					  .signal = f->signal,
					  .stopped = f->stopped ? SCP_CONTROL_STOPPED_RUN : NULL,
					  .control = by_tool ? d->control : NULL};
	*w = NULL;
	if (f->below && find_below(f, program, d->below))
		return -1;
	if (!by_tool)
		return 0;
	*w = recording_control_create(d->control, &f->plan, &err);
	if (!*w)
		say(err.text);
	return *w ? 0 : -1;
}
