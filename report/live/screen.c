// SPDX-License-Identifier: GPL-3.0-or-later
/* ncurses around view.h: draws lines, reads keys, follows the terminal's size, and restores the
 * terminal whatever ends this process. Only clean text is drawn (utf8_clean). */
#include <curses.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "report/wording/terminal.h"
#include "report/wording/utf8.h"
#include "report/live/view.h"
#include "profile/base/error.h"

/* Has the other end of the pipe been closed? */
static bool is_over(int end)
{
	struct pollfd p = {.fd = end, .events = POLLIN};
	char word;

	return end >= 0 && poll(&p, 1, 0) > 0 && read(end, &word, 1) == 0;
}

/* -1: out of memory. */
static int renew(const struct view_source *from, const struct live_options *o)
{
	struct live_reader *f = from->feed;

	if (f->held && is_over(o->end)) {
		f->held = false;
		f->next_find = 0; /* look at once which processes are alive */
	}
	return live_reader_refresh(f) || live_rows_update(from->rows, f) ? -1 : 0;
}

/* The pictures as text, one below the other, with an empty line between them. When the target
 * ends, one last picture follows. */

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
static int follow_text(const struct view_source *from, const struct live_options *o, FILE *out,
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
		}
		if (ended ? live_rows_update(from->rows, f) : renew(from, o))
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
	struct view_computing computing = {0};
	struct labels *labels = labels_new(f, terminal_of(out, o->width).utf8);
	struct view_source from = {f, &rows, labels, o->note, &computing};

	if (!labels)
		return error_set(err, "out of memory");
	int failed = follow_text(&from, o, out, err);
	live_rows_free(&rows);
	view_computing_free(&computing);
	labels_free(labels);
	return failed;
}

/* Time for the rest of an arrow key's sequence, over a slow line. */
#define ESCAPE_MS 200

static volatile sig_atomic_t came; /* a signal; 0: none */

static void note_signal(int signal)
{
	came = signal;
}

/* Signals that would end or stop this process without restoring the terminal. While it draws,
 * ncurses ignores a SIGTSTP that has no handler, and a Ctrl-Z would be lost. */
static const int taken[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP};
#define TAKEN (sizeof(taken) / sizeof(taken[0]))

/* `keep`: signals from the keyboard are for the command only. */
static void take_signals(struct sigaction *before, bool keep)
{
	came = 0;
	for (size_t i = 0; i < TAKEN; i++) {
		struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
		bool key = taken[i] == SIGINT || taken[i] == SIGQUIT;

		if (keep && key)
			action.sa_handler = SIG_IGN;
		sigaction(taken[i], &action, &before[i]);
		if (taken[i] == SIGTSTP && before[i].sa_handler == SIG_IGN) /* no job control */
			sigaction(taken[i], &before[i], NULL);
	}
}

/* Restore the terminal, stop, and draw again when the shell continues us. */
static void stand_aside(void)
{
	came = 0;
	endwin();
	raise(SIGSTOP);
	clearok(curscr, TRUE);
}

struct screen {
	struct view_source from;
	struct view_state state;
	const struct live_options *options;
	bool utf8;
};

static void draw_line(int y, const struct view_line *l, int width)
{
	static const int attribute[] = {
		[VIEW_PLAIN] = A_NORMAL,     [VIEW_TITLE] = A_BOLD, [VIEW_HEAD] = A_UNDERLINE,
		[VIEW_SELECTED] = A_REVERSE, [VIEW_PATH] = A_DIM,   [VIEW_ALERT] = A_BOLD};

	move(y, 0);
	attrset(attribute[l->style]);
	addstr(l->text);
	if (l->style == VIEW_SELECTED || l->style == VIEW_HEAD)
		for (int x = (int)utf8_width(l->text); x < width; x++)
			addch(' ');
	attrset(A_NORMAL);
}

static void draw(struct screen *s)
{
	static const char foot[] = "q quit  h help  Enter path  / filter  Space pause  t c b m T i "
				   "n sort";
	int height, width;
	struct view v;

	getmaxyx(stdscr, height, width);
	if (height < 1 || width < 1)
		return;
	live_rows_sort(s->from.rows, s->from.feed, s->state.sort);
	view_make(&v, &s->from, &s->state, (size_t)width, height > 2 ? (size_t)height - 1 : 1, 0,
		  s->utf8);
	erase();
	for (size_t i = 0; i < v.lines && i < (size_t)height; i++)
		draw_line((int)i, &v.line[i], width);
	if (height > 2) {
		attrset(A_DIM);
		mvaddnstr(height - 1, 0, foot, width - 1);
		attrset(A_NORMAL);
	}
	refresh();
	view_lines_free(&v);
}

