// SPDX-License-Identifier: GPL-3.0-or-later
/* Which thread is asked, in which state, and for how long. Threads are stopped in turn until one is
 * where it can be borrowed. One that waits with a time limit that the kernel would begin anew after
 * a stop is taken when it has just begun to wait, so that little is begun anew; or where since when
 * it waits is known, so that it gets the rest of the limit; or once an hour, at any time; and never
 * while another one can be had. */
#include <stddef.h>
#include <sys/syscall.h>

#include "collector/attach/attach_work.h"
#include "collector/attach/safe_point/threads.h"
#include "profile/base/error.h"

#define CANDIDATES 64
#define PAUSE_MS   10  /* between rounds */
#define WATCH_MS   1   /* the same, where only threads with time limits are left */
#define FRESH_MS   100 /* between looks at a wait that began may be so much: it is late by that */
#define SLEEPS_MS  500 /* in which a thread that was let go waits again, even on a busy machine */
#define LEAST_MS   100 /* that a thread gets to stop */

/* How long threads are asked. At the end of a recording nothing waits for an answer. */
#define BEGIN_MS 3000
#define END_MS	 5000
/* For which no thread is taken that would not get home alone quite as it was; and no time limit
 * begins anew that did not just begin. */
#define PATIENT_MS 500
#define STRICT_MS  1500

#define HOUR_NS 3600000000000ull

#define STACK_SLACK 512u /* that stays free below a frame */

/* A thread with a time limit, as it was at the last look. */
struct watched {
	pid_t tid;
	unsigned long sleeps;	  /* that it has begun */
	uint64_t at_ns, began_ns; /* of the last of these: not earlier; 0: not known */
};

struct borrowing {
	struct attach_working *w;
	uint64_t since_ns;
	const char *why; /* the last one was not taken */
	struct watched watched[CANDIDATES];
	size_t watches;
	bool others;	    /* than threads with time limits were there */
	bool known;	    /* since when the thread that is asked waits */
	uint64_t looked_ns; /* at the thread that is asked, before it is stopped */
};

/* Where a frame can be written: below the stack pointer, in a stack that belongs to the thread. 0:
 * nowhere. A stack that a coroutine has in the heap may be too small even for a signal: such a
 * program gives its handlers another. The stack of a thread has the thread's own block above it. */
static uint64_t find_room(const struct attach_working *w)
{
	const struct user_regs_struct *regs = &w->remote.was.regs;
	const struct proc_map *map = proc_maps_find(&w->maps, regs->rsp);

	if (!map || !map->writable || map->inode)
		return 0;
	if (!map->stack && (regs->fs_base <= regs->rsp || regs->fs_base >= map->end))
		return 0;
	if (regs->rsp - map->start <
	    sigframe_bytes(&w->remote.was) + SIGFRAME_RED_ZONE + STACK_SLACK)
		return 0;
	return regs->rsp - SIGFRAME_RED_ZONE;
}

static uint64_t elapsed_ms(const struct borrowing *b)
{
	return (remote_now_ns() - b->since_ns) / 1000000u;
}

static struct watched *find_watched(struct borrowing *b, pid_t tid)
{
	for (size_t i = 0; i < b->watches; i++)
		if (b->watched[i].tid == tid)
			return &b->watched[i];
	if (b->watches == CANDIDATES)
		return NULL;
	b->watched[b->watches] = (struct watched){.tid = tid};
	return &b->watched[b->watches++];
}

/* Did it begin to wait since the last look, and was that lately? Then it is known since when. */
static bool began_just_now(struct watched *t)
{
	struct watched last = *t;

	t->sleeps = threads_sleeps(t->tid);
	t->at_ns = remote_now_ns();
	if (last.at_ns && t->sleeps == last.sleeps)
		return false;
	t->began_ns =
		last.at_ns && t->at_ns - last.at_ns < FRESH_MS * UINT64_C(1000000) ? t->at_ns : 0;
	return t->began_ns;
}

