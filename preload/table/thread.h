// SPDX-License-Identifier: Apache-2.0
/* What a thread needs to record: its table in the profile file, and private
 * memory (memos, indexes, scratch) that is handed on when the thread ends, so
 * that ten thousand short threads need no more than the few that ran at once. */
#pragma once

#include "include/scprof_format.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/process/arena.h"
#include "preload/process/file.h"
#include "preload/process/process.h"
#include "preload/python/python_stack.h"
#include "preload/switches/switch_watch.h"
#include "preload/system/util.h"
#include "preload/table/header.h"
#include "preload/table/pool.h"
#include "preload/unwind/unwind.h"
#include "preload/unwind/walk_state.h"

#define MEMO_FRONT 1024u /* a power of two */
#define NOTED_MAX  (2 * WALK_FRAMES_MAX + PYTHON_WORDS_MAX + 1 + CONTROL_WORDS)
#define REACH_ALL  UINT64_MAX

/* What an entry needs from its second call on: most paths are taken once. */
struct scp_rt_more {
	struct scp_first_calls *first; /* NULL: no room */
	struct scp_hist *hist[SCP_HIST_BLOCKS];
	struct scp_batch *batch, *slow_batch;
	/* see batch.c: */
	struct scp_line *line;	 /* NULL: not begun */
	struct line_sums *early; /* its first slots, before it is; NULL: sizes are equal so far */
	uint64_t size;		 /* which all batched calls so far moved, until they vary */
	struct scp_tail *tail;	 /* NULL: not begun, see table.h */
	uint32_t batch_count;	 /* as in the entry */
	uint16_t tail_first;	 /* as in the record */
	bool line_lost, tail_lost;
};

/* A successor of a recorded call, and the gap between the two. A longer one than `limit` takes the
 * slow path: it is the longest so far, or needs more than 32 bits. */
struct scp_rt_next {
	struct scp_rt *to;
	struct scp_gap *gap;
	uint64_t limit;
};

/* What is needed to begin and to end the call that came after: see follower.c. */
struct scp_follower {
	struct scp_memo *memo; /* NULL: not noted */
	uint32_t since;	       /* thread.places_since then */
	uint16_t slot, lines;  /* of thread.front; cache lines of the memo */
	struct scp_site *site;
	struct scp_rt *rt;
	struct scp_entry *entry;
	const void *count; /* of a histogram, most likely */
	struct scp_gap *gap;
};

/* A recorded (path, function, outcome) with pointers into the file, from which nothing is read
 * back that decides an address (see file.h). */
struct scp_rt {
	struct scp_entry *entry;
	/* Of calls of the fast path: neither shorter than `least` nor longer than that and `span`,
	 * as some of the entry's calls were, nor longer than thread.fast_limit. */
	uint64_t least, span;
	uintptr_t usual;	   /* block of the histogram that counted last: table_usual */
	uint64_t batch_end;	   /* as in the entry */
	struct scp_rt_next gap[2]; /* the two latest successors; the second in another line */
	struct scp_rt_more *more;  /* NULL: not yet */
	struct scp_slow *slow;
	struct entry_states *states; /* NULL: no switched call yet, see table.h */
	struct scp_sampler *sampler; /* NULL: phases are not sampled, see tick_phase.h */
	uint32_t id, function;
	struct scp_follower follower; /* third line */
};
_Static_assert(offsetof(struct scp_rt, gap[1]) == 64, "what all calls need is in one line");
_Static_assert(offsetof(struct scp_rt, follower) == 128, "a line");

/* Where a memo is looked for. */
struct memo_place {
	struct scp_memo *memo;
	uint32_t missed; /* what was found when it was not here: is_worth_a_memo */
	uint32_t since;	 /* of another number than thread.places_since: it is empty */
};

