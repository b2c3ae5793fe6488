// SPDX-License-Identifier: GPL-3.0-or-later
/* One line on standard error while runs are made, where that is a terminal. */
#ifndef SCPROF_DISPLACE_PROGRESS_H
#define SCPROF_DISPLACE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct displace_progress {
	bool shown; /* it is a terminal, and the line is wished for */
};

void displace_progress_begin(struct displace_progress *p, bool wished);
void displace_progress_say(const struct displace_progress *p, size_t done, size_t all);
/* Before anybody else writes there. */
void displace_progress_clear(const struct displace_progress *p);

#endif
