// SPDX-License-Identifier: GPL-3.0-or-later
/* All profiles that lie in the given directories, finished ones too, newest first: what a page
 * lists and opens. Counters and means are not made of these (agent.h); a merged result has a line
 * here and is in no sum.
 *
 * Only the thread that reads changes a listing; others look at it with the agent's lock. */
#ifndef SCPROF_SERVE_AGENT_LISTING_H
#define SCPROF_SERVE_AGENT_LISTING_H

#include "serve/agent/source.h"
#include "serve/sums/label.h"

#define LISTING_MOST	 500		     /* files in it */
#define LISTING_ROUND_NS UINT64_C(100000000) /* files are read so long in one round */
#define LISTING_AGAIN_NS                                                                           \
	(UINT64_C(30) * 1000000000) /* an unchanged directory is looked at again                   \
				     */

enum listed_state {
	LISTED_WAITS, /* not read yet */
	LISTED_READ,
	LISTED_REFUSED
};

struct listed {
	char *path; /* as it was found */
	dev_t device;
	ino_t inode;
	uint64_t bytes, modified_ns;
	enum listed_state state;
	enum source_fault fault; /* of LISTED_REFUSED */
	/* The rest of LISTED_READ: */
	char program[LABEL_BYTES]; /* that made most of the calls */
	uint32_t uid, pid, clock;  /* pid: of the first process */
	const char *ended;	   /* how that did; static */
	bool live;
	uint64_t processes, calls;
	uint64_t start_real_ns; /* of the first process */
};

struct listing {
	struct listed *file;
	size_t files;
	uint64_t beyond; /* older ones, which are not listed */
	/* private: */
	uint64_t looked_ns, took_ns;
	uint64_t directories; /* a sum of when they changed */
};

struct agent;

/* Without the agent's lock, by the thread that reads: look for changes, and read what is new. */
void listing_scan(struct agent *a);
void listing_free(struct listing *l);

/* The file of that path; NULL: it is not listed. With the lock. */
const struct listed *listing_find(const struct listing *l, const char *path);

#endif