/* A function called on a path: what its calls need. */
struct scp_site {
	struct scp_rt *rt[SCP_OUTCOMES]; /* &thread.no_entry: none yet */
	uint32_t path;			 /* id of its record; 0: no room in the profile */
	uint32_t function;
	/* see tick_phase.h: entries whose next call is to be sampled */
	uint32_t due;
	uint32_t real_generation; /* of process_epoch, that `real` holds for */
	/* second cache line; of selected functions: the original that this caller's scope has,
	 * where that is not the same for all callers */
	void *real;
	uint32_t pass, passes; /* calls to let pass unread, and how that was drawn */
	uint32_t node;	       /* of its path: see path_tree_out */
	uint32_t causal;       /* see causal/causal.h; 0: not looked at yet */
	uint64_t progress;     /* likewise */
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct scp_site) == 128, "two cache lines");

/* See path_tree.c. */
struct path_slot {
	uint32_t out, number; /* 0: free */
	uint64_t key;
};

struct gap_node {
	struct gap_node *next;
	struct scp_gap *gap;
	uint32_t from, to; /* as there */
};

struct scp_memo;

/* Units of both clocks that the library spent on its slow path: see recording.h. */
struct scp_recorded {
	uint64_t units, slow_units;
};

/* The thread's latest point. */
struct region_point {
	uint64_t at, slow_at;
	uint32_t name, head; /* ids, 0: none; head: the chain's first */
	uint64_t head_at, head_slow_at;
	uint64_t inner_at, cycle_inner; /* see sums.h: at this point, in the cycle's intervals */
	bool top;			/* passed outside of regions and calls */
	struct scp_recorded recorded, head_recorded; /* thread.recorded then */
	struct switch_mark since, head_since;
};

/* A region that has begun, see region.h. */
struct region_open {
	struct scp_site *site; /* NULL: counted only */
	struct scp_rt *rt;     /* NULL: to be found at the end */
	uint64_t began_at, slow_began_at, fine_ns;
	uint64_t inner_at;	      /* thread.inner when it began */
	struct scp_recorded recorded; /* thread.recorded likewise */
	struct switch_mark since;
	uintptr_t sp;	 /* the caller's */
	uint64_t serial; /* of a scope; of a function its address; of a block its token */
	uint32_t function;
	uint8_t kind; /* enum region_kind */
	bool top;
	bool failed; /* an exception ends it */
};

#define REGIONS_OPEN_MAX 8192u
#define REGIONS_BYTES	 (REGIONS_OPEN_MAX * sizeof(struct region_open))

/* A function whose calls pass through, see look.h. */
struct look_function {
	struct scp_look *record; /* NULL: none yet */
	uint32_t skip;		 /* calls to pass before one is timed */
	uint32_t weight;	 /* of that one */
	uint32_t first;		 /* how many of the first calls were timed */
	uint64_t mean;		 /* of the latest timed ones, units */
};

/* The longest calls, see slowest.h. */
struct slowest_calls {
	uint64_t limit;		   /* a longer call may be one of them; UINT64_MAX: none are kept */
	struct scp_slowest **slot; /* settings.slowest.count + 1 of both; NULL: none yet */
	uint64_t *units;	   /* of each slot, apart: they are looked through */
	uint32_t used, victim;	   /* slots in use; the one to be written next */
	struct file_chunk chunk;   /* where the next slot is to lie */
};

/* thread.open outside of all wrapped calls, but inside a region or a chain of points: what is
 * called there is nested. No stack pointer is this. */
#define OPEN_REGION ((uintptr_t)2)

struct scp_thread {
	/* Hot. `open`: stack pointer of the innermost wrapped call, bit 0 set while
	 * its bookkeeping runs; OPEN_REGION; 0 when none. */
	uintptr_t open;
	uint64_t last_at;	 /* exit of the last top-level call, or the start */
	struct scp_rt *previous; /* that call; &start_mark before the first */
	uint64_t inner;		 /* recorded intervals that ended inside what is open: see sums.h */
	struct scp_table *table;
	uint64_t fast_limit; /* longer calls take the slow path: slowest.limit, in 32 bits. It only
				rises. */
	uint64_t inside;     /* recorded in the top-level interval that is open: see recording.h */
	struct scp_recorded recorded; /* all that was; it only grows */
	uint32_t generation;	      /* of process_epoch, that the memos were made in */
	uint32_t clock, slow_clock;
	struct look_function *look; /* by function; NULL: none yet */
	bool histograms, walking;
	bool looking;	 /* look.h writes to the file, with nothing else marked */
	uint32_t window; /* of control.h, that the table's present time began in */
	uint32_t names;	 /* of filter.names, when its own was last looked at */
	uint32_t owned;	 /* atomic: id of the thread that has it; 0: free */
	int32_t tid;

