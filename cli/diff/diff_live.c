// SPDX-License-Identifier: GPL-3.0-or-later
/* Pairs of runs, which of the two is first drawn anew each time, and after each a look: the limits
 * hold at all looks together, so that stopping at the first sure one is no trick. */
#include "cli/diff/diff_live.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/diff/diff_files.h"
#include "cli/diff/diff_live_run.h"
#include "cli/messages/complaint.h"
#include "cli/messages/progress.h"
#include "cli/run/child_run.h"
#include "cli/usage/output.h"
#include "stats/numerics/random.h"

struct loop {
	struct diff_live live;
	struct diff_live_command command[2];
	struct diff_live_recording how;
	char directory[PATH_MAX], profile[2][PATH_MAX + 16], said[PATH_MAX + 16];
	struct random random;
	struct progress progress;
	double began;
	bool piloted;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int begin(struct loop *l, const struct diff_arguments *a)
{
	l->live.arguments = a;
	l->live.watch.confidence = a->options.confidence;
	l->live.watch.equal = a->equal;
	l->how = (struct diff_live_recording){a->clock, a->symbols, a->groups};
	random_seed(&l->random, random_fresh_seed());
	if (diff_live_directory(l->directory, sizeof(l->directory)))
		return -1;
	snprintf(l->profile[0], sizeof(*l->profile), "%s/base.scp", l->directory);
	snprintf(l->profile[1], sizeof(*l->profile), "%s/new.scp", l->directory);
	snprintf(l->said, sizeof(l->said), "%s/said", l->directory);
	if (!diff_live_command_read(&l->command[0], "BASE", a->file[0]) &&
	    !diff_live_command_read(&l->command[1], "NEW", a->file[1]))
		return 0;
	complaint_say(DIFF_COMMAND, "out of memory");
	return -1;
}

/* Before the result is printed: whoever reads it may close the pipe. */
static void remove_files(struct loop *l)
{
	if (!*l->directory)
		return;
	unlink(l->profile[0]);
	unlink(l->profile[1]);
	unlink(l->said);
	rmdir(l->directory);
	*l->directory = '\0';
}

static void end(struct loop *l)
{
	progress_clear(&l->progress);
	remove_files(l);
	for (int side = 0; side < 2; side++)
		diff_live_command_free(&l->command[side]);
	diff_watch_free(&l->live.watch);
}

static int take_pair(struct loop *l, struct profile **profile)
{
	struct diff_options o = l->live.arguments->options;
	const struct diff_watch_run run[2] = {diff_watch_run_of(profile[0]),
					      diff_watch_run_of(profile[1])};
	struct profile_error why;
	struct diff *d = diff_model_build((const struct profile *const *)profile, 2, 1, &o, &why);
	int failed;

	if (!d) {
		complaint_lines(DIFF_COMMAND, why.text);
		return -1;
	}
	failed = l->piloted ? diff_watch_add(&l->live.watch, d, run)
			    : diff_watch_begin(&l->live.watch, d, run);
	l->piloted = true;
	diff_words_sides(d, l->live.sides, sizeof(l->live.sides));
	diff_model_free(d);
	if (failed)
		complaint_say(DIFF_COMMAND, "out of memory");
	return failed;
}

/* 0; -1: it is over, by a signal or a failure. */
static int run_pair(struct loop *l)
{
	const char *const file[2] = {l->profile[0], l->profile[1]};
	unsigned first = (unsigned)random_below(&l->random, 2);
	struct profile **profile;
	int failed = 0;

	for (unsigned i = 0; i < 2 && !failed; i++)
		failed = diff_live_run(&l->command[first ^ i], &l->how, l->profile[first ^ i],
				       l->said);
	if (failed)
		return -1;
	profile = diff_files_open(file, 2);
	failed = profile ? take_pair(l, profile) : -1;
	diff_files_free(profile, 2);
	return failed;
}

static void show(struct loop *l)
{
	const struct diff_watch *w = &l->live.watch;
	const struct diff_watch_row *most = &w->row[0];
	double wanted;

	for (uint32_t i = 1; i < w->rows; i++)
		most = w->row[i].e > most->e ? &w->row[i] : most;
	wanted = w->rows / (1 - w->confidence);
	progress_show(&l->progress, (double)w->pairs / l->live.arguments->most,
		      "%" PRIu32 " of %" PRIu32 " runs of each; most evidence: %.60s %.3g of %.3g",
		      w->pairs, l->live.arguments->most,
		      most->symbol ? most->symbol : "the whole run", most->e, wanted);
}

/* Is there something that may end it? */
static bool is_over(struct loop *l)
{
	const struct diff_arguments *a = l->live.arguments;
	const struct diff_watch *w = &l->live.watch;

	if (w->found)
		l->live.end = DIFF_LIVE_CHANGED;
	else if (w->all_equal)
		l->live.end = DIFF_LIVE_EQUAL;
	else if (w->pairs >= a->most || (a->for_ns && now() - l->began >= (double)a->for_ns / 1e9))
		l->live.end = DIFF_LIVE_MOST;
	else
		return false;
	return true;
}

static void watch(struct loop *l)
{
	l->began = now();
	progress_begin(&l->progress, DIFF_COMMAND, true);
	do {
		if (run_pair(l)) {
			l->live.end =
				child_run_stopped() ? DIFF_LIVE_INTERRUPTED : DIFF_LIVE_FAILED;
			break;
		}
		show(l);
		if (child_run_stopped()) {
			l->live.end = DIFF_LIVE_INTERRUPTED;
			break;
		}
	} while (!is_over(l));
	l->live.seconds = now() - l->began;
	progress_clear(&l->progress);
	remove_files(l);
}

static int print(const struct diff_live *l)
{
	const struct diff_arguments *a = l->arguments;
	struct output out;

	if (output_begin(&out, DIFF_COMMAND, a->output))
		return -1;
	return output_end(&out, DIFF_COMMAND,
			  a->options.format == REPORT_JSON ? diff_live_json(l, out.stream)
							   : diff_live_text(l, out.stream));
}

int diff_live(const struct diff_arguments *a)
{
	static struct loop l; /* paths: too large for the stack */
	int status = 2;

	l = (struct loop){0};
	if (!begin(&l, a)) {
		child_run_take_signals();
		watch(&l);
		if (l.live.end != DIFF_LIVE_FAILED)
			status = print(&l.live) ? 2 : diff_live_status(&l.live);
	}
	end(&l);
	return status;
}
