// SPDX-License-Identifier: Apache-2.0
/* Around a wrapped call: call_begin, the original, call_end.
 *
 * The state of a call in progress lives in the wrapper's frame, not in the thread: a call that is
 * left by longjmp, an exception or cancellation leaves nothing to unwind. thread.open says whether
 * the thread is inside bookkeeping (bit 0: a signal handler's calls pass through, counted as
 * skipped) or inside an original (a handler's calls are recorded, as nested). */
#pragma once

#include "preload/call/path_cache.h"
#include "preload/process/process.h"
#include "preload/system/util.h"
#include "preload/table/thread.h"

struct scp_call {
	struct scp_thread *thread; /* NULL: count in the function's overflow record */
	struct scp_site *site;
	uint64_t began_at, slow_began_at;
	uint64_t fine_ns;	       /* CLOCK_MONOTONIC just before, for the phase; 0: not read */
	uintptr_t cfa;		       /* names this call in thread.open */
	uintptr_t outer;	       /* thread.open of the call around this one; 0: top level */
	uint64_t inner_at;	       /* thread.inner when it began; of nested ones */
	struct scp_recorded recorded;  /* thread.recorded when it began; in its end: inside it */
	struct switch_mark since;      /* of nested ones, too */
	uint32_t function, generation; /* of process_epoch, when it began */
	uint8_t path;		       /* enum call_path: how it began, and may end */
	uint8_t clock;	      /* of the slow path, its main clock; of a fast one CALL_ORDERED */
	uint16_t stack_words; /* as the memo's */
	uint32_t way;	      /* enum selected_way: how it began, of selected functions */
};

/* A nested call on a known path has a fast path, too. */
#define CALL_ORDERED 0x80u /* see function_wants_order */
enum call_path { CALL_SLOW_PATH = 0, CALL_FAST_TSC, CALL_FAST_PAGE };

/* The result of a call. */
struct call_result {
	uint32_t outcome; /* enum scp_outcome */
	uint64_t bytes;
};

/* `cfa`: the caller's stack pointer after return; `fp`: its frame pointer. False:
 * make the call and do not come back. */
HIDDEN bool call_begin(struct scp_call *c, uint32_t function, uint64_t ra, uint64_t cfa,
		       uint64_t fp);

/* Of a call that call_begin began: read the clocks again, just before the original is called. */
HIDDEN void call_read_clocks(struct scp_call *c);

/* Keeps errno. has_bytes: the function moves bytes (0 in a call that moved none). */
HIDDEN void call_end(struct scp_call *c, struct call_result r, bool has_bytes);

/* The same with the clocks already read: the second one, where there is one, at `slow_at`. */
HIDDEN void call_end_at(struct scp_call *c, struct call_result r, bool has_bytes, uint64_t now,
			uint64_t slow_at);

/* What region.c shares with the slow path. The thread's state where there is none yet: NULL where
 * there is no room, or nothing is recorded. */
HIDDEN struct scp_thread *call_first_thread(void);

/* The calling thread's state for a marker, with thread.open settled and *open set to it. NULL:
 * nothing can be recorded here, and that is counted. */
HIDDEN struct scp_thread *call_marker_thread(uint32_t function, uint64_t ra, uint64_t cfa,
					     uint64_t fp, uintptr_t *open);

/* thread.open is not 0: sets c->outer to what is around us. False: inside bookkeeping. */
HIDDEN bool call_is_inside(struct scp_call *c, struct scp_thread *t, uint64_t ra, uint64_t cfa,
			   uint64_t fp);

/* The memo of a path that no memo at hand fits, with bookkeeping marked. `outer`: thread.open of
 * what is around; it changes where what was open belongs to an earlier window. NULL: nothing is to
 * be recorded, and `t` may be another thread's by now (thread_self says). */
HIDDEN struct scp_memo *call_find_memo(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				       uint32_t function, uintptr_t *outer);

/* Add an interval that ends now; thread.open is then c->outer if nested, else 0. Of c only
 * thread, outer, inner_at, recorded (inside it), since, began_at, slow_began_at, fine_ns and
 * function count. */
HIDDEN void call_record(struct scp_call *c, struct scp_rt *rt, bool nested, uint64_t now,
			uint64_t slow_at);

/* The first calls of a forked child. Most children soon execute another program, and a profile
 * would cost them more than all else that they do: until a child proves to live on it has none. It
 * does by its first call that is to be recorded and is none of those by which children prepare for
 * exec (descriptors are closed, opened, led elsewhere; memory; a word to the parent when exec
 * failed), or by 64 of those. They are counted in the parent's profile, as skipped. */

/* In fork, or after an exec that failed: children write then, too. */
extern HIDDEN __thread bool early_writes;

/* A call that is to be recorded, in a process that has not begun: is it passed through, and
 * counted? Keeps errno. */
HIDDEN bool early_pass(uint32_t function);

/* A call that is not to be recorded, likewise. True: it is to begin nothing. */
HIDDEN bool early_try(void);