/* -1: out of memory. */
static int regroup(struct screen *s)
{
	if (s->state.by == s->from.feed->by)
		return 0;
	if (live_reader_regroup(s->from.feed, s->state.by))
		return -1;
	return live_rows_update(s->from.rows, s->from.feed);
}

/* ncurses learns of a new size by a signal, which a stopped process does not get. */
static void fit_window(void)
{
	struct winsize now;
	int height, width;

	getmaxyx(stdscr, height, width);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) && now.ws_row && now.ws_col &&
	    (now.ws_row != height || now.ws_col != width))
		resizeterm(now.ws_row, now.ws_col);
}

/* The terminal may disappear without a signal to us: then poll reports a hang-up, and no key
 * comes. */
static bool is_gone(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

/* -1: out of memory, or the terminal is gone. */
static int follow(struct screen *s)
{
	double due = s->from.feed->at + s->state.interval_s;

	while (!s->state.quit && (!came || came == SIGTSTP)) {
		if (came)
			stand_aside();

		double left = due - live_reader_clock();
		fit_window();
		draw(s);
		timeout(left <= 0 ? 0 : (int)fmin(ceil(1000 * left), 1000));
		int key = getch();
		if (key == ERR && is_gone())
			return -1;
		if (key != ERR && key != KEY_RESIZE) {
			double before = s->state.interval_s;

			view_state_key(&s->state, key);
			due += s->state.interval_s - before;
			if (regroup(s))
				return -1;
			continue;
		}
		if (key == KEY_RESIZE || live_reader_clock() < due)
			continue;
		if (!s->state.paused && renew(&s->from, s->options))
			return -1;
		due = fmax(due + s->state.interval_s, live_reader_clock());
	}
	return 0;
}

/* Where the system describes no terminal, as in many containers, the descriptions beside the tool
 * may (make dist). The environment is as before afterwards: programs are started with it. */
static SCREEN *open_terminal(void)
{
	static const char beside[] = "terminfo";
	SCREEN *terminal = newterm(NULL, stdout, stdin);
	char folder[PATH_MAX + sizeof(beside)];
	ssize_t n;

	if (terminal || getenv("TERMINFO") ||
	    (n = readlink("/proc/self/exe", folder, PATH_MAX)) <= 0)
		return terminal;
	while (n && folder[n - 1] != '/')
		n--;
	memcpy(folder + n, beside, sizeof(beside));
	setenv("TERMINFO", folder, 1);
	terminal = newterm(NULL, stdout, stdin);
	unsetenv("TERMINFO");
	return terminal;
}

static int start_curses(struct profile_error *err, SCREEN **terminal)
{
	const char *name = getenv("TERM"), *move;

	setlocale(LC_CTYPE, "");
	*terminal = open_terminal();
	move = *terminal ? tigetstr("cup") : NULL; /* TERM=dumb has none */
	if (!move || move == (const char *)-1) {
		if (*terminal)
			delscreen(*terminal);
		return error_set(err,
				 "the terminal '%.100s' (TERM) cannot show a full screen.\n"
				 "Use --batch, or set TERM to what the terminal is",
				 name ? name : "");
	}
	set_term(*terminal);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	return 0;
}

int screen_run(struct live_reader *f, const struct live_options *o, struct profile_error *err)
{
	struct rows rows = {.confidence = o->confidence};
	struct view_computing computing = {0};
	struct screen s = {.from = {f, &rows, NULL, o->note, &computing},
			   .state = o->state,
			   .options = o,
			   .utf8 = terminal_of(stdout, 0).utf8};
	struct sigaction before[TAKEN];
	SCREEN *terminal;

	s.from.labels = labels_new(f, s.utf8);
	if (!s.from.labels || live_rows_update(&rows, f)) {
		error_set(err, "out of memory");
		labels_free(s.from.labels);
		return -1;
	}
	take_signals(before, o->keep); /* before curses: no signal may come in between */
	int failed = start_curses(err, &terminal);
	if (!failed) {
		failed = follow(&s);
		endwin();
		delscreen(terminal);
		if (failed)
			error_set(err, "out of memory, or the terminal is gone");
	}
	for (size_t i = 0; i < TAKEN; i++)
		sigaction(taken[i], &before[i], NULL);
	live_rows_free(&rows);
	view_computing_free(&computing);
	labels_free(s.from.labels);
	return failed;
}
