// SPDX-License-Identifier: GPL-3.0-or-later
/* A part that does not fit is left out as a whole, so no number is cut. A command is shortened in
 * its middle, so that its process number stays. */
#include "report/live/view.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/live/run_files.h"
#include "report/wording/utf8.h"

struct head {
	struct view *view;
	const struct view_source *from;
	const struct view_state *state;
};

/* The first process as it is now: exec may have made it another program. */
static const struct prof_process *first_now(const struct profile *p, uint32_t *others)
{
	const struct prof_process *first = p->process;

	*others = 0;
	for (uint32_t i = 1; i < p->processes; i++)
		if (p->process[i].pid == p->process->pid)
			first = &p->process[i];
		else
			++*others;
	return first;
}

/* Clean; to be freed. NULL: out of memory. */
static char *command_of(const struct prof_process *q, size_t width, bool utf8)
{
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	for (uint32_t i = 0; memory.to && i < q->argc && q->argv[i]; i++)
		fprintf(memory.to, "%s%s", i ? " " : "", q->argv[i]);
	if (memory.to && !q->argc)
		fputs(q->exe, memory.to);
	char *clean = utf8_cleaned(utf8_memory_end(&memory), utf8);
	char *fits = clean ? utf8_shorten(clean, width, utf8) : NULL;
	free(clean);
	return fits;
}

#define TITLE	      "scprof top: "
#define COMMAND_LEAST 16

static void put_title(const struct head *h)
{
	const struct profile *p = h->from->feed->profile;
	char behind[48], *command;
	uint32_t others;

	if (!p->processes) {
		view_lines_format(h->view, VIEW_TITLE, TITLE "no process yet");
		return;
	}
	const struct prof_process *q = first_now(p, &others);

	if (others)
		snprintf(behind, sizeof(behind), " and %u more process%s", others,
			 others == 1 ? "" : "es");
	else
		snprintf(behind, sizeof(behind), " (%u)", q->pid);
	size_t taken = strlen(TITLE) + strlen(behind);
	command = command_of(
		q, h->view->width > taken + COMMAND_LEAST ? h->view->width - taken : COMMAND_LEAST,
		h->view->utf8);
	view_lines_format(h->view, VIEW_TITLE, TITLE "%s%s", command ? command : "?", behind);
	free(command);
}

/* The column, and what its order leaves aside. */
static const char *const orders[ROW_SORTS] = {
	[ROW_BY_TIME] = "time/s, what waits last",
	[ROW_BY_CALLS] = "calls/s",
	[ROW_BY_BYTES] = "bytes/s",
	[ROW_BY_MEAN] = "mean now, what waits last",
	[ROW_BY_TOTAL] = "time of the run, what waits last",
	[ROW_BY_PRECISION] = "the mean's interval, widest first",
	[ROW_BY_NAME] = "name",
	[ROW_BY_CPU] = "CPU time/s, what waits last",
};

static void put_state(const struct head *h)
{
	const struct live_reader *f = h->from->feed;
	const struct view_state *s = h->state;
	bool filtering = s->mode == STATE_FILTERING,
	     no_rates = isnan(h->from->rows->calls_s) &&
			(s->sort <= ROW_BY_MEAN || s->sort == ROW_BY_CPU);

	view_lines_format(h->view, VIEW_PLAIN, "%s %s, clock %s%s; sorted by %s%s%s%s",
			  f->ended ? "ran for" : "running for",
			  numbered_duration(1e9 * f->run_s, h->view->utf8).text,
			  report_names_clock(f->profile->clock.kind), s->paused ? "; PAUSED" : "",
			  orders[no_rates ? ROW_BY_TOTAL : s->sort],
			  *s->filter || filtering ? "; only rows with: " : "", s->filter,
			  filtering ? "_" : "");
}

/* Parts are put if they fit, the first ones first. */
static void put_parts(const struct head *h, const char *const *part)
{
	char line[256] = "";
	size_t width = 0;

	for (; *part && width + utf8_width(*part) <= h->view->width; part++) {
		width += utf8_width(*part);
		strncat(line, *part, sizeof(line) - strlen(line) - 1);
	}
	view_lines_format(h->view, VIEW_PLAIN, "%s", line);
}

