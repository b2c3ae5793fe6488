// SPDX-License-Identifier: GPL-3.0-or-later
/* Which functions are there to wait: for events, a connection, another thread or process, or time
 * to pass. What they take is not work, and depends on others: it is kept out of all shares of it.
 */
#ifndef SCPROF_REPORT_MODEL_WAITING_H
#define SCPROF_REPORT_MODEL_WAITING_H

#include "profile/profile.h"

/* True of the group `wait`, of accept, and of the C library's functions in waiting.c where -s
 * selected them. A region or a function of the program never waits, whatever it is called. */
bool waiting_function(const struct prof_function *f);

#endif
