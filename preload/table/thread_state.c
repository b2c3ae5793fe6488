// SPDX-License-Identifier: Apache-2.0
/* The list of states only grows (in a process), each state is owned by at most one thread, and is
 * taken by an atomic exchange: no lock, so a thread may be cancelled, killed or forked at any time.
 */

#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/switches/switch_track.h"
#include "preload/system/sys.h"
#include "preload/table/path_tree.h"
#include "preload/table/slowest.h"
#include "preload/table/table.h"
#include "preload/table/thread.h"

#define INDEX_FIRST   (32u << 10)
#define INDEX_LIMIT   (1u << 30)
#define MEMO_FIRST    (32u << 10)
#define MEMO_LIMIT    (16u << 20)
#define RECLAIM_TRIES 8u
#define AWAIT_MOST    500u
#define AWAIT_NS      100000l
#define STATE_BYTES   ((sizeof(struct scp_thread) + 4095) & ~(size_t)4095)

static struct scp_thread *all;
static struct scp_thread *reclaim_cursor;

static bool own(struct scp_thread *t, uint32_t from, uint32_t me)
{
	return __atomic_compare_exchange_n(&t->owned, &from, me, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static struct scp_thread *take_over(uint32_t me)
{
	for (struct scp_thread *t = __atomic_load_n(&all, __ATOMIC_ACQUIRE); t; t = t->next)
		if (!__atomic_load_n(&t->owned, __ATOMIC_RELAXED) && own(t, 0, me))
			return t;
	return NULL;
}

/* What is begun at this moment, or was left while it was, is marked. */
static struct scp_thread *find_aside(uint32_t me)
{
	struct scp_thread *t = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
	while (t && (__atomic_load_n(&t->owned, __ATOMIC_RELAXED) != me || t->open))
		t = t->next;
	return t;
}

/* Look at a few owners in turn: those that are gone left no word (a thread that
 * ended by a raw exit, or after the last round of destructors). */
static struct scp_thread *reclaim(uint32_t me)
{
	int pid = sys_sandboxed ? 0 : sys_getpid();
	struct scp_thread *t = __atomic_load_n(&reclaim_cursor, __ATOMIC_RELAXED);
	for (unsigned i = 0; pid && i < RECLAIM_TRIES; i++) {
		if (!t)
			t = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
		if (!t)
			break;
		uint32_t owner = __atomic_load_n(&t->owned, __ATOMIC_RELAXED);
		if (owner && sys3(SYS_tgkill, pid, owner, 0) == -3 /* ESRCH */ &&
		    own(t, owner, me)) {
			__atomic_store_n(&reclaim_cursor, t->next, __ATOMIC_RELAXED);
			return t;
		}
		t = t->next;
	}
	__atomic_store_n(&reclaim_cursor, t, __ATOMIC_RELAXED);
	return NULL;
}

static void release_rows(struct scp_thread *t)
{
	if (t->walk.rows)
		arena_unmap(t->walk.rows, t->walk.sets * sizeof *t->walk.rows);
	if (t->place)
		arena_unmap(t->place, t->places * sizeof *t->place);
}

/* With bookkeeping marked: the session that is recorded, whose file stays mapped from then on; 0:
 * none. One may begin or end at any time. */
static uint32_t find_session(struct scp_thread *t)
{
	struct profile_file *f = __atomic_load_n(&process.file, __ATOMIC_SEQ_CST);
	__atomic_store_n(&t->file, f, __ATOMIC_SEQ_CST);
	uint32_t session = __atomic_load_n(&process_epoch.now.session, __ATOMIC_SEQ_CST);
	return f == __atomic_load_n(&process.file, __ATOMIC_SEQ_CST) ? session : 0;
}

/* In a new session, which it is of when all is there, wherever a handler leaves us. False: there is
 * none any more, or no room in the file. */
static bool begin_state(struct scp_thread *t)
{
	uint32_t session = find_session(t);
	if (!session)
		return false;
	t->clock = clock_chosen.kind;
	t->slow_clock = clock_chosen.slow_kind;
	t->histograms = clock_chosen.histograms;
	t->index.first = INDEX_FIRST;
	t->index.limit = INDEX_LIMIT;
	t->memos.first = MEMO_FIRST;
	t->memos.limit = MEMO_LIMIT;
	for (unsigned i = 0; i < SCP_OUTCOMES; i++)
		t->no_site.rt[i] = &t->no_entry;
	slowest_begin(t);
	switch_detector_release(&t->switches);
	if (!table_create(t))
		return false;
	path_tree_begin(t);
	if (switch_chosen.kind)
		states_begin_table(t);
	compiler_barrier();
	t->session = session;
	return true;
}

/* All but what other threads look at: whose it is, whether it is busy, and which comes next. */
static void clear(struct scp_thread *t)
{
	_Static_assert(offsetof(struct scp_thread, open) == 0, "the first word");
	const size_t owned = offsetof(struct scp_thread, owned) / 8,
		     next = offsetof(struct scp_thread, next) / 8;
	uint64_t *word = (uint64_t *)t;
	for (size_t i = 1; i < sizeof *t / sizeof *word; i++)
		if (word[i] && i != owned && i != next)
			word[i] = 0;
}

/* All of an earlier session is forgotten, and its memory used again. Signals are held: a handler
 * that left would lose that memory. */
static void forget_session(struct scp_thread *t)
{
	const struct arena index = t->index, memos = t->memos;
	struct region_open *regions = t->regions;
	uint64_t signals;
	sys_hold_signals(&signals);
	switch_detector_release(&t->switches);
	release_rows(t);
	clear(t);
	t->regions = regions;
	t->index = index;
	t->memos = memos;
	arena_reset(&t->index);
	arena_reset(&t->memos);
	sys_release_signals(&signals);
}

bool thread_state_renew(struct scp_thread *t)
{
	if (t->file) /* what was just mapped is empty, and to look takes time */
		forget_session(t);
	return begin_state(t);
}

static struct scp_thread *create(uint32_t me)
{
	struct scp_thread *t = arena_map(STATE_BYTES);
	if (!t)
		return NULL;
	t->owned = me;
	struct scp_thread *head = __atomic_load_n(&all, __ATOMIC_RELAXED);
	do
		t->next = head;
	while (!__atomic_compare_exchange_n(&all, &head, t, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	return t;
}

struct scp_thread *thread_state_take(bool own_first)
{
	/* The id of its thread, so that a state and the thread that must be alive for it to be
	 * taken change hands in one step. */
	uint32_t me = sys_sandboxed ? ~0u : (uint32_t)sys_gettid();
	struct scp_thread *t = own_first && !sys_sandboxed ? find_aside(me) : NULL;
	return t ?: take_over(me) ?: reclaim(me) ?: create(me);
}

/* Is its bookkeeping marked, by a thread that lives? */
static bool is_busy(const struct scp_thread *t)
{
	uint32_t owner = __atomic_load_n(&t->owned, __ATOMIC_RELAXED);
	uintptr_t open = __atomic_load_n(&t->open, __ATOMIC_RELAXED);
	return owner && ((open & 1) || t->looking) && sys3(SYS_tgkill, sys_getpid(), owner, 0) == 0;
}

bool thread_state_writes_to(const struct profile_file *f)
{
	for (struct scp_thread *t = __atomic_load_n(&all, __ATOMIC_ACQUIRE); t; t = t->next)
		if (t->file == f && is_busy(t))
			return true;
	return false;
}

void thread_state_await_others(const struct scp_thread *own)
{
	uint32_t never = 0;
	unsigned waits = 0;
	for (struct scp_thread *t = __atomic_load_n(&all, __ATOMIC_ACQUIRE); t; t = t->next)
		while (t != own && !sys_sandboxed && waits < AWAIT_MOST && is_busy(t)) {
			sys_futex_wait(&never, 0, AWAIT_NS);
			waits++;
		}
}

/* As if it had just been mapped: what is interrupted may still mark it. */
static struct scp_thread *emptied(struct scp_thread *t)
{
	if (sys_madvise(t, STATE_BYTES, MADV_DONTNEED) != 0)
		clear(t);
	t->open = 0;
	t->owned = 0;
	t->next = NULL;
	return t;
}

void thread_state_forget_all(const struct scp_thread *own, bool keep)
{
	struct scp_thread *t = all, *next;
	reclaim_cursor = NULL;
	for (all = NULL; t; t = next) {
		next = t->next;
		if (keep)
			continue;
		arena_release(&t->index);
		arena_release(&t->memos);
		release_rows(t);
		if (t->regions)
			arena_unmap(t->regions, REGIONS_BYTES);
		if (t == own)
			all = emptied(t);
		else
			arena_unmap(t, STATE_BYTES);
	}
}
