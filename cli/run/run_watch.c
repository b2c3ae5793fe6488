// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread that reads the profiles as `scprof top` does, at the end of each stretch of time that
 * stopping.h looks at (a 64th of the run so far, or longer), and takes at most a hundredth of a
 * CPU. */
#include "cli/run/run_watch.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "report/live/precision.h"
#include "report/model/model.h"
#include "report/wording/numbers.h"
#include "cli/messages/progress.h"
#include "cli/messages/complaint.h"

#define CONFIDENCE 0.95
#define SOONEST_S  0.1
#define LATEST_S   60.0
#define DRAW_S	   0.25
#define COST	   100

struct run_watch {
	struct run_watch_wishes wishes;
	struct target target;
	struct recording_control *windows;
	struct progress progress;
	struct precision precision;
	pthread_t thread;
	int end;		 /* eventfd */
	double began, reached_s; /* reached_s: after the start; 0: not reached */
	bool failed;		 /* out of memory: given up */
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Assumes a constant rate of calls; the width falls with the square root of their number. An
 * interval that is narrow but has a reliability warning is not the whole work. */
static double share_known(const struct precision *p, double wanted)
{
	double share = pow(wanted / fmax(p->worst, wanted), 2);

	return p->reached < p->sites ? fmin(share, 0.99) : share;
}

static void say_how_far(struct run_watch *w)
{
	const struct precision *p = &w->precision;
	double share = NAN, left_s = 0;
	char worst[32], unreliable[96];
	bool on = true;
	uint64_t due = w->windows ? recording_control_due(w->windows, &on) : UINT64_MAX;

	reliability_names(p->unreliable, unreliable, sizeof(unreliable));
	numbers_significant(worst, sizeof(worst), 100 * p->worst, 3);
	if (due != UINT64_MAX)
		left_s = ceil((double)due / 1e9);
	if (!on)
		progress_show(&w->progress, NAN,
			      due == UINT64_MAX ? "not recording" : "recording begins in %.0f s",
			      left_s);
	else if (w->wishes.until && !isnan(p->worst) && p->sites)
		progress_show(&w->progress, share_known(p, w->wishes.until),
			      "interval now +-%s %%, wanted +-%.3g %% (%zu of %zu sites%s%s)",
			      worst, 100 * w->wishes.until, p->reached, p->sites,
			      p->unreliable ? "; " : "", unreliable);
	else if (due != UINT64_MAX && w->wishes.for_ns)
		progress_show(&w->progress, 1 - (double)due / (double)w->wishes.for_ns,
			      "recording, %.0f s more", left_s);
	else
		progress_show(&w->progress, share, "recording");
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

/* Returns when to read again. */
static double look_now(struct run_watch *w, struct reading *r)
{
	double cpu = cpu_seconds(), now, elapsed, wait;
	int result = look(w, r);

	now = live_reader_clock();
	elapsed = now - w->began;
	w->failed = result < 0;
	if (result > 0) {
		w->reached_s = elapsed;
		recording_control_finish(w->windows);
	}
	if (result)
		return INFINITY;
	cpu = cpu_seconds() - cpu;
	wait = fmin(elapsed / 20, w->precision.due_s - recording_control_recorded_s(w->windows));
	return now + fmax(COST * cpu, fmin(fmax(SOONEST_S, wait), LATEST_S));
}

static void *watch_main(void *argument)
{
	struct run_watch *w = argument;
	struct pollfd end = {.fd = w->end, .events = POLLIN};
	static struct reading r; /* one run a process */
	double due = w->wishes.until ? live_reader_clock() + SOONEST_S : INFINITY;

	pthread_setname_np(pthread_self(), "scprof-watch");
	r = (struct reading){.rows = {.confidence = CONFIDENCE}};
	for (;;) {
		double left = due - live_reader_clock();
		bool draws = w->progress.shown && !w->reached_s;

		if (draws)
			left = fmin(left, DRAW_S);
		int wait_ms = isinf(left) ? -1 : (int)ceil(1000 * fmax(left, 0));
		if (poll(&end, 1, wait_ms) > 0)
			break;
		if (live_reader_clock() >= due)
			due = look_now(w, &r);
		if (w->reached_s)
			progress_clear(&w->progress);
		else if (draws)
			say_how_far(w);
	}
	progress_clear(&w->progress);
	if (r.open)
		live_reader_close(&r.feed);
	live_rows_free(&r.rows);
	return NULL;
}

/* The main thread takes the signals. */
static int start(struct run_watch *w)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&w->thread, NULL, watch_main, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errno ? -1 : 0;
}

struct run_watch *run_watch_begin(const struct run_watch_wishes *wishes, const char *directory,
				  struct recording_control *windows)
{
	struct run_watch *w = calloc(1, sizeof(*w));
	bool shows = !wishes->quiet && (wishes->until || wishes->by_the_clock);

