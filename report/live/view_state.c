// SPDX-License-Identifier: GPL-3.0-or-later
/* Keys change the state. Moves depend on what is shown: the view carries them out. */
#include "report/live/view.h"

#include <curses.h>
#include <limits.h>
#include <string.h>

#define ESCAPE 27

const char *const view_state_help[] = {
	"Columns: of the last interval: calls/s, time/s (in those calls), bytes/s, mean;",
	"of the whole run: mean, half of its interval in % of it, calls. As in reports,",
	"a warm-up is not in that mean. !: its interval may not contain the true mean",
	"(calls are synchronous with the clock's tick, depend on one another for long,",
	"or a few make most of the mean): Enter says why.",
	"",
	"  up down j k PgUp PgDn Home End   choose a row",
	"  Enter, Right      open its call path, or close it        o  open or close all",
	"  t C c b m T i n   sort by time/s, CPU time/s, calls/s, bytes/s, mean, total",
	"                    time, widest interval, name",
	"  g                 group by path, by site, by function",
	"  /                 show only rows with this text; Enter keeps it, Esc drops it",
	"  Space, p          pause: the picture stays, the target goes on",
	"  + -               longer, shorter interval (0.1 s to 60 s)",
	"  h ?               this text                              q  quit",
	NULL};

bool view_state_is_open(const struct view_state *s, uint64_t row_key)
{
	return (s->open == row_key) != s->all_open;
}

static void sort_by(struct view_state *s, enum row_sort by)
{
	s->sort = by;
	s->selected = 0; /* the first row of the new order */
}

static void change_interval(struct view_state *s, double factor)
{
	static const double steps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};
	const size_t count = sizeof(steps) / sizeof(steps[0]);
	size_t at = 0;

	while (at + 1 < count && steps[at] < s->interval_s * 0.999)
		at++;
	if (factor > 1)
		at += steps[at] <= s->interval_s * 1.001 && at + 1 < count;
	else
		at -= at > 0;
	s->interval_s = steps[at];
}

static void next_grouping(struct view_state *s)
{
	s->by = s->by == REPORT_BY_PATH	  ? REPORT_BY_SITE
		: s->by == REPORT_BY_SITE ? REPORT_BY_FUNCTION
					  : REPORT_BY_PATH;
	s->selected = s->open = 0;
}

static void edit_filter(struct view_state *s, int key)
{
	size_t length = strlen(s->filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		s->mode = STATE_WATCH;
	} else if (key == ESCAPE) {
		strcpy(s->filter, s->filter_before);
		s->mode = STATE_WATCH;
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		s->filter[length - (length > 0)] = '\0';
	} else if (key >= ' ' && key < 127 && length + 1 < sizeof(s->filter)) {
		s->filter[length] = (char)key;
		s->filter[length + 1] = '\0';
	}
}

static bool move_key(struct view_state *s, int key)
{
	const struct {
		int key, other, move;
	} moves[] = {
		{KEY_UP, 'k', -1},
		{KEY_DOWN, 'j', 1},
		{KEY_PPAGE, KEY_PPAGE, -(int)s->page},
		{KEY_NPAGE, KEY_NPAGE, (int)s->page},
		{KEY_HOME, KEY_HOME, INT_MIN},
		{KEY_END, KEY_END, INT_MAX},
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		if (key == moves[i].key || key == moves[i].other) {
			s->move = moves[i].move;
			return true;
		}
	return false;
}

static bool sort_key(struct view_state *s, int key)
{
	static const char letters[ROW_SORTS + 1] = "tcbmTinC";
	const char *letter = key > 0 && key < 127 ? strchr(letters, key) : NULL;

	if (letter)
		sort_by(s, (enum row_sort)(letter - letters));
	return letter;
}

static void begin_filter(struct view_state *s)
{
	s->mode = STATE_FILTERING;
	strcpy(s->filter_before, s->filter);
	s->filter[0] = '\0';
}

static void watch_key(struct view_state *s, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		s->quit = true;
		break;
	case 'h':
	case '?':
		s->mode = STATE_HELP;
		break;
	case ' ':
	case 'p':
		s->paused = !s->paused;
		break;
	case 'g':
		next_grouping(s);
		break;
	case '/':
		begin_filter(s);
		break;
	case '+':
	case '-':
		change_interval(s, key == '+' ? 2 : 0.5);
		break;
	case 'o':
		s->all_open = !s->all_open;
		s->open = 0;
		break;
	case '\n':
	case '\r':
	case KEY_ENTER:
	case KEY_RIGHT:
	case KEY_LEFT:
		s->selected = s->highlighted;
		s->open = s->open == s->selected ? 0 : s->selected;
		break;
	case ESCAPE:
		s->filter[0] = '\0';
		break;
	default:
		break;
	}
}

void view_state_key(struct view_state *s, int key)
{
	if (s->mode == STATE_FILTERING)
		edit_filter(s, key);
	else if (s->mode == STATE_HELP && key != 'q')
		s->mode = STATE_WATCH;
	else if (!move_key(s, key) && !sort_key(s, key))
		watch_key(s, key);
}
