// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers come from numbers.h, so they read as in reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/live/view.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"
#include "profile/base/array.h"

#define FUNCTION_TITLE 8 /* "function" */
#define FUNCTION_SHARE                                                                             \
	3 /* a name is whole, up to a third of the width, before other columns are                 \
	   */
#define CALLER_LEAST  18
#define CALLER_STATES 40 /* beside where the time went */

static const struct {
	const char *title;
	size_t width;
	unsigned drop; /* the greatest first; DROP_CALLERS: the callers' names; 0: never */
} column[COLUMNS] = {
	[COLUMN_CALLS_S] = {"calls/s", 9, 3},
	[COLUMN_TIME_S] = {"time/s", 8, 1},
	[COLUMN_BYTES_S] = {"bytes/s", 8, 6},
	[COLUMN_STATES] = {"cpu/run/slp", 11, 8},
	[COLUMN_KEPT] = {"CPU kept", 9, 9},
	[COLUMN_MEAN_NOW] = {"mean now", 19, 5},
	[COLUMN_MEAN_ALL] = {"mean of the run", 19, 0},
	[COLUMN_PRECISION] = {"+-%", 7, 4},
	[COLUMN_CALLS] = {"calls", 13, 7},
};
#define DROP_FIRST   9
#define DROP_CALLERS 2

static size_t width_of(const struct columns *c)
{
	size_t width = 0;

	for (int i = 0; i < COLUMNS; i++)
		width += c->shown[i] ? column[i].width + 1 : 0;
	return width + 1;
}

struct columns columns_fit(size_t width, bool utf8, size_t function, bool callers, bool states)
{
	struct columns c = {.width = width, .utf8 = utf8};
	size_t most = width / FUNCTION_SHARE, least = function < most ? function : most, left;

	if (least < FUNCTION_TITLE)
		least = FUNCTION_TITLE;
	memset(c.shown, true, sizeof(c.shown));
	c.shown[COLUMN_STATES] = c.shown[COLUMN_KEPT] = states;
	for (unsigned drop = DROP_FIRST; drop; drop--) {
		size_t caller = !callers		 ? 0
				: c.shown[COLUMN_STATES] ? 1 + CALLER_STATES
							 : 1 + CALLER_LEAST;

		if (width_of(&c) + least + caller <= width)
			break;
		if (drop == DROP_CALLERS)
			callers = false;
		for (int i = 0; i < COLUMNS; i++)
			if (column[i].drop == drop)
				c.shown[i] = false;
	}
	left = width > width_of(&c) ? width - width_of(&c) : 0;
	most = callers && 2 * left / 5 > least ? 2 * left / 5 : callers ? least : left;
	c.function = function < FUNCTION_TITLE ? FUNCTION_TITLE : function;
	if (c.function > most)
		c.function = most;
	if (c.function > left)
		c.function = left;
	c.caller = callers && left > c.function + 1 ? left - c.function - 1 : 0;
	return c;
}

struct numbered columns_rate(double a_second)
{
	if (isnan(a_second))
		return numbered_text("-");
	if (a_second >= 1e7)
		return numbered_text("%.1fM", a_second / 1e6);
	if (a_second < 100 && a_second > 0)
		return numbered_text("%.1f", a_second);
	return numbered_count((uint64_t)llround(a_second));
}

/* An asymmetric interval may be too wide for the column: then its wider side stands for both. */
static void mean_cell(char *out, size_t room, const struct row_mean *m, size_t width, bool utf8)
{
	double half = fmax(m->high_ns - m->mean_ns, m->mean_ns - m->low_ns);
	struct number_mean n = numbers_mean(m->mean_ns, m->low_ns, m->high_ns, utf8);

	snprintf(out, room, "%s %s %s", n.mean, n.interval, n.unit);
	if (isnan(m->mean_ns))
		snprintf(out, room, "-");
	if (utf8_width(out) <= width)
		return;
	n = numbers_mean(m->mean_ns, m->mean_ns - half, m->mean_ns + half, utf8);
	snprintf(out, room, "%s %s %s", n.mean, n.interval, n.unit);
}

static struct numbered precision_cell(const struct row_mean *m)
{
	const char *doubt = m->unreliable ? COLUMNS_DOUBT : "";

	if (isnan(m->relative))
		return numbered_text("%s?", doubt);
	if (m->relative >= 10)
		return numbered_text("%s>999%%", doubt);
	return numbered_text(m->relative < 0.0995 ? "%s%.2f%%" : "%s%.0f%%", doubt,
			     100 * m->relative);
}