static void put_totals(const struct head *h)
{
	const struct rows *r = h->from->rows;
	const struct live_reader *f = h->from->feed;
	const char *what = h->state->by == REPORT_BY_PATH   ? "paths"
			   : h->state->by == REPORT_BY_SITE ? "sites"
							    : "functions";
	char calls[64], span[96], time[48], bytes[48], waiting[48];
	const char *parts[] = {calls, f->ended ? "; it had ended: no rates" : "; no interval yet",
			       NULL,  NULL,
			       NULL,  NULL};

	snprintf(calls, sizeof(calls), "%s calls, %u %s", numbered_count(r->calls).text, r->rows,
		 what);
	if (!isnan(r->calls_s)) {
		snprintf(span, sizeof(span), "; in the last %s: %s calls/s",
			 numbered_duration(1e9 * (f->at - f->before_at), h->view->utf8).text,
			 columns_rate(r->calls_s).text);
		snprintf(time, sizeof(time), ", %s/s",
			 numbered_duration(1e9 * (r->time_s - r->waiting_s), h->view->utf8).text);
		snprintf(bytes, sizeof(bytes), ", %s/s",
			 numbered_bytes((uint64_t)llround(fmax(0, r->bytes_s))).text);
		parts[1] = span;
		parts[2] = time;
		parts[3] = bytes;
		if (r->waiting_s > 0) {
			snprintf(waiting, sizeof(waiting), ", waiting %s/s",
				 numbered_duration(1e9 * r->waiting_s, h->view->utf8).text);
			parts[3] = waiting;
			parts[4] = bytes;
		}
	}
	put_parts(h, parts);
}

/* Do the calls that are there to work compute, wait, or are they kept from their CPUs? */
static void put_states(const struct head *h)
{
	const struct row_states *s = &h->from->rows->states;
	double all = s->on_cpu + s->runnable + s->asleep;

	if (!h->from->rows->has_states || !(all > 0))
		return;
	view_lines_format(
		h->view, VIEW_PLAIN, "in calls that work: on CPU %s, runnable %s, asleep %s",
		numbered_share(s->on_cpu / all).text, numbered_share(s->runnable / all).text,
		numbered_share(s->asleep / all).text);
}

/* Others can write it, too. */
static void put_until(const struct head *h)
{
	const struct target *t = &h->from->feed->target;
	char path[PATH_MAX + sizeof(RUN_UNTIL_FILE) + 1], text[RUN_UNTIL_BYTES], *clean;

	if (t->kind != TARGET_RUN)
		return;
	snprintf(path, sizeof(path), "%s/" RUN_UNTIL_FILE, t->path);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t bytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	while (bytes > 0 && text[bytes - 1] == ' ')
		bytes--;
	text[bytes > 0 ? bytes : 0] = '\0';
	clean = utf8_clean(text, h->view->utf8);
	if (clean && *clean)
		view_lines_format(h->view, VIEW_ALERT, "--until: %s", clean);
	free(clean);
}

static void put_alerts(const struct head *h)
{
	const struct live_reader *f = h->from->feed;

	put_until(h);
	if (h->from->note)
		view_lines_format(h->view, VIEW_ALERT, "%s", h->from->note);
	if (f->ended)
		view_lines_format(h->view, VIEW_ALERT,
				  "Recording has ended: this is the last picture of it. `scprof "
				  "report` of its profile says more.");
	else if (f->behind)
		view_lines_format(
			h->view, VIEW_ALERT,
			"There are new call paths or processes, which will be read shortly.");
	if (f->lost_calls)
		view_lines_format(h->view, VIEW_ALERT,
				  "%" PRIu64
				  " calls found no room in the profile: they are in no row.",
				  f->lost_calls);
	if (f->refused)
		view_lines_format(h->view, VIEW_ALERT, "%zu file%s left out: %.*s", f->refused,
				  f->refused == 1 ? "" : "s", (int)strcspn(f->why_refused, "\n"),
				  f->why_refused);
}

void screen_header_write(struct view *v, const struct view_source *from, const struct view_state *s)
{
	const struct head h = {v, from, s};

	put_title(&h);
	put_state(&h);
	put_totals(&h);
	put_states(&h);
	put_alerts(&h);
}