/* Has it been in this wait since a look at it that knew when it began? */
static bool was_seen_to_begin(struct attach_working *w, const struct watched *t)
{
	if (!t->began_ns || threads_epoll(w->remote.target.pid, t->tid) != t->sleeps)
		return false;
	w->wait = (struct area_wait){(uint64_t)t->tid, t->sleeps, t->began_ns};
	return true;
}

/* Has it waited since it was let go the last time? */
static bool still_waits(const struct attach_working *w, pid_t tid)
{
	return w->wait.sleeps && w->wait.tid == (uint64_t)tid &&
	       threads_epoll(w->remote.target.pid, tid) == w->wait.sleeps;
}

static bool was_stopped_in_epoll(const struct user_regs_struct *regs)
{
	return (regs->orig_rax == SYS_epoll_wait || regs->orig_rax == SYS_epoll_pwait) &&
	       regs->rax == -(uint64_t)514 && (int)regs->r10 > 0;
}

/* Did the thread begin another wait since it was looked at, just now? To stop it took one sleep;
 * more were its own. */
static bool waits_anew(const struct borrowing *b, pid_t tid)
{
	const struct attach_working *w = b->w;

	return w->wait.tid == (uint64_t)tid && threads_sleeps(tid) > w->wait.sleeps + 1 &&
	       remote_now_ns() - b->looked_ns < FRESH_MS * UINT64_C(1000000);
}

/* The kernel would begin all of the limit anew, so make it the rest, in libc's code, which does not
 * use the register afterwards. False: the rest is not known, and the limit begins anew. */
static bool keep_rest(struct attach_working *w, pid_t tid)
{
	struct user_regs_struct *regs = &w->remote.was.regs;
	const struct proc_map *code = proc_maps_find(&w->maps, regs->rip);
	uint64_t waited_ms = (remote_now_ns() - w->wait.began_ns) / 1000000u;
	uint64_t limit_ms = (uint32_t)regs->r10;

	if (!was_stopped_in_epoll(regs))
		return true;
	if (w->wait.tid != (uint64_t)tid || !code ||
	    code != proc_maps_find(&w->maps, w->remote.code.syscall) ||
	    threads_sleeps(tid) != w->wait.sleeps + 1)
		return false;
	regs->r10 = waited_ms < limit_ms ? limit_ms - waited_ms : 0;
	return remote_set_registers(tid, regs);
}

struct area_wait attach_borrow_wait(struct attach_working *w, pid_t tid)
{
	const pid_t pid = w->remote.target.pid;
	struct area_wait wait = {0};

	for (int ms = 0; w->waits && ms < SLEEPS_MS; ms += WATCH_MS) {
		wait.sleeps = threads_epoll(pid, tid);
		if (wait.sleeps) {
			wait.tid = (uint64_t)tid;
			wait.began_ns = remote_now_ns();
			break;
		}
		remote_rest(&w->remote, WATCH_MS);
	}
	return wait;
}

/* For this attach, and for the next ones. */
static void note_anew(struct attach_working *w, pid_t tid)
{
	w->anew_ns = remote_now_ns();
	w->answer->result.began_anew = tid;
	if (w->head)
		remote_write(&w->remote, w->head + offsetof(struct area_head, anew_ns), &w->anew_ns,
			     sizeof(w->anew_ns));
}

static bool may_begin_anew(struct borrowing *b, pid_t tid, enum threads_rank rank)
{
	struct attach_working *w = b->w;
	uint64_t now_ns = remote_now_ns();
	struct watched *t = find_watched(b, tid);
	bool began = t && began_just_now(t);

	b->looked_ns = now_ns;
	b->known = rank == THREADS_EPOLL && (still_waits(w, tid) || (t && was_seen_to_begin(w, t)));
	if (began || b->known)
		return true;
	b->why = "it waits with a time limit, which would begin anew, as it may once an hour";
	if (b->others || elapsed_ms(b) < STRICT_MS || (w->anew_ns && now_ns - w->anew_ns < HOUR_NS))
		return false;
	note_anew(w, tid);
	return true;
}

