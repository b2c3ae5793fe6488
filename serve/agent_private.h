// SPDX-License-Identifier: GPL-3.0-or-later
/* What the agent's files share; all of it with the agent's lock held. */
#ifndef SCPROF_SERVE_AGENT_PRIVATE_H
#define SCPROF_SERVE_AGENT_PRIVATE_H

#define HASH_NONFATAL_OOM 1
#include "serve/agent.h"

#define AGENT_SHORTEST_WAIT_NS UINT64_C(1000000000)

/* Read it and add what is new, or say why not. */
void agent_read(struct agent *a, struct source *s);

/* To be read again after twice as long as the last time. */
void agent_wait_longer(struct source *s);

/* Will never be counted: a result, or a copy. */
bool agent_is_set_aside(const struct source *s);

/* Close, free and forget it. */
void agent_meet_drop(struct agent *a, struct source *s);

/* The same for a file that is gone; what it said stays in sums and means, and is not counted
 * again from a copy. */
void agent_meet_retire(struct agent *a, struct source *s);

#endif