	struct switch_watch switches;

	struct scp_thread *next; /* list of all */
	struct profile_file *file;
	struct file_chunk chunk;
	uint64_t chunk_bytes;  /* of the next chunk */
	uint64_t record_bytes; /* of the record that is not yet published */
	uint32_t table_id;     /* as in the table */
	uint32_t paths, entries, gaps;
	struct scp_rt start_mark, no_entry;

	struct arena index; /* path nodes, entries, gap nodes: lives as long as the table */
	struct arena memos; /* flushed when full */
	struct path_slot *path_slot;
	struct gap_node **gap_bucket;
	uint32_t path_slots, path_slots_used, gap_buckets;
	struct pool path_nodes, sites; /* see path_tree.h */

	/* Scratch of one slow path at a time. */
	struct unwind_work work;
	struct unwind_cursor cursor;
	uint64_t pages_ok[4];
	/* The result of a walk: the path, innermost frame first, and what was read to find it. */
	struct walk_result {
		uint32_t frame_count, flags; /* SCP_PATH_* */
		struct path_place path;	     /* node 0: no room */
		uint32_t noted_count;
		uint32_t python_words; /* the first of them: python_read's */
		uint32_t wide;	       /* those, and the words of control after them */
		bool used_fp;	       /* it depends on the frame pointer at the call */
		uint64_t reach;	       /* see struct scp_memo */
		enum walk_outer outer;
		uint64_t frame[SCP_MAX_FRAMES];
		struct noted_word noted[NOTED_MAX];
	} found;
	struct walk walk;
	struct python_stack python; /* of the latest walk */
	struct python_rows python_rows;
	struct { /* as the latest merge met them, innermost first: only for second.h */
		uint32_t count;
		uint64_t frame[SCP_MAX_FRAMES];
	} c_frames;
	/* Scratch for looking whether a call in progress is still on the stack. */
	struct unwind_work walk_work;
	struct unwind_cursor walk_cursor;

	/* Regions, see region.h. */
	struct region_open *regions; /* REGIONS_OPEN_MAX of them; NULL: none yet */
	uint32_t region_depth, region_beyond;
	uint64_t region_serial; /* of the latest scope */
	struct region_point point;

	struct header_asked asked; /* by batches that closed */
	struct slowest_calls slowest;
	struct file_chunk states_chunk, look_chunk;
	struct scp_table_states *table_states; /* NULL: states are not recorded */

	struct scp_memo *front[MEMO_FRONT];	 /* by slot: the one that was used last */
	struct memo_place *place, *place_missed; /* see path_cache.c; a search ended there */
	uint32_t places, places_used, places_since, place_tag; /* the tag: of place_missed */
	bool places_lost;				       /* there is no room for more */
	bool place_is_python;	 /* place_missed is that of all of Python's words */
	uint64_t spare[16];	 /* a memo without words, for paths that are not remembered */
	struct scp_site no_site; /* of paths that found no room */
	uint32_t session;	 /* of process.h, that all of this belongs to; 0: of none */
	uint32_t passed;	 /* calls inside of one of an earlier session: see call_begin.c */
	uint64_t random;	 /* state of tick_phase.c's generator; 0: not seeded */
};

/* What thread.open is outside of all wrapped calls. */
static inline uintptr_t thread_outside(const struct scp_thread *t)
{
	return t->region_depth || t->point.name ? OPEN_REGION : 0;
}

/* Bookkeeping begins in the frame of this stack pointer: a handler's calls pass through until it is
 * unmarked. Whoever writes to the profile marks that first, and looks at the session then: see
 * thread_state_writes_to. */
static inline __attribute__((always_inline)) void thread_mark(struct scp_thread *t, uintptr_t sp)
{
	t->open = sp | 1;
	compiler_barrier();
}

