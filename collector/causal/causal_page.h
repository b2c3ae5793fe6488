// SPDX-License-Identifier: GPL-3.0-or-later
/* The tool's side of include/scprof_causal.h: a page by which the calls of sites are delayed, and
 * what the targets counted. Nothing in the page is trusted. One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/scprof_causal.h"
#include "profile/base/error.h"

struct causal_page;

struct causal_page_wishes {
	enum scp_causal_by by;
	enum scp_causal_place place;
	const char *progress; /* NAME[@OUTCOME]; NULL: nothing, for dither */
	double longest_s;     /* no delay is longer */
};

/* Create the file at `path`, which must not exist. NULL and *err on failure. */
struct causal_page *causal_page_create(const char *path, const struct causal_page_wishes *w,
				       struct profile_error *err);
void causal_page_close(struct causal_page *p); /* removes the file, too; no delay after it */

/* No more delays, for good. From any thread. */
void causal_page_stop(struct causal_page *p);

/* Seconds to units of the counter, and back. */
double causal_page_units(const struct causal_page *p, double seconds);
double causal_page_seconds(const struct causal_page *p, double units);

/* Sites entered so far: 0 .. count, in the order of the hash table, those that are complete. */
struct causal_page_site {
	size_t index; /* in the page */
	uint32_t pid, path, function, table;
	bool in_handler;
};
size_t causal_page_sites(const struct causal_page *p, struct causal_page_site *out, size_t room);

/* Count the site's calls in `slot` (1 .. SCP_CAUSAL_SLOTS - 1; 0: no longer). */
void causal_page_choose(struct causal_page *p, size_t index, unsigned slot);

/* A new window: the delay of each slot's site in seconds (0: none), delays[SCP_CAUSAL_SLOTS], how
 * long a thread may be delayed in it, and for how long it may go on without the next one. */
void causal_page_window(struct causal_page *p, const double *delays, double limit_s,
			double expires_s);

/* The present window may go on for so long from now. */
void causal_page_renew(struct causal_page *p, double expires_s);

/* Sums over all threads' blocks, which never go back. */
void causal_page_read(struct causal_page *p, struct scp_causal_thread *out);

/* NULL, or what is wrong with it: "holds 2e+18 calls after 3 s". Nothing more is delayed then, and
 * causal_page_read gives the sums as they were before. */
const char *causal_page_refused(const struct causal_page *p);

/* What the thread counted that has block i < SCP_CAUSAL_THREADS - 1 now, by slot, as of the last
 * causal_page_read; and the thread, as the target knows it. NULL: nobody has it. */
const struct scp_causal_count *causal_page_thread(const struct causal_page *p, size_t i,
						  uint32_t *pid, uint32_t *tid);
/* Whether that process maps the page: one of another container has other numbers. */
bool causal_page_is_mapped(const struct causal_page *p, uint32_t pid);
