// SPDX-License-Identifier: GPL-3.0-or-later
/* The header (screen_header.c), the rows with the paths of open ones, the help. */
#include "report/live/view.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/given_file.h"
#include "report/model/model.h"
#include "report/wording/utf8.h"

struct making {
	struct view *view;
	const struct view_source *from;
	struct view_state *state;
	struct columns columns;
	size_t height, most;
	uint32_t *shown; /* rows that the filter lets pass, sorted */
	size_t count;
	unsigned unreliable; /* of the rows that were added */
	bool aside;	     /* the mean of one of them is without its warm-up */
};

static const struct group_row *group_of(const struct making *m, uint32_t row)
{
	return &m->from->feed->groups.row[m->from->rows->row[row].group];
}

static const char *caller_of(const struct making *m, uint32_t row)
{
	struct group_path path = groups_path(&m->from->feed->groups, group_of(m, row));

	return path.frames ? labels_frame(m->from->labels,
					  path.frame + path_site_find(path.frame, path.frames))
			   : "";
}

static void function_of(const struct making *m, uint32_t row, char *out, size_t room)
{
	labels_function(m->from->labels, group_of(m, row), out, room);
}

static bool passes(const struct making *m, uint32_t row)
{
	char function[256];

	if (!*m->state->filter)
		return true;
	function_of(m, row, function, sizeof(function));
	return strcasestr(function, m->state->filter) ||
	       strcasestr(caller_of(m, row), m->state->filter);
}

static void choose_rows(struct making *m)
{
	const struct rows *r = m->from->rows;

	m->shown = calloc((size_t)r->rows + 1, sizeof(*m->shown));
	for (uint32_t i = 0; m->shown && i < r->rows; i++)
		if (r->row[r->order[i].row].run.calls && passes(m, r->order[i].row))
			m->shown[m->count++] = r->order[i].row;
}

/* Only the first rows count: the others are rarely on the screen, and may be cut. */
static size_t longest_function(const struct making *m)
{
	size_t longest = 0;

	for (size_t i = 0; i < m->count && i < 100; i++) {
		char function[256];

		function_of(m, m->shown[i], function, sizeof(function));
		size_t width = utf8_width(function);
		longest = width > longest ? width : longest;
	}
	return longest;
}

static size_t moved(size_t at, int by, size_t count)
{
	if (by == INT_MIN || (by < 0 && at < (size_t)-by))
		return 0;
	if (by == INT_MAX || at + (size_t)by >= count)
		return count ? count - 1 : 0;
	return by < 0 ? at - (size_t)-by : at + (size_t)by;
}

static size_t lines_of(const struct making *m, size_t at)
{
	uint32_t row = m->shown[at];

	if (!view_state_is_open(m->state, m->from->rows->row[row].key))
		return 1;
	return 2 + groups_path(&m->from->feed->groups, group_of(m, row)).frames;
}

/* Scroll until row `at` is on the screen, with its path if that fits. */
static void scroll(struct making *m, size_t at)
{
	struct view_state *s = m->state;
	size_t lines = 0;

	if (!s->page)
		return;
	if (s->first > at)
		s->first = at;
	for (size_t i = s->first; i <= at && i < m->count; i++)
		lines += lines_of(m, i);
	for (; lines > s->page && s->first < at; s->first++)
		lines -= lines_of(m, s->first);
}

/* The selected row, wherever it is now; if it is gone, the row in its place. */
static void select_row(struct making *m)
{
	struct view_state *s = m->state;
	size_t at = s->selected && s->position < m->count ? s->position : 0;

	for (size_t i = 0; s->selected && i < m->count; i++)
		if (m->from->rows->row[m->shown[i]].key == s->selected)
			at = i;
	at = moved(at, s->move, m->count);
	if (s->move || s->selected)
		s->selected = m->count ? m->from->rows->row[m->shown[at]].key : 0;
	s->position = at;
	s->move = 0;
	s->highlighted = m->count ? m->from->rows->row[m->shown[at]].key : 0;
	scroll(m, at);
}

static bool is_full(const struct making *m)
{
	return m->height && m->view->lines >= m->height;
}

/* Which calls the mean is of, and its reliability warnings. */
static void add_basis(struct making *m, const struct row_mean *run)
{
	char aside[64] = "";

	if (is_full(m))
		return;
	if (run->warmup_calls)
		snprintf(aside, sizeof(aside), " after %s of warm-up",
			 numbered_count(run->warmup_calls).text);
	view_lines_format(m->view, VIEW_PATH, "%*s  of %s calls%s%s%s", 12, "",
			  numbered_count(run->calls).text, aside,
			  run->unreliable ? "; " COLUMNS_DOUBT " " : "",
			  reliability_names(run->unreliable, ", ").text);
}

static void add_path(struct making *m, uint32_t row)
{
	struct group_path path = groups_path(&m->from->feed->groups, group_of(m, row));

	for (uint32_t i = 0; i < path.frames && !is_full(m); i++) {
		const char *frame = labels_frame(m->from->labels, &path.frame[i]);

		view_lines_add(m->view, utf8_text("%*s%s %s", 12, "", i ? "from" : "  in", frame),
			       VIEW_PATH);
	}
}

static void add_row(struct making *m, size_t at, bool selected)
{
	uint32_t row = m->shown[at];
	const struct row *r = live_rows_means(m->from->rows, m->from->feed, row);
	char function[256];

	function_of(m, row, function, sizeof(function));
	view_lines_add(
		m->view,
		columns_line(&m->columns, r, function, m->columns.caller ? caller_of(m, row) : ""),
		selected ? VIEW_SELECTED : VIEW_PLAIN);
	m->unreliable |= r->run_mean.unreliable;
	m->aside = m->aside || r->run_mean.warmup_calls;
	if (view_state_is_open(m->state, r->key)) {
		add_basis(m, &r->run_mean);
		add_path(m, row);
	}
}