	if (w) {
		w->wishes = *wishes;
		w->windows = windows;
		w->target.kind = TARGET_RUN;
		snprintf(w->target.path, sizeof(w->target.path), "%s", directory);
		w->precision = (struct precision){.relative = wishes->until,
						  .least_s = wishes->least_s,
						  .names = wishes->of,
						  .worst = NAN};
		progress_begin(&w->progress, wishes->command, shows);
		if (!wishes->until && !w->progress.shown) {
			free(w);
			return NULL;
		}
		w->began = live_reader_clock();
		w->end = eventfd(0, EFD_CLOEXEC);
		if (w->end >= 0 && !start(w))
			return w;
		if (w->end >= 0)
			close(w->end);
		free(w);
	}
	if (wishes->until)
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
	close(w->end);
}

/* Explains why the target was not reached: the widest interval, if known, and reliability warnings,
 * some of which (clock-synchronous) no number of calls removes. */
static void tell_unreached(const struct run_watch *w, char *out, size_t room)
{
	const struct precision *p = &w->precision;
	char widest[64] = "", worst[32], unreliable[96];

	reliability_names(p->unreliable, unreliable, sizeof(unreliable));
	numbers_significant(worst, sizeof(worst), 100 * p->worst, 3);
	if (!isnan(p->worst))
		snprintf(widest, sizeof(widest), "; the widest +-%s %%", worst);
	snprintf(out, room, "+-%.3g %%, which was not reached", 100 * w->wishes.until);
	if (*widest || *unreliable)
		snprintf(out + strlen(out), room - strlen(out), " (%zu of %zu sites%s%s%s)",
			 p->reached, p->sites, widest, *unreliable ? "; " : "", unreliable);
}

/* For renderers: the requested precision, when it was reached (0: not), and the number of sites. */
static void note_numbers(const struct run_watch *w, struct profile *p)
{
	char text[96];

	snprintf(text, sizeof(text), PROF_FILTER_STOP "%.6g %.6g %zu", w->wishes.until,
		 w->reached_s, w->precision.sites);
	filters_note(p, text);
}

void run_watch_tell(const struct run_watch *w, struct profile *p)
{
	char what[256], text[512];

	if (!w || !w->wishes.until)
		return;
	if (w->reached_s)
		snprintf(what, sizeof(what),
			 "+-%.3g %%, which was reached after %.3g s (%zu site%s)",
			 100 * w->wishes.until, w->reached_s, w->precision.sites,
			 w->precision.sites == 1 ? "" : "s");
	else
		tell_unreached(w, what, sizeof(what));
	snprintf(text, sizeof(text), "until=%s%s", what,
		 w->reached_s ? ". That holds however often one looks; the intervals below are "
				"of runs whose length is given"
			      : "");
	filters_note(p, text);
	note_numbers(w, p);
	say_format("recorded until the means were known to %s%s", what,
		   w->reached_s ? ". That holds however often one looks" : "");
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
