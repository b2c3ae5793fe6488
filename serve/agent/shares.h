// SPDX-License-Identifier: GPL-3.0-or-later
/* What each user takes of the agent: open files, and time to read them. Whoever has most files
 * gives way to one with fewer, and nobody's files hold up those of others for long.
 *
 * Time is a token bucket (the virtual scheduling of ITU-T I.371): up to SHARES_BURST_NS at once,
 * and one part in SHARES_PART of all time in the long run. What was begun is finished, so one long
 * reading is paid for by a longer pause after it. Single-threaded; times are of any one clock. */
#ifndef SCPROF_SERVE_AGENT_SHARES_H
#define SCPROF_SERVE_AGENT_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uthash.h>

#define SHARES_BURST_NS UINT64_C(1000000000)
#define SHARES_PART	4

struct share {
	unsigned uid;
	size_t files;
	uint64_t paid_ns; /* when all time spent will be paid for */
	UT_hash_handle hh;
};

/* One more open file of the user, and one less. Out of memory, the user is not counted: has
 * no files to give up, and no limit of time. */
void shares_add(struct share **shares, unsigned uid);
void shares_remove(struct share **shares, unsigned uid);

/* The number of open files. */
size_t shares_of(struct share *shares, unsigned uid);

/* Who has most files; NULL: nobody has any. */
const struct share *shares_most(const struct share *shares);

/* May work for this user begin now? */
bool shares_has_time(struct share *shares, unsigned uid, uint64_t now_ns);

/* It ended now, and took so long. */
void shares_spend(struct share **shares, unsigned uid, uint64_t now_ns, uint64_t took_ns);

/* Forget users without files who have paid. */
void shares_tend(struct share **shares, uint64_t now_ns);
void shares_free(struct share **shares);

#endif
