// SPDX-License-Identifier: GPL-3.0-or-later
/* The files of a target as one model, with two readings of all entries: now, and one interval
 * ago. The model is rebuilt when there are new paths or processes, but takes a hundredth of a CPU
 * at most. Sums and clocks are read at every refresh, so that a report of the same files converts
 * and compensates alike. Files are only read. Single-threaded. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "report/model/sites.h"
#include "profile/live/live.h"
#include "profile/profile.h"

/* A target is what is watched (a process and its descendants, a file, or a directory), and which
 * profiles that is at the moment. A process is never asked: the profile that it has mapped is
 * looked up. */

enum target_kind {
	TARGET_PROCESS,
	TARGET_FILE,
	TARGET_DIRECTORY, /* of profiles: those that live, or all if none does */
	TARGET_RUN	  /* the directory of one `scprof run`: all in it */
};

struct target {
	enum target_kind kind;
	pid_t pid;
	char path[PATH_MAX];
};

struct target_file {
	char *path;
	bool alive; /* its process runs, and records */
};

/* From the word on the command line. 0, or -1 with *err: what it is not, and what to do. */
int target_parse(struct target *t, const char *word, struct profile_error *err);

/* The files now; none is an error only to target_parse. 0, or -1: out of memory, or nothing
 * can be listed any more. */
int target_files(const struct target *t, struct target_file **files, size_t *count);
void target_free(struct target_file *files, size_t count);

struct live_reader_file {
	char *path;
	struct live live;
	uint32_t first; /* of its entries in the model */
	bool alive;
	bool complete; /* at the last refresh, the model had all its entries */
	bool has_header;
	struct scp_header header; /* at the last refresh */
};

struct live_reader {
	struct target target;
	struct profile *profile;
	struct live_reader_file *file;
	size_t files;
	struct prof_reading *now, *before; /* by entry of the model */
	bool *known; /* by entry: `before` was read, or is 0 as there was none; else it was first
			seen late, and its calls are not of this interval alone */
	uint64_t *calls; /* the calls of `now`, contiguous */
	struct groups groups;
	enum report_by by;
	double at, before_at;  /* seconds, CLOCK_MONOTONIC; before_at 0: no interval yet */
	double run_s;	       /* since the first process began, to now or the last end */
	bool held;	       /* set by the caller: more is to come, even if no process lives */
	bool ended;	       /* no process of it lives */
	bool behind;	       /* paths or processes are new and not in the model yet */
	uint64_t generation;   /* of the model: indices into an older one are invalid */
	uint64_t lost_calls;   /* that found no room in files */
	size_t refused;	       /* files that could not be read, or have another clock */
	char why_refused[512]; /* the first */
	double next_find, next_model; /* the earliest times */
};

/* 0, or -1 and *err: nothing can be read. */
int live_reader_open(struct live_reader *f, const struct target *t, enum report_by by,
		     struct profile_error *err);
void live_reader_close(struct live_reader *f);

/* A new reading: what was `now` is `before`. Without processes that live, files stay as they
 * are. -1: out of memory. */
int live_reader_refresh(struct live_reader *f);

/* Other rows from the same readings. -1: out of memory. */
int live_reader_regroup(struct live_reader *f, enum report_by by);

/* The file that an entry is of. */
const struct live_reader_file *live_reader_file_of(const struct live_reader *f, uint32_t entry);

static inline double live_reader_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CLOCK_MONOTONIC, in seconds: that of all times above but run_s. */
static inline double live_reader_clock(void)
{
	return live_reader_seconds(CLOCK_MONOTONIC);
}
