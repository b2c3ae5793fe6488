// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof diff --runs N -- OLD -- NEW`: N runs of each of two commands, in pairs, which of the two
 * is first drawn anew each time; and the comparison of their profiles, as of files. */
#include "cli/diff/diff_recorded.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/diff/diff_files.h"
#include "cli/diff/diff_live_run.h"
#include "cli/messages/complaint.h"
#include "cli/messages/progress.h"
#include "cli/run/child_run.h"
#include "stats/numerics/random.h"

#define NAME_BYTES (PATH_MAX + 32)

struct recorded {
	const struct diff_arguments *arguments;
	struct diff_live_command command[2];
	struct diff_live_recording how;
	char directory[PATH_MAX], said[NAME_BYTES];
	char (*path)[NAME_BYTES]; /* BASE's, then NEW's */
	const char **file;
};

static int begin(struct recorded *d, const struct diff_arguments *a)
{
	size_t files = 2 * (size_t)a->runs;

	d->arguments = a;
	d->how = (struct diff_live_recording){a->clock, a->symbols, a->groups};
	if (diff_live_directory(d->directory, sizeof(d->directory)))
		return -1;
	snprintf(d->said, sizeof(d->said), "%s/said", d->directory);
	d->path = calloc(files, sizeof(*d->path));
	d->file = calloc(files, sizeof(*d->file));
	if (!d->path || !d->file || diff_live_command_take(&d->command[0], "OLD", a->words[0]) ||
	    diff_live_command_take(&d->command[1], "NEW", a->words[1])) {
		complaint_say(DIFF_COMMAND, "out of memory");
		return -1;
	}
	for (size_t i = 0; i < files; i++) {
		snprintf(d->path[i], sizeof(*d->path), "%s/%s.%zu.scp", d->directory,
			 i < a->runs ? "old" : "new", i % a->runs + 1);
		d->file[i] = d->path[i];
	}
	return 0;
}

static void end(struct recorded *d)
{
	for (size_t i = 0; d->path && i < 2 * (size_t)d->arguments->runs; i++)
		unlink(d->path[i]);
	if (*d->directory) {
		unlink(d->said);
		rmdir(d->directory);
	}
	free(d->path);
	free(d->file);
	for (int side = 0; side < 2; side++)
		diff_live_command_free(&d->command[side]);
}

/* 0, or -1 having said why, but for a signal. */
static int record(struct recorded *d)
{
	uint32_t runs = d->arguments->runs;
	struct progress progress;
	struct random random;
	int failed = 0;

	random_seed(&random, random_fresh_seed());
	progress_begin(&progress, DIFF_COMMAND, true);
	for (uint32_t i = 0; i < runs && !failed; i++) {
		unsigned first = (unsigned)random_below(&random, 2);

		progress_show(&progress, (double)i / runs, "run %u of %u of each", i + 1, runs);
		for (unsigned k = 0; k < 2 && !failed; k++) {
			unsigned side = first ^ k;

			failed = child_run_stopped() ||
				 diff_live_run(&d->command[side], &d->how, d->path[side * runs + i],
					       d->said);
		}
	}
	progress_clear(&progress);
	if (failed && child_run_stopped())
		complaint_say(DIFF_COMMAND, "interrupted: nothing is compared");
	return failed ? -1 : 0;
}

int diff_recorded(const struct diff_arguments *a,
		  int (*compare)(const struct diff_arguments *a, const char *const *file))
{
	static struct recorded d; /* paths: too large for the stack */
	int status = 2;

	d = (struct recorded){0};
	if (!begin(&d, a)) {
		child_run_take_signals();
		if (!record(&d))
			status = compare(a, d.file);
	}
	end(&d);
	return status;
}
