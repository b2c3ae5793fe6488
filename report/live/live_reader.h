// SPDX-License-Identifier: GPL-3.0-or-later
/* The files of a target as one model, with two readings of all entries: now, and an interval
 * before. The model is made again when paths or processes are new, no more often than takes
 * a hundredth of a CPU; the sums are read at every refresh, and so is what the headers say of
 * the clock, so that a report of the same files would convert and compensate alike.
 *
 * Reads only. Single-threaded. */
#ifndef SCPROF_REPORT_LIVE_LIVE_READER_H
#define SCPROF_REPORT_LIVE_LIVE_READER_H

#include <time.h>

#include "report/model/groups.h"
#include "profile/live/live.h"
#include "report/live/target.h"

struct live_reader_file {
	char *path;
	struct live live;
	uint32_t first; /* of its entries in the model */
	bool alive;
	bool complete; /* at the last refresh, the model had all its entries */
	bool has_header;
	struct scp_header header; /* at the last refresh */
};

/* Baselines of an entry's window. */
enum live_reader_before {
	LIVE_READER_UNKNOWN, /* first seen late: its calls before are not of this interval alone */
	LIVE_READER_KNOWN    /* read, or 0 as it did not exist */
};

struct live_reader {
	struct target target;
	struct profile *profile;
	struct live_reader_file *file;
	size_t files;
	struct prof_reading *now, *before; /* by entry of the model */
	uint8_t *before_state;		   /* enum live_reader_before */
	uint64_t *calls;		   /* room for those of `now`, one behind the other */
	struct groups groups;
	enum report_by by;
	double at, before_at;  /* seconds, CLOCK_MONOTONIC; before_at 0: no interval yet */
	double run_s;	       /* since the first process began, to now or the last end */
	bool held;	       /* set by the caller: more is to come, even if no process lives */
	bool ended;	       /* no process of it lives */
	bool behind;	       /* paths or processes are new and not in the model yet */
	uint64_t generation;   /* of the model: whoever kept indices starts afresh */
	uint64_t lost_calls;   /* that found no room in files */
	size_t refused;	       /* files that could not be read, or have another clock */
	char why_refused[512]; /* the first */
	double next_find, next_model; /* not before: see SHARE */
	/* Called before the model goes that pointers may lead into; NULL: nobody minds. */
	void (*forget)(void *context);
	void *context;
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

#endif
