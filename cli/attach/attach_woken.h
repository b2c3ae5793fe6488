// SPDX-License-Identifier: GPL-3.0-or-later
/* Those of the processes of `scprof attach` that are dormant: they are woken by their page, begin
 * at their next call, and end at one. */
#ifndef SCPROF_CLI_ATTACH_ATTACH_WOKEN_H
#define SCPROF_CLI_ATTACH_ATTACH_WOKEN_H

#include "cli/attach/attach_targets.h"

/* Which of them share a page. */
void attach_woken_find_pages(struct attach_targets *t);

/* All that share the page of `one`, by one order. The page stays open: that says that we live. */
void attach_woken_begin(struct attach_targets *t, struct attach_one *one, char **order);

/* The same: told to stop, where `one` is the one that holds the page. */
void attach_woken_end(struct attach_targets *t, struct attach_one *one);

/* Until they have ended their profiles, a second at most: one that waits in a call does so with the
 * next, and its profile is complete but for that. */
void attach_woken_await(const struct attach_targets *t, const char *profiles);

/* How many have made a profile, where that is not all of them. */
void attach_woken_say_silent(const struct attach_targets *t, const char *profiles);

#endif
