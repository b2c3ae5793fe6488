// SPDX-License-Identifier: GPL-3.0-or-later
/* What the agent's files share: agent.c calls agent_find.c, which calls agent_meet.c, and all call
 * agent_read.c. The caller is the one that reads (`reading`). */
#ifndef SCPROF_SERVE_AGENT_AGENT_PRIVATE_H
#define SCPROF_SERVE_AGENT_AGENT_PRIVATE_H

#define HASH_NONFATAL_OOM 1
#include "serve/agent/agent.h"

#define AGENT_SHORTEST_WAIT_NS UINT64_C(1000000000)

/* With the lock, which is given up while the file is read: add what is new, or say why not. false:
 * not now, because the agent stops, or the user has no time left: it is late then. */
bool agent_read_source(struct agent *a, struct source *s);

/* Wait twice as long as the last time before it is read again. */
void agent_read_wait_longer(struct source *s);

/* Will never be counted: a result, or a copy. */
bool agent_read_is_set_aside(const struct source *s);

/* Without the lock: look through the directories, and meet all files. */
void agent_find_files(struct agent *a);

/* Without the lock: a file was found. */
void agent_meet_file(struct agent *a, int directory, const char *path, const char *name);

/* With the lock: close, free and forget it. */
void agent_meet_drop(struct agent *a, struct source *s);

/* The same for a file that is gone; what it said stays in sums and means, and is not counted
 * again from a copy. */
void agent_meet_retire(struct agent *a, struct source *s);

#endif
