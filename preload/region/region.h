// SPDX-License-Identifier: Apache-2.0
/* Regions and points, as scprof.h names them. They are intervals like wrapped calls, with the same
 * records, but have no frame of ours to live in: what is open is on a stack of the thread's.
 *
 * An interval that began outside of all others is top-level: the gap before it, its time, and the
 * thread's account has moved to its end. All else is nested, and adds to nested_units what it adds
 * to its entry. Either way calls - nested + gaps = time, whatever ends in which order. */
#pragma once

#include "preload/filter/control.h"
#include "preload/call/call.h"
#include "preload/function/region_name.h"
#include "preload/start/lifecycle.h"
#include "include/scprof.h"

enum region_kind {
	REGION_PLAIN, /* begin and end may be in different functions */
	REGION_SCOPE, /* ends in the frame that began it */
	REGION_FUNCTION,
	REGION_BLOCK /* known by a token; its frame is not on the C stack */
};

/* Where a marker was called from: inlined everywhere, so that it stays in registers. */
struct region_caller {
	uint64_t ra, cfa, fp;
};
#define REGION_CALLER()                                                                            \
	((struct region_caller){ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP()})

/* Is the group recorded? */
static inline __attribute__((always_inline)) bool region_is_on(uint32_t group)
{
	if (likely(process_groups & group))
		return true;
	if (process_groups == GROUPS_PAUSED && !control_changed())
		return false;
	lifecycle_wake();
	return control_is_recording() && (process_groups & group);
}

/* NULL: not recorded; else it is open, and its clock runs. function = 0: there was no room for its
 * name; it is counted only. */
HIDDEN struct region_open *region_begin(uint32_t function, enum region_kind kind, uint64_t serial,
					uint64_t ra, uint64_t cfa, uint64_t fp);

/* Was the thread switched inside an interval that began at `since`? */
static inline __attribute__((always_inline)) bool region_was_switched(
	const struct scp_thread *t, bool top, const struct switch_mark *since)
{
	const struct switch_watch *w = &t->switches;
	return top ? switch_watch_is_disturbed(w)
		   : switch_watch_has_changed(w) || w->sums.mark.count != since->count;
}

#define REGION_ANY UINT32_MAX

/* End the innermost of this kind: PLAIN ones by function or REGION_ANY, others by serial. Scopes
 * and functions that lie inside it on the stack were left: they are given up. */
HIDDEN void region_end(enum region_kind kind, uint32_t function, uint64_t serial, uintptr_t sp);

/* The thread's state, with thread.open settled and *open set to it; NULL: nothing can be
 * recorded here, and that is counted. */
static inline __attribute__((always_inline)) struct scp_thread *region_thread(
	uint32_t function, struct region_caller from, uintptr_t *open)
{
	struct scp_thread *t = thread_self;
	uintptr_t settled;
	if (likely(t) && likely(process_epoch.now.generation) &&
	    likely(!((*open = t->open) & ~OPEN_REGION)))
		return t;
	t = call_marker_thread(function, from.ra, from.cfa, from.fp, &settled);
	*open = settled;
	return t;
}

/* With bookkeeping marked. The memo of this path, or NULL; see call_find_memo, whose changes of
 * what is open show in `t`. */
static inline __attribute__((always_inline)) struct scp_memo *region_memo(struct scp_thread *t,
									  uint32_t function,
									  struct region_caller from,
									  uintptr_t outer)
{
	struct scp_memo *m = t->front[memo_slot(from.ra, from.cfa)];
	if (unlikely(!m || t->generation != process_epoch.now.generation ||
		     !memo_matches(m, from.ra, from.cfa, from.fp, function)))
		m = call_find_memo(t, from.ra, from.cfa, from.fp, function, &outer);
	if (likely(m != NULL))
		memo_note_inside(m, outer);
	return m;
}

/* There is no memo: because nothing is recorded here any more, or for want of room? */
HIDDEN bool region_leaves_out(const struct scp_thread *t, uintptr_t open);

/* With a causal page: delays of a region that begins or ends. Meanwhile the marker's frame stands
 * for a call. False: nothing is recorded any more. */
HIDDEN bool region_delay_begin(struct scp_thread *t, uintptr_t open, uint32_t function,
			       struct region_caller from);
/* The innermost region, if it is the one that is to end; and it has ended. */
HIDDEN void region_delay_end(enum region_kind kind, uint32_t function, uint64_t serial,
			     uintptr_t sp);
HIDDEN void region_delay_note_end(const struct scp_thread *t, const struct region_open *r);

static inline bool region_is_meant(const struct region_open *r, enum region_kind kind,
				   uint32_t function, uint64_t serial)
{
	return r->kind == kind &&
	       (kind == REGION_PLAIN ? function == REGION_ANY || r->function == function
				     : r->serial == serial);
}

/* The entry of a site, made if need be; NULL: no room. */
HIDDEN struct scp_rt *region_entry(struct scp_thread *t, struct scp_site *site, uint32_t outcome,
				   uint64_t first_at);

#define REGION_NO_NAME 1ul /* in a place's cache: there was no room for it */

/* The id of a place's name; 0: none. */
static inline uint32_t region_site_name(struct scprof_site *s)
{
	unsigned long id = __atomic_load_n(&s->cache[0], __ATOMIC_RELAXED);
	if (unlikely(!id)) {
		id = region_name(s->name ? s->name : "(null)", REGION_NAMED_LIKE, SCP_GROUP_REGION);
		__atomic_store_n(&s->cache[0], id ? id : REGION_NO_NAME, __ATOMIC_RELAXED);
	}
	return id == REGION_NO_NAME ? 0 : (uint32_t)id;
}

/* What the macros of scprof.h call, and docs/examples/python/scprof.py. */
HIDDEN void region_marker_begin(struct scprof_site *site);
HIDDEN void region_marker_end(void);
HIDDEN void region_marker_end_of(struct scprof_site *site);
HIDDEN unsigned long region_marker_enter(struct scprof_site *site);
HIDDEN void region_marker_leave(unsigned long serial);
HIDDEN void region_marker_open(struct scprof_site *site, unsigned token);
HIDDEN void region_marker_close(unsigned token, int failed);

/* Code was unloaded: addresses of functions mean nothing any more. */
HIDDEN void region_functions_forget_functions(void);
