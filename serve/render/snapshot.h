// SPDX-License-Identifier: GPL-3.0-or-later
/* Whole models, call paths included, of what the agent follows at one moment.
 *
 * Taken under the agent's lock, loaded without it, in another process (renderer.h): descriptors are
 * copied, so files that go away meanwhile can still be read. */
#ifndef SCPROF_SERVE_RENDER_SNAPSHOT_H
#define SCPROF_SERVE_RENDER_SNAPSHOT_H

#include "serve/agent/agent.h"

#define SNAPSHOT_NO_OWNER UINT32_MAX /* no file, or files of several users */

struct snapshot_file {
	int fd;
	dev_t device;
	ino_t inode;
	uint32_t clock;
	bool loaded;
};

struct snapshot {
	struct snapshot_file *file;
	size_t files;
	uint32_t clock;	     /* that most files have, or that was asked for; NONE: no file */
	uint32_t owner;	     /* the user of all of them */
	uint64_t most_bytes; /* of a file */
	size_t left_out;     /* of another clock, or not readable now */
	bool no_memory;	     /* out of memory while one was read */
};

/* service NULL: all; clock SCP_CLOCK_NONE: the one that most of the files have. Takes the lock. 0,
 * ENOMEM, or EMFILE: too few descriptors, of which copies leave some to connections and others.
 * snapshot_free is due either way. */
int snapshot_take(struct snapshot *s, struct agent *a, const char *service, uint32_t clock);
void snapshot_free(struct snapshot *s);

/* Of one file that is listed, finished or not (listing.h). Takes the lock. 0 (no file where it is
 * not listed, or has gone) or ENOMEM; snapshot_free is due either way. */
int snapshot_take_listed(struct snapshot *s, struct agent *a, const char *path);

/* Whose files would be taken? A user, or SNAPSHOT_NO_OWNER. Takes the lock. */
uint32_t snapshot_owner(struct agent *a, const char *service);

/* Add every file of s->clock to the model that `accept` (NULL: all) likes. */
void snapshot_load(struct snapshot *s, struct profile *p,
		   bool (*accept)(const struct snapshot_file *f, const void *context),
		   const void *context);

/* The same file in another snapshot; NULL: it is not there. */
const struct snapshot_file *snapshot_find(const struct snapshot *s, const struct snapshot_file *f);

#endif
