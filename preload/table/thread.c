// SPDX-License-Identifier: Apache-2.0
/* Threads come and go; their tables stay: a thread takes a state (thread_state.c) with its first
 * call, and gives it back when it ends. */

#include <pthread.h>

#include "preload/clock/clock.h"
#include "preload/table/header.h"
#include "preload/switches/switch_track.h"
#include "preload/table/recording.h"
#include "preload/system/sys.h"
#include "preload/table/table.h"
#include "preload/table/thread.h"
#include "preload/process/libc.h"

__thread struct scp_thread *thread_self;
__thread struct scp_thread *thread_fast, *thread_page;
bool thread_all_general;
void (*thread_ends)(void);
__thread uint32_t thread_unwanted;

static __thread bool has_aside; /* a state was put aside */
static pthread_key_t end_key;
static bool end_key_made;

static void read_name(char name[16])
{
	if (!sys_sandboxed)
		sys2(SYS_prctl, 16 /* PR_GET_NAME */, name);
}

/* Where names decide, each thread looks at its own again at its next call: no memo holds now. */
void thread_renamed(bool self)
{
	struct scp_thread *t = thread_self;
	if (!process_epoch.now.generation)
		return;
	if (filter.threads) {
		__atomic_add_fetch(&filter.names, 1, __ATOMIC_RELAXED);
		process_next_generation();
	} else if (self && t && !thread_is_stale(t)) {
		read_name(t->table->name);
	}
}

/* As `to` has it from now on; false: threads of this name are not recorded, `to` is as it was. */
static bool take_name(char to[16])
{
	char name[16] = "";
	read_name(name);
	if (!filter_wants_thread(name))
		return false;
	if (*name)
		bytes_copy(to, name, sizeof name);
	return true;
}

static void close_lifetime(struct scp_thread *t, uint64_t now)
{
	if (t->table->live) {
		t->table->closed_units += now - t->table->first_at;
		t->table->first_at = t->table->last_at = now;
		t->table->live = 0;
	}
}

/* The gap from the last call to now, with bookkeeping marked by the caller. */
static void add_end_gap(struct scp_thread *t)
{
	recording_settle(t);
	uint64_t now = clock_read(t->clock);
	now = now < t->last_at ? t->last_at : now;
	const struct switch_sums *off = switch_track_pause(&t->switches);
	states_refresh_table(t);
	if (off)
		states_add_gap(t, now - t->last_at, off);
	table_add_gap(t, NULL, now - t->last_at);
	t->last_at = now;
	recording_settle(t);
	recording_publish(t);
	t->previous = &t->start_mark;
}

/* Is its time still being recorded? */
static bool is_in_window(const struct scp_thread *t)
{
	return control_is_recording() && !control_changed() && t->window == control.window &&
	       t->names == filter.names;
}

/* Nothing is open any more; what was counts as abandoned. Bookkeeping is the caller's to mark. */
static void forget_regions(struct scp_thread *t)
{
	if (t->region_depth)
		process_loss(abandoned_calls, t->region_depth);
	t->region_depth = t->region_beyond = 0;
	t->point = (struct region_point){0};
	if (t->open == OPEN_REGION)
		t->open = t->inner = 0;
	recording_settle(t);
}

/* The calling thread has no state any more, and another may have this one, which no function of it
 * that a handler has interrupted knows. Bookkeeping stays marked: a handler's call takes another.
 */
static void give_back(struct scp_thread *t)
{
	thread_self = thread_fast = thread_page = NULL;
	__atomic_store_n(&t->owned, 0, __ATOMIC_RELEASE);
}

/* The same, but it stays the thread's, which takes it again: what a handler has interrupted, a call
 * in progress or one that is about to mark its bookkeeping, goes on with it. */
static void put_aside(struct scp_thread *t)
{
	if (sys_sandboxed) { /* owners have no ids */
		give_back(t);
		return;
	}
	thread_self = thread_fast = thread_page = NULL;
	has_aside = true;
	thread_unmark(t, 0);
}

static void end(struct scp_thread *t)
{
	if (thread_ends)
		thread_ends();
	/* No groups: stopped, and the clock may be forbidden. */
	if (thread_self != t ||
	    (!thread_is_stale(t) && (!process_groups || !process_epoch.now.generation)))
		return;
	bool inside = t->open && t->open != OPEN_REGION;
	thread_mark(t, ARCH_CALLER_SP());
	if (thread_is_stale(t)) {
		give_back(t);
		return;
	}
	if (inside) /* cancelled, or pthread_exit, inside a call */
		process_loss(abandoned_calls, 1);
	forget_regions(t);
	take_name(t->table->name);
	if (is_in_window(t))
		add_end_gap(t);
	close_lifetime(t, t->last_at);
	header_refresh_if_old();
	switch_detector_release(&t->switches);
	compiler_barrier();
	give_back(t);
}

/* The key's destructor. Other destructors may still make wrapped calls after
 * it: they take a table again, and we are called again. */
static void on_thread_end(void *state)
{
	end(state);
	switch_area_leave();
}

void thread_register(void)
{
	/* Made this early the key is one of the first, for which
	 * pthread_setspecific needs no memory. */
	end_key_made = libc_key_create(&end_key, on_thread_end) == 0;
}