/* The screen shows a help line instead. */
static void add_legend(struct making *m)
{
	if (m->unreliable)
		view_lines_format(m->view, VIEW_PLAIN,
				  COLUMNS_DOUBT ": the interval may not contain the true mean (%s)",
				  reliability_names(m->unreliable, ", ").text);
	if (m->aside)
		view_lines_format(m->view, VIEW_PLAIN,
				  COLUMNS_ASIDE ": of the calls after a warm-up, not of all");
}

/* ---- what is computed: the file of samples is replaced by a new one each time; reading it, and
 * finding names, takes a hundredth of the time at most. Where it has gone, the last figures stay
 * ---- */

#define SHARE	       100
#define LEAST_S	       0.5
#define COMPUTING_ROWS 5
#define MOST_BYTES     (UINT64_C(64) << 20) /* twice what a run writes: reading holds the screen up */

void view_computing_free(struct view_computing *c)
{
	computing_report_free(c->report);
	profile_free(c->profile);
	c->report = NULL;
	c->profile = NULL;
}

static void look(struct view_computing *c, const struct live_reader *f, double confidence)
{
	double now = live_reader_clock(), began = live_reader_seconds(CLOCK_THREAD_CPUTIME_ID);
	const char *first = f->files ? f->file[0].path : "", *slash = strrchr(first, '/');
	struct profile_error err;
	char path[PATH_MAX];

	if (now < c->next_s || !slash ||
	    (size_t)snprintf(path, sizeof(path), "%.*s/" PROF_SAMPLES_FILE, (int)(slash - first),
			     first) >= sizeof(path) ||
	    access(path, R_OK)) /* it may not be there yet */
		return;
	view_computing_free(c);
	int fd = given_file_open(path, O_NOFOLLOW, NULL, NULL);

	c->profile = profile_new();
	if (fd >= 0 && c->profile && !samples_process(c->profile, 0, 0) &&
	    !profile_add_open(c->profile, fd, MOST_BYTES, &err))
		c->report = computing_report(c->profile, NULL, confidence);
	if (fd >= 0)
		close(fd);
	c->next_s = now + LEAST_S + SHARE * (live_reader_seconds(CLOCK_THREAD_CPUTIME_ID) - began);
}

static uint32_t computing_rows(const struct making *m)
{
	const struct report *r = m->from->computing->report;
	const struct report_computing *c = r ? r->computing : NULL;
	uint32_t rows = !c ? 0 : c->rows < COMPUTING_ROWS ? c->rows : COMPUTING_ROWS;

	/* where they leave most of a screen to the calls */
	return m->height && 3 * (rows + 2) > m->height ? 0 : rows;
}

/* The samples' file does not say what programs were started as; the profiles do. */
static void add_computing(struct making *m, uint32_t rows)
{
	const struct report_computing *c = m->from->computing->report->computing;

	view_lines_format(m->view, VIEW_PLAIN, "%s", "");
	view_lines_format(
		m->view, VIEW_HEAD,
		"computing outside of calls, of the whole run: %s of CPU time, %s samples",
		numbered_duration(1e9 * c->cpu_s, m->view->utf8).text,
		numbered_count(c->samples - c->in_calls).text);
	for (const struct report_computing_row *r = c->row; r < c->row + rows; r++)
		view_lines_format(
			m->view, VIEW_PLAIN, "%9s  %12s  %s%s", numbered_share(r->share).text,
			numbered_limits(r->share_low, r->share_high).text,
			r->brief || !r->module
				? computing_name(r)
				: symbolize_module_name(m->from->feed->profile, r->module),
			computing_behind(r));
}

static void add_rows(struct making *m)
{
	struct view_state *s = m->state;
	size_t last = m->height ? m->count : s->first + m->most;

	s->page = m->height > m->view->lines ? m->height - m->view->lines : 1;
	if (!m->height)
		s->page = 0;
	select_row(m);
	for (size_t i = s->first; i < m->count && i < last && !is_full(m); i++)
		add_row(m, i, m->height && i == s->position);
	if (!m->height)
		add_legend(m);
	if (!m->count)
		view_lines_format(m->view, VIEW_PLAIN,
				  *s->filter ? "no row has that text"
					     : "no call has been recorded yet");
}

void view_make(struct view *v, const struct view_source *from, struct view_state *s, size_t width,
	       size_t height, size_t most, bool utf8)
{
	struct making m = {.view = v, .from = from, .state = s, .height = height, .most = most};

	*v = (struct view){.width = width, .utf8 = utf8};
	if (!s->paused)
		look(from->computing, from->feed, from->rows->confidence);
	screen_header_write(v, from, s);
	if (s->mode == STATE_HELP) {
		for (size_t i = 0; view_state_help[i] && !is_full(&m); i++)
			view_lines_format(v, VIEW_PLAIN, "%s", view_state_help[i]);
	} else {
		choose_rows(&m);
		m.columns = columns_fit(width, utf8, longest_function(&m),
					s->by != REPORT_BY_FUNCTION || from->feed->groups.caller,
					from->rows->has_states);
		view_lines_add(v, columns_line(&m.columns, NULL, "function", "called from"),
			       VIEW_HEAD);
		uint32_t rows = computing_rows(&m);
		m.height -= height && rows ? rows + 2 : 0;
		if (m.shown)
			add_rows(&m);
		m.height = height;
		if (rows)
			add_computing(&m, rows);
		free(m.shown);
	}
}
