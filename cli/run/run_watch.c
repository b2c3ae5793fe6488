// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread that reads the profiles as `scprof top` does, at the end of each stretch of time that
 * stopping.h looks at (a 64th of the run so far, or longer), and takes at most a hundredth of a
 * CPU. */
#include "cli/run/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "cli/plan/plan.h"
#include "collector/shared_page.h"
#include "profile/live/run_files.h"
#include "profile/base/kernel_file.h"
#include "report/live/live_rows.h"
#include "report/model/model.h"
#include "report/wording/numbers.h"
#include "cli/messages/progress.h"
#include "cli/messages/complaint.h"

#define CONFIDENCE 0.95
#define SOONEST_S  0.1
#define LATEST_S   60.0
#define DRAW_S	   0.25
#define LEAVE_S	   1.0
#define COST	   100

struct run_watch {
	const struct run_options *wishes;
	bool quiet; /* nothing on the terminal */
	struct target target;
	struct recording_control *windows;
	struct progress progress;
	struct precision precision;
	pthread_t thread;
	int end;		 /* eventfd */
	double began, reached_s; /* reached_s: after the start; 0: not reached */
	double expected_s;	 /* of recording until it is reached; NAN: not known */
	struct stopping_patience patience;
	enum stopping_end end_by; /* why it was ended otherwise */
	double recorded_s;	  /* at the last look */
	char line[PATH_MAX];	  /* a file that says how far it is */
	double left_at;
	bool failed; /* out of memory: given up */
	bool told, told_limit;
};

/* How wide the widest interval is, how narrow it was to be, and for how long that takes. Returns
 * the share of the work that is done; NAN: not known. */
static double describe_until(const struct run_watch *w, struct words *to)
{
	const struct precision *p = &w->precision;
	struct numbered left = {""};
	double recorded_s = recording_control_recorded_s(w->windows);

	if (!p->sites || isnan(p->worst)) {
		numbers_append(to, "interval not known yet, wanted +-%.3g %%",
			       100 * w->wishes->until);
		return NAN;
	}
	if (w->expected_s > recorded_s)
		left = plan_words_time(1e9 * (w->expected_s - recorded_s));
	numbers_append(to, "interval now +-%s %%, wanted +-%.3g %%%s%s%s (%zu of %zu sites%s%s)",
		       numbered_digits(100 * p->worst, 3).text, 100 * w->wishes->until,
		       *left.text ? ", about " : "", left.text, *left.text ? " more" : "",
		       p->reached, p->sites, p->unreliable ? "; " : "",
		       reliability_names(p->unreliable, ", ").text);
	/* an interval that is narrow but has a reliability warning is not the whole work */
	double share = recorded_s / w->expected_s;
	return share > 0.99 && p->reached < p->sites ? 0.99 : share;
}

/* Once, where it takes longer than anybody waits without a word: in a pipe nothing else is said. */
static void say_limit(struct run_watch *w)
{
	struct words text = {""};

	if (w->told_limit || w->quiet || !(w->patience.limit_s > 0) ||
	    w->recorded_s < w->precision.least_s || w->expected_s <= STOPPING_LIMIT_LEAST_S)
		return;
	w->told_limit = true;
	describe_until(w, &text);
	progress_clear(&w->progress);
	say_format("%s.\nRecording ends after %s at the latest; --for T sets another limit",
		   text.text, plan_words_time(1e9 * w->patience.limit_s).text);
}

