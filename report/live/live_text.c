// SPDX-License-Identifier: GPL-3.0-or-later
/* The pictures as text, one below the other, with an empty line between them. When the target
 * ends, one last picture follows. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "report/live/screen.h"
#include "report/wording/terminal.h"
#include "report/live/view.h"
#include "profile/base/error.h"

static void wait_until(double at)
{
	struct timespec t = {.tv_sec = (time_t)at, .tv_nsec = (long)((at - floor(at)) * 1e9)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		continue;
}

static int print(const struct view_source *from, struct view_state *s, const struct terminal *t,
		 const struct live_options *o, bool first, FILE *out)
{
	struct view v;

	live_rows_sort(from->rows, from->feed, s->sort);
	view_make(&v, from, s, t->width, 0, o->rows ? o->rows : SIZE_MAX / 2, t->utf8);
	if (!first)
		fputc('\n', out);
	for (size_t i = 0; i < v.lines; i++)
		fprintf(out, "%s\n", v.line[i].text);
	view_lines_free(&v);
	return fflush(out);
}

/* An interval is over when its time is, or when the target has ended. */
static int follow(const struct view_source *from, const struct live_options *o, FILE *out,
		  struct profile_error *err)
{
	const struct terminal t = terminal_of(out, o->width);
	struct live_reader *f = from->feed;
	struct view_state s = o->state;
	double due = f->at;

	for (uint64_t n = 0; !o->pictures || n < o->pictures; n++) {
		bool ended = f->ended;

		if (!ended) {
			due += s.interval_s;
			if (due <= f->at) /* after a delay, no burst of short intervals follows */
				due = f->at + s.interval_s;
			wait_until(due);
			if (live_reader_refresh(f))
				return error_set(err, "out of memory");
		}
		if (live_rows_update(from->rows, f))
			return error_set(err, "out of memory");
		if (print(from, &s, &t, o, n == 0, out))
			return error_set(err, "cannot write: %s", strerror(errno));
		if (f->ended)
			return 0;
	}
	return 0;
}

int live_text_run(struct live_reader *f, const struct live_options *o, FILE *out,
		  struct profile_error *err)
{
	struct rows rows = {.confidence = o->confidence};
	struct labels *labels = labels_new(f, terminal_of(out, o->width).utf8);
	struct view_source from = {f, &rows, labels, o->note};
	int failed;

	if (!labels)
		return error_set(err, "out of memory");
	failed = follow(&from, o, out, err);
	live_rows_free(&rows);
	labels_free(labels);
	return failed;
}
