// SPDX-License-Identifier: GPL-3.0-or-later
/* Written at the beginning and end of a run only: a line that moves would be work of our
 * own beside the program. */
#include "displace_progress.h"

#include <stdio.h>
#include <unistd.h>

void displace_progress_begin(struct displace_progress *p, bool wished)
{
	p->shown = wished && isatty(STDERR_FILENO);
}

void displace_progress_say(const struct displace_progress *p, size_t done, size_t all)
{
	if (!p->shown)
		return;
	fprintf(stderr, "\r\033[Kscprof displace: run %zu of %zu\r", done + 1, all);
	fflush(stderr);
}

void displace_progress_clear(const struct displace_progress *p)
{
	if (!p->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