/* Its time begins here: there is no gap to what was before. */
static void begin_window(struct scp_thread *t)
{
	t->window = control.window;
	t->previous = &t->start_mark;
	t->last_at = clock_read(t->clock);
}

/* What is open is left out, not abandoned. */
static void forget_open(struct scp_thread *t)
{
	t->region_depth = 0;
	t->inner = 0;
	forget_regions(t);
}

COLD bool thread_check_again(struct scp_thread *t)
{
	uint32_t names = filter.names;
	/* In a sandbox names cannot be read: the earlier decision stays. */
	if (t->names != names && !sys_sandboxed && !take_name(t->table->name)) {
		forget_open(t);
		close_lifetime(t, t->last_at);
		switch_detector_release(&t->switches);
		thread_unwanted = names;
		put_aside(t);
		return false;
	}
	t->names = names;
	if (t->window == control.window)
		return true;
	forget_open(t);
	close_lifetime(t, t->last_at);
	switch_track_start(&t->switches, t->tid);
	begin_window(t);
	t->table->first_at = t->table->last_at = t->last_at;
	t->table->live = 1;
	return true;
}

static bool is_wanted(uint32_t names)
{
	char name[16] = "";
	if (!filter.threads || take_name(name))
		return true;
	thread_unwanted = names;
	return false;
}

/* A handler's call came while the thread had no state, and took this one. */
static void give_up(struct scp_thread *t)
{
	thread_mark(t, ARCH_CALLER_SP());
	if (!thread_is_stale(t))
		close_lifetime(t, t->table->last_at);
	switch_detector_release(&t->switches);
	give_back(t);
}

/* `open`: as thread.open is to be. */
static struct scp_thread *begin_owner(struct scp_thread *t, uint32_t names, uintptr_t open)
{
	t->inner = 0;
	forget_regions(t);
	t->walking = false;
	t->names = names;
	switch_track_start(&t->switches,
			   t->tid); /* first: its time is looked at from its beginning on */
	begin_window(t);
	table_begin_owner(t);
	read_name(t->table->name);
	states_refresh_table(t);
	if (thread_self && thread_self != t)
		give_up(thread_self);
	thread_self = t;
	bool fast = !thread_all_general;
	thread_fast = fast && t->clock == SCP_CLOCK_TSC && !t->slow_clock ? t : NULL;
	thread_page = fast && t->clock == SCP_CLOCK_PAGE ? t : NULL;
	if (end_key_made)
		libc_key_set(end_key, t);
	thread_unmark(t, open);
	return t;
}

COLD struct scp_thread *thread_acquire(void)
{
	if (!process.file->header || !process_epoch.now.generation)
		return NULL;
	thread_unwanted = 0;
	if (!control_is_recording())
		return NULL;
	uint32_t names = filter.names;
	if (!is_wanted(names))
		return NULL;
	struct scp_thread *t = thread_self ? thread_self : thread_state_take(has_aside);
	/* One's own was looked at just when no session was: see enter_first. */
	if (!t || (thread_self && (t->open || !thread_is_stale(t))))
		return NULL;
	thread_mark(t, ARCH_CALLER_SP());
	thread_self = thread_fast = thread_page = NULL; /* a handler may leave this for good */
	compiler_barrier();
	if (t->session && !thread_is_stale(t)) { /* nobody told us of the end of its thread */
		close_lifetime(t, t->table->last_at);
	} else if (!thread_state_renew(t)) {
		put_aside(t);
		return NULL;
	}
	t->tid = sys_sandboxed ? 0 : (int32_t)t->owned;
	return begin_owner(t, names, 0);
}

COLD bool thread_renew(struct scp_thread *t)
{
	uint32_t names = filter.names;
	uintptr_t open = t->open;
	thread_self = thread_fast = thread_page = NULL;
	compiler_barrier();
	if (is_wanted(names) && thread_state_renew(t)) {
		t->tid = sys_sandboxed ? 0 : sys_gettid(); /* a forked child has its parent's */
		begin_owner(t, names, open);
		return true;
	}
	put_aside(t);
	return false;
}

void thread_end_gap(void)
{
	struct scp_thread *t = thread_self;
	if (!t || (t->open && t->open != OPEN_REGION) || !process_groups ||
	    !process_epoch.now.generation || !is_in_window(t))
		return;
	forget_regions(t);
	/* Our own frame: a handler that comes now finds it in progress. */
	thread_mark(t, ARCH_CALLER_SP());
	if (!thread_is_stale(t)) /* only now: see thread_state_writes_to */
		add_end_gap(t);
	thread_unmark(t, 0);
}

/* The state of the thread that forked this child; NULL: it had none, or all are forgotten. */
static const struct scp_thread *forker;

void thread_note_fork(void)
{
	forker = thread_self;
}

/* Was this child forked by a handler that had interrupted our bookkeeping? Then
 * that bookkeeping will still run to its end, on the parent's memory: keep it. So it is where
 * another thread begins: the one that forked finds by its own state that it is stale. In
 * a sandbox no system call may be made to give it back. */
bool thread_forget_all(void)
{
	bool keep = sys_sandboxed || (thread_self && thread_self->open) ||
		    (forker && forker != thread_self);
	forker = NULL;
	switch_budget_begin_process();
	if (thread_self)
		switch_detector_forget(&thread_self->switches);
	thread_state_forget_all(thread_self, keep);
	thread_self = thread_fast = thread_page = NULL;
	return !keep;
}
