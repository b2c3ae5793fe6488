// SPDX-License-Identifier: GPL-3.0-or-later
/* A profile file that is followed, from when it was found until it is gone.
 *
 * It stays open: what the process wrote last can be read when `scprof run` has removed the file.
 * Read with pread, never mapped: a file that somebody cuts short does not kill the agent.
 * Single-threaded (agent.h has the lock). */
#ifndef SCPROF_REPORT_SERVE_AGENT_SOURCE_H
#define SCPROF_REPORT_SERVE_AGENT_SOURCE_H

#include <sys/types.h>

#include "report/serve/sums/counters.h"

#define SOURCE_SECOND_NS UINT64_C(1000000000)

enum source_state {
	SOURCE_FOLLOWED,  /* counted; its process may live */
	SOURCE_ENDED,	  /* counted; its process is gone, as far as can be seen */
	SOURCE_REFUSED,	  /* not counted yet: cannot be read as a profile */
	SOURCE_WAITING,	  /* not counted yet: its user has no time left (agent_read.c) */
	SOURCE_MERGED,	  /* a result, by its name or as it says: its processes were counted */
	SOURCE_DUPLICATE, /* of a process that another file was counted for */
	SOURCE_STATES
};
extern const char *const source_state_names[SOURCE_STATES];

/* Which process. Zero: not known. */
struct source_identity {
	uint32_t pid, uid;
	uint64_t start_real_ns, start_mono_ns;
};

enum source_result {
	SOURCE_GREW,  /* something was added */
	SOURCE_SAME,  /* read, and nothing is new */
	SOURCE_FAILED /* what was counted stays */
};

/* Why a file, or a reading of it, was not taken. */
enum source_fault {
	SOURCE_FAULT_LINK,	/* a symbolic link */
	SOURCE_FAULT_KIND,	/* no regular file */
	SOURCE_FAULT_OWNER,	/* somebody else's */
	SOURCE_FAULT_OPEN,	/* cannot be opened */
	SOURCE_FAULT_SIZE,	/* larger than the limit */
	SOURCE_FAULT_CONTENT,	/* damaged, or no profile (yet) */
	SOURCE_FAULT_BACKWARDS, /* a sum is less than it was */
	SOURCE_FAULT_MEMORY,
	SOURCE_FAULTS
};
extern const char *const source_fault_names[SOURCE_FAULTS]; /* a word each, for metrics */
extern const char *const source_fault_words[SOURCE_FAULTS]; /* for people */

/* The agent keeps one of these for it, each with a limit of its own. */
enum source_holding {
	SOURCE_OPEN,  /* a descriptor */
	SOURCE_NAMED, /* a name that cannot be opened */
	SOURCE_ASIDE, /* a record of a complete file, or of one that is not to be counted */
	SOURCE_HOLDINGS
};

/* The figures of its processes, at the last reading. */
struct source_figures {
	uint64_t calls, processes;
	uint64_t cpu_ns;   /* charged to it; UINT64_MAX: not known */
	uint64_t wall_ns;  /* from its start to its end; 0: not known, or it has not ended */
	const char *ended; /* how the first one did; static */
};

struct source {
	char *path; /* where it was found */
	int fd;
	enum source_holding holding;
	dev_t device;
	ino_t inode;
	enum source_state state;
	enum source_fault fault; /* the last one; of SOURCE_REFUSED */
	struct source_identity identity;
	struct counters_service *service;
	struct cells cells;
	struct source_figures figures;
	struct profile *last; /* its calls by function; NULL: none read */
	uint32_t clock;	      /* kind */
	char *program;	      /* of the first process; NULL: none read */
	bool listed;	      /* it lies in a given directory, not in that of a run */
	bool alive;
	bool from_now;		   /* what it had before its first reading is not to be counted */
	bool past;		   /* it is, but began before the agent did */
	bool late;		   /* was due, and has to wait for its user's time */
	uint64_t read_ns;	   /* when its last reading began, CLOCK_MONOTONIC; 0: never */
	uint64_t next_ns, wait_ns; /* when to read it again */
	UT_hash_handle hh;	   /* by path */
};

struct source_limits {
	uint64_t most_bytes; /* of a file */
	bool any_owner;	     /* root reads everybody's */
};

/* Open directory/name, never through a link. 0 and *fault untouched, or -1. */
int source_open(struct source *s, int directory, const char *name, const struct source_limits *l,
		enum source_fault *fault);

/* Close it, and free what was read; its names, path and state stay. */
void source_release(struct source *s);

/* Release everything, also of one that was never opened (fd -1). */
void source_close(struct source *s);

/* Is directory/name the very file that was opened as s? */
bool source_is(const struct source *s, int directory, const char *name);

/* Read the whole file into a new model, alone. NULL and *fault. */
struct profile *source_load(const struct source *s, const struct source_limits *l,
			    enum source_fault *fault);

/* Reads the file's header, and sets s->alive. */
void source_look(struct source *s);

/* Take its program, figures and clock from the model. */
void source_describe(struct source *s, const struct profile *p);

/* Is it a profile that the page / lists and opens, also if it is in no sum? */
bool source_is_finished(const struct source *s);

/* Add what is new in the model to the sums, from nothing, or (count false, at the first
 * reading) only from now on. */
enum source_result source_take(struct source *s, struct counters *c, const struct profile *p,
			       bool count, enum source_fault *fault);

/* No link leads to it any more. */
bool source_removed(const struct source *s);

#endif
