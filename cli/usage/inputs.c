// SPDX-License-Identifier: GPL-3.0-or-later
/* One empty file among a night's hundred must not keep the others from being read. */
#include "cli/usage/inputs.h"

#include <string.h>

#include "cli/messages/complaint.h"

struct opening {
	const char *command;
	struct progress *progress;
	size_t left_out;
};

static void tell_progress(void *context, size_t done, size_t all)
{
	struct opening *o = context;

	progress_files(o->progress, done, all);
}

static void tell_left_out(void *context, const struct profile_error *why)
{
	struct opening *o = context;

	progress_clear(o->progress);
	o->left_out++;
	complaint_say(o->command, "left out: %.*s", (int)strcspn(why->text, "\n"), why->text);
}

struct profile *inputs_open(const char *command, const char *const *paths, size_t count,
			    struct progress *progress, bool one_line, int *status)
{
	struct opening o = {.command = command, .progress = progress};
	struct profile_listener to = {
		.told = tell_progress, .left_out = count > 1 ? tell_left_out : NULL, .context = &o};
	struct profile_error err;
	struct profile *p;

	progress_begin(progress, command, true);
	p = profile_open_told(paths, count, &to, &err);
	if (p && o.left_out)
		*status = INPUTS_LEFT_OUT;
	if (p)
		return p;
	progress_clear(progress);
	for (char *c = err.text; one_line && *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	if (o.left_out == count)
		complaint_say(command, "none of these %zu profiles can be read", count);
	else
		complaint_lines(command, err.text);
	return NULL;
}
