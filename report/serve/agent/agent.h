// SPDX-License-Identifier: GPL-3.0-or-later
/* Follows the profiles of all processes of a host and keeps their sums. A thread calls agent_scan
 * every second; whoever answers a request calls agent_refresh, which reads at most once in
 * AGENT_FRESH_NS. One thread at a time reads (`reading`), and changes what is published only with
 * the lock, which it does not hold while it reads a file: take it before looking at `counters` or
 * `sources`. What a user's files take is limited by agent_read.c: what is due beyond that is read
 * in a later round. */
#pragma once

#define HASH_NONFATAL_OOM 1
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uthash.h>

#include "report/serve/sums/counters.h"

/* A profile file that is followed, from when it was found until it is gone. It stays open: what the
 * process wrote last can be read when `scprof run` has removed the file. Read with pread, never
 * mapped: a file that somebody cuts short does not kill the agent. Single-threaded (agent.h has the
 * lock). */

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
extern const struct source_fault_words {
	const char *name, *words; /* for metrics; for people */
} source_faults[SOURCE_FAULTS];

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
	struct timespec written; /* last, when it was opened */
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

/* Is directory/name the very file that was opened as s, and a result not written since? */
bool source_is(const struct source *s, int directory, const char *name);

/* Read the whole file into a new model, alone. NULL and *fault. */
struct profile *source_load(const struct source *s, const struct source_limits *l,
			    enum source_fault *fault);

/* Take its program, figures and clock from the model. */
void source_describe(struct source *s, const struct profile *p);

/* Is it a profile that the page / lists and opens, also if it is in no sum? */
bool source_is_finished(const struct source *s);

/* Add what is new in the model to the sums, from nothing, or (count false, at the first
 * reading) only from now on. */
enum source_result source_take(struct source *s, struct counters *c, const struct profile *p,
			       bool count, enum source_fault *fault);

/* How much time the files of each user take, so that nobody's hold up those of others for long.
 * Time is a token bucket (the virtual scheduling of ITU-T I.371): up to SHARES_BURST_NS at once,
 * and one part in SHARES_PART of all time in the long run. What was begun is finished, so one long
 * reading is paid for by a longer pause after it. Single-threaded; times are of any one clock. */

#define SHARES_BURST_NS UINT64_C(1000000000)
#define SHARES_PART	4

struct share {
	unsigned uid;
	uint64_t paid_ns; /* when all time spent will be paid for */
	UT_hash_handle hh;
};

/* May work for this user begin now? */
bool shares_has_time(struct share *shares, unsigned uid, uint64_t now_ns);

/* It ended now, and took so long. Out of memory, the user has no limit. */
void shares_spend(struct share **shares, unsigned uid, uint64_t now_ns, uint64_t took_ns);

/* Forget users who have paid. */
void shares_tend(struct share **shares, uint64_t now_ns);

#define AGENT_FRESH_NS	  UINT64_C(500000000)
#define AGENT_PATIENCE_NS (UINT64_C(5) * 1000000000) /* agent_refresh waits for another reading */
#define AGENT_REMEMBERED  1024			     /* ended processes whose files are gone */
#define AGENT_NAMES	  4096	/* files that cannot be opened, and are not tried at every scan */
#define AGENT_ASIDE	  16384 /* complete files of ours, and as many of all others */

struct agent;

struct agent_options {
	/* Without the lock: the file of samples in the directory `path` of a run; NULL: nothing. */
	void (*meet_samples)(struct agent *a, int directory, const char *path, const char *name);
	const char *const *directory; /* searched for *.scp, and for directories of runs */
	size_t directories;
	uint32_t most_services, most_functions;
	uint32_t most_files; /* open at a time; agent_open lowers it to what RLIMIT_NOFILE allows */
	uint32_t most_names; /* looked at in one scan, in all directories; 0: 200 000 */
	uint64_t most_bytes; /* of a file */
	uint32_t
		most_seconds; /* for a page or pprof profile to be rendered; 0: RENDERING_SECONDS */
	bool allow_attach;    /* POST /attach records processes */
	const char *attach_socket; /* by which it comes; NULL: the default */
	const char *attach_token;  /* with which it may come by TCP, too; NULL: never */
	bool from_now; /* of older processes than the agent, count only what comes after the first
			  reading */
	double confidence;
};

/* Private to the thread that reads. */
struct agent_search {
	uint64_t files_beyond, directories_failed;
	uint32_t names_left;
	bool full; /* nobody's file finds a place until the next one */
};

struct agent {
	struct agent_options options;
	struct source_limits limits;
	pthread_mutex_t reading; /* taken before the lock */
	pthread_mutex_t lock;
	atomic_bool stopping;
	sem_t stopped;
	struct counters counters;
	struct source *sources; /* a hash by path, in the order in which they were found */
	size_t held[SOURCE_HOLDINGS];
	struct share *shares; /* of users */
	struct source_identity gone[AGENT_REMEMBERED];
	size_t gones;
	uint64_t faults[SOURCE_FAULTS];
	uint64_t files_beyond;	     /* passed over in the last scan, because of the limits */
	uint64_t directories_failed; /* in the last scan */
	struct agent_search search;  /* the scan that is under way */
	uint64_t refreshed_ns;
	double refresh_s;			   /* how long the last one took */
	uint64_t started_real_ns, started_mono_ns; /* as of a process (scp_header) */
};

/* 0, or -1: out of memory. */
int agent_open(struct agent *a, const struct agent_options *o);
void agent_close(struct agent *a);

/* Find new files; read for the last time those that are gone, and those that were late. */
void agent_scan(struct agent *a);

/* Read what may have changed. Where another thread has been reading for AGENT_PATIENCE_NS, what is
 * published may be older. */
void agent_refresh(struct agent *a);

/* How many files are due and were not read, because their users' files take too long. */
size_t agent_late(struct agent *a);

/* From now on no file is read: scans and refreshes end after the file at hand. From any thread. */
void agent_stop(struct agent *a);

/* Wait that long; false: agent_stop was called. */
bool agent_wait(struct agent *a, uint64_t ns);

/* Shared by the agent's files: agent.c calls agent_meet.c, and both call agent_read.c. The caller
 * is the one that reads (`reading`). */

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

/* With the lock: close, free and forget it. */
void agent_meet_drop(struct agent *a, struct source *s);

/* The same for a file that is gone; what it said stays in sums and means, and is not counted
 * again from a copy. */
void agent_meet_retire(struct agent *a, struct source *s);
