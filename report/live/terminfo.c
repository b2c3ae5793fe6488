// SPDX-License-Identifier: GPL-3.0-or-later
/* What a terminal can do, and what endwin would have written, for a process that was killed. In a
 * file of its own, because term.h defines common words as macros. */
#include <curses.h>
#include <term.h>
#include <string.h>
#include <unistd.h>

#include "report/live/screen.h"

static int written_to; /* tputs passes no context */

static int put(int c)
{
	char byte = (char)c;

	return write(written_to, &byte, 1) == 1 ? c : EOF;
}

void terminfo_leave(int terminal)
{
	static const char *const wanted[] = {"sgr0", "rmcup", "cnorm", "rmkx"};
	int error;

	if (setupterm(NULL, terminal, &error) != OK)
		return;
	written_to = terminal;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const char *text = tigetstr(wanted[i]);

		if (text && text != (const char *)-1)
			tputs(text, 1, put);
	}
	del_curterm(cur_term);
}

bool terminfo_can_move(int terminal)
{
	const char *move;
	int error;

	if (setupterm(NULL, terminal, &error) != OK)
		return false;
	move = tigetstr("cup");
	del_curterm(cur_term);
	return move && move != (const char *)-1;
}