/* It is over, and this is open. */
static inline __attribute__((always_inline)) void thread_unmark(struct scp_thread *t,
								uintptr_t open)
{
	compiler_barrier();
	t->open = open;
}

/* What is open after a marker that was called inside of `open`: the call, if that is one. */
static inline __attribute__((always_inline)) uintptr_t thread_after(const struct scp_thread *t,
								    uintptr_t open)
{
	return open & ~OPEN_REGION ? open : thread_outside(t);
}

extern HIDDEN __thread struct scp_thread *thread_self;
/* The same where the clock is the TSC alone, and where it is the page clock alone:
 * they have the fast path of call_fast.h. Else NULL. */
extern HIDDEN __thread struct scp_thread *thread_fast, *thread_page;
/* Threads that begin have none of the two: every call goes the general way (causal/causal.h). */
extern HIDDEN bool thread_all_general;
/* NULL, or to be called first when a thread ends. */
extern HIDDEN void (*thread_ends)(void);

/* The calling thread's state, made or taken over; NULL when there is no room. */
HIDDEN struct scp_thread *thread_acquire(void);

/* Is the state not of the session that is recorded now: of an earlier one, or of a parent? */
static inline bool thread_is_stale(const struct scp_thread *t)
{
	return unlikely(t->session != process_epoch.now.session);
}

/* The calling thread's state is stale, with bookkeeping marked: it becomes one of this session, at
 * the same address, since what was interrupted may hold that. False: the thread has none. */
HIDDEN bool thread_renew(struct scp_thread *t);

/* What was marked is over, inside of `outer`: the thread may have no state meanwhile. */
static inline void thread_close(struct scp_thread *t, uintptr_t outer)
{
	if (thread_self == t)
		t->open = outer;
}

/* Once a process: be told when threads end. */
HIDDEN void thread_register(void);

/* A thread has a new name: the calling one, or another. */
HIDDEN void thread_renamed(bool self);

/* Of the calling thread: filter.names, when its name was found to be none of those that are
 * recorded; 0: it is recorded, or has not been asked about. */
extern HIDDEN __thread uint32_t thread_unwanted;

static inline bool thread_is_unwanted(void)
{
	return unlikely(thread_unwanted) && thread_unwanted == filter.names;
}

/* Outside of all calls, with bookkeeping marked, after recording was stopped or a thread renamed:
 * is this thread (still) to be recorded? If so its time begins anew where a window did; if not, it
 * has no state any more. Either way nothing is open. */
HIDDEN bool thread_check_again(struct scp_thread *t);

/* Record the gap from the calling thread's last call to now. */
HIDDEN void thread_end_gap(void);

/* In a forked child: no thread has state any more. False: what it wrote to may still be written to,
 * by what a handler that forked had interrupted. */
HIDDEN bool thread_forget_all(void);

/* In a forked child, by the thread that forked. */
HIDDEN void thread_note_fork(void);

/* Its memory, and who owns it. Any thread may call these at any time, also in a handler, but
 * thread_state_forget_all(). */

/* A state that the calling thread owns from now on: one that nobody does, or a new one; before them
 * one that is its own, outside of all calls, where there may be one. It may be of an earlier
 * session. NULL: no memory. */
HIDDEN struct scp_thread *thread_state_take(bool own_first);

/* All of an earlier session is forgotten; the state begins in that which is recorded, with
 * bookkeeping marked. False: there is none any more, or no room in the file. */
HIDDEN bool thread_state_renew(struct scp_thread *t);

/* May a thread be about to write to this file? Those that begin to do so now look first, and do
 * not. */
HIDDEN bool thread_state_writes_to(const struct profile_file *f);

/* The bookkeeping of each thread but `own` was seen unmarked since, or is left for good: what is
 * gone for those that begin now is in no hands any more. Sleeps, 50 ms or so at most. */
HIDDEN void thread_state_await_others(const struct scp_thread *own);

/* In a forked child: nobody owns a state. Memory is given back unless it is to be kept; that of
 * `own`, which may be NULL, is emptied and used again. */
HIDDEN void thread_state_forget_all(const struct scp_thread *own, bool keep);
