// SPDX-License-Identifier: GPL-3.0-or-later
/* A filter that can match nothing is refused before the command starts: else the user would see it
 * only after a long run. */
#include "cli/run/run_filters.h"
#include "include/scprof_control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/attach/as_user.h"
#include "collector/select/below.h"
#include "profile/base/error.h"
#include "cli/messages/nearest.h"
#include "cli/messages/say.h"

int run_filters_join(char **list, const char *value)
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

static void complain(const struct below *b, const struct profile_error *err)
{
	char near[256] = "";

	if (b->unmatched && b->unmatched->is_exact)
		nearest_names(b->unmatched->name, (const char *const *)b->near, b->nears, near,
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
		complain(&b, &err);
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
