// SPDX-License-Identifier: GPL-3.0-or-later
/* Pairs of runs, which of the two is first drawn anew each time, and after each a look: the limits
 * hold at all looks together, so that stopping at the first sure one is no trick. */
#include "cli/diff/diff_cli.h"

#include <inttypes.h>

#include "cli/messages/complaint.h"
#include "cli/messages/progress.h"
#include "cli/run/child_run.h"
#include "cli/usage/output.h"
#include "collector/clocks/clocks_read.h"

struct loop {
	struct diff_live live;
	struct diff_pairs pairs;
	struct progress progress;
	struct diff_files pilot;
	double began;
};

/* 0; -1: it is over, by a signal or a failure. */
static int take_pair(struct loop *l)
{
	struct diff_files f = {0}, *to = l->pilot.diff ? &f : &l->pilot;
	int failed = diff_pairs_run(&l->pairs, 0) ||
		     diff_files_compare(to, l->pairs.file, 2, 1, &l->live.arguments->options);

	if (!failed) {
		const struct diff_watch_run run[2] = {diff_watch_run_of(to->profile[0]),
						      diff_watch_run_of(to->profile[1])};

		failed = to == &f ? diff_watch_add(&l->live.watch, f.diff, run)
				  : diff_watch_begin(&l->live.watch, l->pilot.diff, run);
		l->live.sides = diff_words_sides(to->diff);
		if (failed)
			complaint_say(DIFF_COMMAND, "out of memory");
	}
	diff_files_free(&f);
	return failed;
}

static void show(struct loop *l)
{
	const struct diff_watch *w = &l->live.watch;
	const struct diff_watch_row *most = &w->row[0];

	for (uint32_t i = 1; i < w->rows; i++)
		most = w->row[i].e > most->e ? &w->row[i] : most;
	double wanted = w->rows / (1 - w->confidence);
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
	else if (w->pairs >= a->most ||
		 (a->for_ns && clocks_read_seconds() - l->began >= (double)a->for_ns / 1e9))
		l->live.end = DIFF_LIVE_MOST;
	else
		return false;
	return true;
}

static void watch(struct loop *l)
{
	l->began = clocks_read_seconds();
	progress_begin(&l->progress, DIFF_COMMAND, true);
	do {
		if (take_pair(l)) {
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
	l->live.seconds = clocks_read_seconds() - l->began;
	progress_clear(&l->progress);
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
	struct loop l = {.live = {.arguments = a,
				  .watch = {.confidence = a->options.confidence, .equal = a->equal},
				  .end = DIFF_LIVE_FAILED}};
	int status = 2;

	if (!diff_pairs_begin(&l.pairs, a))
		watch(&l);
	diff_pairs_end(&l.pairs); /* before the result: whoever reads it may close the pipe */
	if (l.live.end != DIFF_LIVE_FAILED)
		status = print(&l.live) ? 2 : diff_live_status(&l.live);
	diff_watch_free(&l.live.watch);
	diff_files_free(&l.pilot);
	return status;
}