/* Stop a thread whose filters, if it has any, let our calls through. */
static enum remote_result stop(struct attach_working *w, pid_t tid, int limit_ms, const char **why)
{
	int status = attach_filters_check(&w->filters, tid, w->err);

	*why = "its seccomp filter cannot be read now";
	if (status != 0)
		return status < 0 ? REMOTE_FAILED : REMOTE_PASSED;
	enum remote_result result = remote_stop(&w->remote, tid, limit_ms, why, w->err);
	if (result != REMOTE_FINE || attach_filters_same(&w->filters, tid))
		return result;
	*why = "it has got another seccomp filter";
	remote_let_go(&w->remote);
	return REMOTE_PASSED;
}

/* 1: it is borrowed; 0: another one is to be asked; -1 with an error. */
static int ask(struct borrowing *b, pid_t tid, int left_ms, uint64_t *room)
{
	struct attach_working *w = b->w;
	enum remote_result result = stop(w, tid, left_ms, &b->why);

	if (result != REMOTE_FINE)
		return result == REMOTE_FAILED ? -1 : 0;
	if (b->known && !keep_rest(w, tid)) {
		b->known = false;
		if (!waits_anew(b, tid))
			note_anew(w, tid);
	}
	*room = find_room(w);
	if (!*room && !w->area)
		b->why = "its stack has no room";
	else if (w->remote.unknown_call && elapsed_ms(b) < PATIENT_MS)
		b->why = "it is in a call that was interrupted before";
	else if (!(b->why = safe_points_judge(w->points, tid)))
		return 1;
	remote_let_go(&w->remote);
	if (b->known)
		w->wait = attach_borrow_wait(w, tid);
	return 0;
}

static int ask_all(struct borrowing *b, bool first, int limit_ms, uint64_t *room)
{
	pid_t tids[CANDIDATES], pid = b->w->remote.target.pid;
	size_t n = safe_points_candidates(b->w->points, tids, CANDIDATES);
	int status = 0, asked = 0;

	for (size_t i = 0; i < n && status == 0; i++) {
		enum threads_rank rank = threads_rank(pid, tids[i]);
		int left_ms = limit_ms - (int)elapsed_ms(b);

		if (left_ms < LEAST_MS && asked > 0)
			break;
		if (i + 1 < n) /* one that gets no processor leaves time for others */
			left_ms /= 2;
		left_ms = left_ms < LEAST_MS ? LEAST_MS : left_ms;
		b->w->waits = rank >= THREADS_EPOLL;
		b->others |= !b->w->waits;
		b->known = false;
		if (b->w->waits && !may_begin_anew(b, tids[i], rank))
			continue;
		if (n > 1 && ((rank == THREADS_FRAGILE && first) ||
			      (rank == THREADS_SHORT && elapsed_ms(b) < PATIENT_MS)))
			continue;
		asked++;
		status = ask(b, tids[i], left_ms, room);
	}
	return status;
}

int attach_borrow(struct attach_working *w, uint64_t *room)
{
	struct borrowing b = {.w = w,
			      .since_ns = remote_now_ns(),
			      .why = "each waits for a device, or for a child of vfork"};
	const int limit_ms = w->order ? BEGIN_MS : END_MS;

	/* once more after the limit: a late tracer has hardly looked before */
	for (bool first = true, last = false; !last; first = false) {
		last = elapsed_ms(&b) >= (uint64_t)limit_ms;
		b.others = false;
		int status = ask_all(&b, first, limit_ms, room);

		if (status != 0)
			return status > 0 ? 0 : -1;
		remote_rest(&w->remote, b.others ? PAUSE_MS : WATCH_MS);
		/* stacks of new threads */
		if (!w->area && !proc_maps_list(&w->maps, w->remote.target.pid, w->name))
			return attach_state_say(w, "it has ended");
	}
	return error_set(w->err,
			 "process %d: no thread can be borrowed for a call within %d ms; the last "
			 "one: %s; try again",
			 (int)w->remote.target.pid, limit_ms, b.why);
}