/* For pictures of the run: scprof top, run --live. */
static void leave_for_pictures(struct run_watch *w, const char *text)
{
	double now = live_reader_clock();
	char line[RUN_UNTIL_BYTES];

	if (now < w->left_at + LEAVE_S)
		return;
	w->left_at = now;
	/* the processes may have put a pipe there */
	int fd = open(w->line, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%-*.*s", RUN_UNTIL_BYTES - 1, RUN_UNTIL_BYTES - 1, text);
	if (pwrite(fd, line, sizeof(line) - 1, 0) < 0)
		w->left_at = INFINITY;
	close(fd);
}

static void say_how_far(struct run_watch *w)
{
	double share = NAN, left_s = 0;
	struct words text = {""};
	bool on = true;
	uint64_t due = w->windows ? recording_control_due(w->windows, &on) : UINT64_MAX;

	if (due != UINT64_MAX)
		left_s = ceil((double)due / 1e9);
	if (!on && due == UINT64_MAX)
		numbers_append(&text, "not recording");
	else if (!on)
		numbers_append(&text, "recording begins in %.0f s", left_s);
	else if (w->wishes->until > 0)
		share = describe_until(w, &text);
	else if (due != UINT64_MAX && w->wishes->filters.plan.for_ns) {
		share = 1 - (double)due / (double)w->wishes->filters.plan.for_ns;
		numbers_append(&text, "recording, %.0f s more", left_s);
	} else
		numbers_append(&text, "recording");
	progress_show(&w->progress, share, "%s", text.text);
	if (w->wishes->until > 0)
		leave_for_pictures(w, text.text);
}

/* The model of what has been read. */
struct reading {
	struct live_reader feed;
	struct rows rows;
	bool open;
};

/* 1: reached, 0: not yet, -1: out of memory. */
static int look(struct run_watch *w, struct reading *r)
{
	struct profile_error err;

	if (!r->open) {
		if (live_reader_open(&r->feed, &w->target, REPORT_BY_PATH, &err))
			return 0; /* not yet */
		r->open = true;
		r->feed.held = true; /* processes come and go */
	} else if (live_reader_refresh(&r->feed)) {
		return -1;
	}
	if (live_rows_update(&r->rows, &r->feed))
		return -1;
	return precision_look(&w->precision, &r->feed, &r->rows,
			      recording_control_recorded_s(w->windows));
}

/* With --for the user has said how long it may take. */
static bool is_enough(struct run_watch *w)
{
	const struct precision *p = &w->precision;

	w->expected_s =
		stopping_expected(w->recorded_s, p->worst, w->wishes->until, w->precision.least_s);
	if (w->wishes->filters.plan.for_ns)
		return false;
	w->end_by = stopping_lasts(&w->patience, w->recorded_s, p->calls, w->expected_s);
	return w->end_by != STOPPING_GOES_ON;
}

/* Returns when to read again. */
static double look_now(struct run_watch *w, struct reading *r)
{
	double cpu = live_reader_seconds(CLOCK_THREAD_CPUTIME_ID), now, elapsed, wait;
	int result = look(w, r);

	now = live_reader_clock();
	elapsed = now - w->began;
	w->failed = result < 0;
	if (result > 0)
		w->reached_s = elapsed;
	w->recorded_s = recording_control_recorded_s(w->windows);
	if (result > 0 || (!result && is_enough(w))) {
		recording_control_finish(w->windows);
		return INFINITY;
	}
	if (result)
		return INFINITY;
	cpu = live_reader_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wait = fmin(elapsed / 20, w->precision.due_s - w->recorded_s);
	return now + fmax(COST * cpu, fmin(fmax(SOONEST_S, wait), LATEST_S));
}

static bool is_over(const struct run_watch *w)
{
	return w->reached_s > 0 || w->end_by != STOPPING_GOES_ON;
}

/* Explains why the target was not reached: the widest interval, if known, and reliability warnings,
 * some of which (clock-synchronous) no number of calls removes. */
static void tell_unreached(const struct run_watch *w, struct words *to)
{
	const struct precision *p = &w->precision;
	char widest[64] = "", early[64] = "";

	if (w->recorded_s < w->precision.least_s)
		snprintf(early, sizeof(early), "; none counts in the first %.3g s",
			 w->precision.least_s);
	if (!isnan(p->worst))
		snprintf(widest, sizeof(widest), "; the widest +-%s %%",
			 numbered_digits(100 * p->worst, 3).text);
	numbers_append(to, "+-%.3g %%, which was not reached", 100 * w->wishes->until);
	if (*widest || *early || p->unreliable)
		numbers_append(to, " (%zu of %zu sites%s%s%s%s)", p->reached, p->sites, widest,
			       early, p->unreliable ? "; " : "",
			       reliability_names(p->unreliable, ", ").text);
	if (w->end_by == STOPPING_LIMIT)
		numbers_append(to,
			       ". Ended after %.3g s, %d times what was expected at first. --for T "
			       "sets another limit",
			       w->recorded_s, STOPPING_LIMIT_TIMES);
	else if (w->end_by == STOPPING_IDLE)
		numbers_append(to,
			       ". Ended after %.3g s, as the load is over: hardly a call came in "
			       "%.3g s. With --for T it is waited for",
			       w->recorded_s, w->recorded_s - w->patience.busy_s);
}

static struct words tell_reached(const struct run_watch *w)
{
	struct words to = {""};

	if (w->reached_s > 0)
		numbers_append(&to, "+-%.3g %%, which was reached after %.3g s (%zu site%s)",
			       100 * w->wishes->until, w->reached_s, w->precision.sites,
			       w->precision.sites == 1 ? "" : "s");
	else
		tell_unreached(w, &to);
	return to;
}

/* The command goes on: somebody may want to know that he need not wait. */
static void say_over(struct run_watch *w)
{
	progress_clear(&w->progress);
	if (w->told || w->quiet || w->wishes->filters.attached)
		return;
	w->told = true;
	say_format("the measurement is over, the command goes on. Means were to be known to\n%s",
		   tell_reached(w).text);
}

static void *watch_main(void *argument)
{
	struct run_watch *w = argument;
	struct pollfd end = {.fd = w->end, .events = POLLIN};
	static struct reading r; /* one run a process */
	double due = w->wishes->until ? live_reader_clock() + SOONEST_S : INFINITY;

	pthread_setname_np(pthread_self(), "scprof-watch");
	r = (struct reading){.rows = {.confidence = CONFIDENCE}};
	for (;;) {
		double left = due - live_reader_clock();
		bool draws = (w->progress.shown || w->wishes->until > 0) && !is_over(w);

		if (draws)
			left = fmin(left, w->progress.shown ? DRAW_S : LEAVE_S);
		int wait_ms = isinf(left) ? -1 : (int)ceil(1000 * fmax(left, 0));
		if (poll(&end, 1, wait_ms) > 0)
			break;
		if (live_reader_clock() >= due)
			due = look_now(w, &r);
		if (is_over(w))
			say_over(w);
		else if (draws)
			say_how_far(w);
		if (!is_over(w))
			say_limit(w);
	}
	progress_clear(&w->progress);
	if (r.open)
		live_reader_close(&r.feed);
	live_rows_free(&r.rows);
	return NULL;
}

struct run_watch *run_watch_begin(const struct recording *r, const char *directory, bool quiet)
{
	const struct run_options *o = &r->options;
	struct run_watch *w = calloc(1, sizeof(*w));

	if (w) {
		*w = (struct run_watch){.wishes = o,
					.quiet = quiet,
					.windows = r->control,
					.target.kind = TARGET_RUN,
					.precision = {.relative = o->until,
						      .least_s = o->until_least_s > 0
									 ? o->until_least_s
									 : STOPPING_LEAST_S,
						      .names = o->until_of,
						      .worst = NAN},
					.expected_s = NAN};
		snprintf(w->target.path, sizeof(w->target.path), "%s", directory);
		snprintf(w->line, sizeof(w->line), "%s/" RUN_UNTIL_FILE, directory);
		progress_begin(&w->progress, r->command,
			       !quiet && (o->until || o->filters.after || o->filters.length));
		if (!o->until && !w->progress.shown) {
			free(w);
			return NULL;
		}
		w->began = live_reader_clock();
		w->end = eventfd(0, EFD_CLOEXEC);
		if (w->end >= 0 && !(errno = shared_page_start_thread(&w->thread, watch_main, w)))
			return w;
		kernel_file_close(&w->end);
		free(w);
	}
	if (o->until)
		say_format("recording will not stop by itself: no thread for it: %s",
			   strerror(errno));
	return NULL;
}

void run_watch_end(struct run_watch *w)
{
	uint64_t one = 1;

	if (!w)
		return;
	if (write(w->end, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(w->thread, NULL);
	unlink(w->line);
	close(w->end);
}

/* For renderers: the requested precision, when it was reached (0: not), the number of sites, and
 * why it ended. */
static void note_numbers(const struct run_watch *w, struct profile *p)
{
	char text[96];

	snprintf(text, sizeof(text), PROF_FILTER_STOP "%.6g %.6g %zu %s", w->wishes->until,
		 w->reached_s, w->precision.sites,
		 w->reached_s > 0	       ? "precision"
		 : w->end_by == STOPPING_LIMIT ? "limit"
		 : w->end_by == STOPPING_IDLE  ? "load"
					       : "program");
	filters_note(p, text);
}

void run_watch_tell(const struct run_watch *w, struct profile *p)
{
	char text[720];

	if (!w || !(w->wishes->until > 0))
		return;
	struct words what = tell_reached(w);
	snprintf(text, sizeof(text), "until=%s%s", what.text,
		 w->reached_s > 0 ? ". That holds however often one looks; the intervals below are "
				    "of runs whose length is given"
				  : "");
	filters_note(p, text);
	note_numbers(w, p);
	if (!w->told)
		say_format("recorded until the means were known to %s%s", what.text,
			   w->reached_s > 0 ? ". That holds however often one looks" : "");
	if (w->failed)
		say("--until was given up for want of memory");
}

void run_watch_free(struct run_watch *w)
{
	if (!w)
		return;
	precision_free(&w->precision);
	free(w);
}
