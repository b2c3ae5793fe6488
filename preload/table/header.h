// SPDX-License-Identifier: Apache-2.0
/* Filling the header of the profile, and keeping it up to date. Any thread may call. */
#pragma once

#include "include/scprof_format.h"
#include "preload/process/process.h"
#include "preload/system/util.h"

/* Fill the zeroed header of a new file from the settings, the clock and the filters; its magic
 * comes last. */
HIDDEN void header_fill(struct scp_header *h);

/* The calling thread's CPU time in ns, to be given to header_note_own; 0: not to be had. */
HIDDEN uint64_t header_cpu_ns(void);

/* What it has used since is the library's own. */
HIDDEN void header_note_own(uint64_t since_ns);

/* Write the overhead that this program measured at its start, or its end. */
HIDDEN void header_write_overhead(struct scp_header *h, const struct overhead_costs *c, bool last);

/* Refresh the anchor that gives the clock its rate, and the last known instant. True: the account
 * of what recording uses is old. (Nobody else may ask the header, which may go with its session.)
 */
HIDDEN bool header_refresh(void);
/* The same if the last refresh is older than 0.1 s. */
HIDDEN void header_refresh_if_old(void);

/* The same, asked by a thread again and again, now at `now` of the clock of calls: it asks the
 * kernel's clock at most every 5 ms, or every 64th time. Cheap enough for a batch boundary. */
struct header_asked {
	uint64_t at, units; /* at the latest time; 5 ms, or 0: not known */
	uint32_t times;
};
HIDDEN void header_refresh_by(struct header_asked *asked, uint64_t now);

/* Note what the process has used (struct scp_usage). What it used since the latest note counts if
 * it is recorded just now; else, or where this library used it, it is left out. Some system
 * calls. */
HIDDEN void header_note_usage(void);
HIDDEN void header_leave_out_usage(void);

/* Note how the process ends. In a vfork child, where memory and file are the parent's: nothing. */
HIDDEN void header_mark_end(enum scp_end_state state);

/* What the kernel charged to this process, and how often it read and wrote: totals of the whole
 * process, beside which a reader sees how much of it the recorded calls are. A reading takes a few
 * system calls, and a descriptor for a moment: signals are to be held, by the one thread at a time
 * that may change the header. Never in a sandbox, or in a vfork child. */

/* The process begins to record: nothing is used yet. */
HIDDEN void usage_begin(struct scp_header *h);
/* What was used since the latest reading counts. */
HIDDEN void usage_count(struct scp_header *h);
/* It does not: recording was stopped, or it was used by this library. */
HIDDEN void usage_leave_out(struct scp_header *h);

/* Sets stolen_ns and busy_ns from the line "cpu " of /proc/stat; false: there is none. */
HIDDEN bool usage_find_stolen(const char *text, struct scp_steal *s);

/* The number behind `name` ("syscr: ") at the start of a line; false: there is none. */
HIDDEN bool usage_find(const char *text, const char *name, uint64_t *value);