/* In front of the mean. A doubt stands there where its precision has no column. */
static void mark(char *out, size_t room, const char *sign)
{
	char plain[96];

	snprintf(plain, sizeof(plain), "%s", out);
	snprintf(out, room, "%s%.90s", sign, plain);
}

/* Shares in per cent, as wide as the title whatever they are. */
static struct numbered states_cell(const struct row_states *s)
{
	if (isnan(s->on_cpu))
		return numbered_text("-");
	return numbered_text("%3.0f/%3.0f/%3.0f", 100 * s->on_cpu, 100 * s->runnable,
			     100 * s->asleep);
}

/* Of all columns but the means'. */
static struct numbered number_cell(const struct columns *c, enum column i, const struct row *r)
{
	switch (i) {
	case COLUMN_CALLS_S:
		return columns_rate(r->calls_s);
	case COLUMN_TIME_S:
		return numbered_duration(1e9 * r->time_s, c->utf8);
	case COLUMN_BYTES_S:
		return isnan(r->bytes_s)
			       ? numbered_text("%s", "")
			       : numbered_bytes((uint64_t)llround(fmin(r->bytes_s, 0x1p62)));
	case COLUMN_STATES:
		return states_cell(&r->states);
	case COLUMN_KEPT:
		return numbered_duration(r->kept_ns, c->utf8);
	case COLUMN_PRECISION:
		return precision_cell(&r->run_mean);
	default:
		return numbered_count(r->run.calls);
	}
}

static void cell(char *out, size_t room, const struct columns *c, enum column i,
		 const struct row *r)
{
	bool all = i == COLUMN_MEAN_ALL;
	const struct row_mean *mean = all ? &r->run_mean : &r->window_mean;

	if (!all && i != COLUMN_MEAN_NOW) {
		snprintf(out, room, "%s", number_cell(c, i, r).text);
		return;
	}
	mean_cell(out, room, mean, column[i].width, c->utf8);
	if (all && mean->unreliable && !c->shown[COLUMN_PRECISION])
		mark(out, room, COLUMNS_DOUBT);
	if (all && mean->warmup_calls)
		mark(out, room, COLUMNS_ASIDE);
}

char *columns_line(const struct columns *c, const struct row *r, const char *function,
		   const char *caller)
{
	const struct terminal terminal = {.width = c->width, .utf8 = c->utf8};
	struct terminal_line line = {.terminal = &terminal};
	struct utf8_memory memory;
	size_t start = 0;
	char text[96];

	utf8_memory_begin(&memory);
	line.out = memory.to;
	if (!memory.to)
		return NULL;
	for (int i = 0; i < COLUMNS; i++) {
		if (!c->shown[i])
			continue;
		if (r)
			cell(text, sizeof(text), c, (enum column)i, r);
		else
			snprintf(text, sizeof(text), "%s",
				 i == COLUMN_PRECISION && c->utf8 ? "±%" : column[i].title);
		terminal_put(&line, start, column[i].width, true, text, TERMINAL_PLAIN);
		start += column[i].width + 1;
	}
	terminal_put(&line, start + 1, c->function, false, function, TERMINAL_PLAIN);
	terminal_put(&line, start + 1 + c->function + 1, c->caller, false, caller, TERMINAL_PLAIN);
	return utf8_memory_end(&memory);
}

/* The lines of a picture. Each is cut to the picture's width. */

/* Shows that the text continues. */
static void cut(char *text, size_t width, bool utf8)
{
	const char *dots = utf8 ? "…" : ".";

	if (utf8_width(text) <= width)
		return;
	size_t at = utf8_fit(text, width - 1);
	if (strlen(text + at) >= strlen(dots))
		strcpy(text + at, dots);
	else
		text[utf8_fit(text, width)] = '\0';
}

void view_lines_add(struct view *v, char *text, enum view_style style)
{
	struct view_line *line = text ? ARRAY_APPEND(v->line, v->lines) : NULL;

	if (!line) {
		free(text);
		return;
	}
	cut(text, v->width, v->utf8);
	*line = (struct view_line){text, style};
}

void view_lines_free(struct view *v)
{
	for (size_t i = 0; i < v->lines; i++)
		free(v->line[i].text);
	free(v->line);
	*v = (struct view){0};
}
