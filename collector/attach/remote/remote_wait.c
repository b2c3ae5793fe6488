// SPDX-License-Identifier: GPL-3.0-or-later
/* Stops of the borrowed thread. Each one is looked at anew: the registers that it has there, and
 * nothing that was true before, say where it is and what may be done to it. Every signal is
 * delivered at once to a thread that runs the program's code; in a call of ours it is blocked and
 * handed back to the kernel, which queues it again as it came, until the thread is home. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/attach/remote/remote.h"
#include "profile/base/error.h"
#include "profile/base/kernel_file.h"

#define CLOSE_MS 20

static enum remote_wait look_at(const struct remote *r, pid_t tid, int status,
				struct remote_seen *s)
{
	siginfo_t info = {0};

	memset(s, 0, sizeof(*s));
	if (!WIFSTOPPED(status))
		return REMOTE_ENDED;
	if (!remote_registers(tid, &s->regs) && errno == ESRCH)
		return REMOTE_ENDED;
	if (!REMOTE_EVENT(status) && WSTOPSIG(status) != (SIGTRAP | 0x80)) {
		s->signal = WSTOPSIG(status);
		ptrace(PTRACE_GETSIGINFO, tid, NULL, &info);
	}
	s->place = remote_place(&r->traces, &s->regs);
	s->act = remote_act(s->place, remote_stop_kind(status, info.si_code));
	if (s->act != REMOTE_LOST)
		return REMOTE_SEEN;
	ptrace(PTRACE_DETACH, tid, NULL, NULL); /* another program, which is not ours */
	return REMOTE_ENDED;
}

/* The signal that it goes on with. A blocked one goes back to where it came from, unchanged. */
static int signal_to_go_on_with(pid_t tid, const struct remote_seen *s)
{
	uint64_t mask;

	if (s->act == REMOTE_BROKEN)
		return 0;
	if (s->act == REMOTE_LATER && ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) == 0)
		remote_set_mask(tid, mask | 1ull << (s->signal - 1));
	return s->signal;
}

static void let_go(const struct remote *r, pid_t tid, const struct remote_seen *s)
{
	struct user_regs_struct regs = s->regs;

	if (s->act == REMOTE_BROKEN) {
		regs = remote_at_ground(r);
		remote_set_registers(tid, &regs);
	} else if (sigframe_restart_all(&regs)) {
		remote_set_registers(tid, &regs);
	}
	ptrace(PTRACE_DETACH, tid, NULL, signal_to_go_on_with(tid, s));
}

static void note_stopped(struct remote *r)
{
	double ms = (double)(remote_now_ns() - r->stopped_at_ns) / 1e6;

	r->total_ms += ms;
	if (ms > r->longest_ms)
		r->longest_ms = ms;
	r->tid = 0;
}

void remote_let_go_at(struct remote *r, const struct remote_seen *seen)
{
	let_go(r, r->tid, seen);
	note_stopped(r);
}

void remote_let_go(struct remote *r)
{
	ptrace(PTRACE_DETACH, r->tid, NULL, 0);
	note_stopped(r);
}

bool remote_go_on(struct remote *r, int request, const struct remote_seen *seen)
{
	struct user_regs_struct regs = seen->regs;

	if (seen->act == REMOTE_STOPPED && sigframe_restart_all(&regs))
		remote_set_registers(r->tid, &regs);
	return ptrace(request, r->tid, NULL, signal_to_go_on_with(r->tid, seen)) == 0;
}

void remote_let_go_late(struct remote *r, pid_t tid, int status)
{
	struct remote_seen seen;

	for (unsigned int i = 0; i < REMOTE_GIVEN_UP; i++)
		if (r->given_up[i] == tid)
			r->given_up[i] = 0;
	if (look_at(r, tid, status, &seen) == REMOTE_SEEN)
		let_go(r, tid, &seen);
}

void remote_give_up(struct remote *r)
{
	for (unsigned int i = 0; i < REMOTE_GIVEN_UP; i++)
		if (!r->given_up[i]) {
			r->given_up[i] = r->tid;
			break;
		}
	r->tid = 0;
}

static void set_timer(int limit_ms)
{
	const struct itimerval every = {{0, 5000},
					{0, limit_ms > 0 && limit_ms < 5 ? limit_ms * 1000 : 5000}},
			       off = {0};

	setitimer(ITIMER_REAL, limit_ms ? &every : &off, NULL);
}

/* Of any thread, but those that are let go here: its number and status; 0: none in time; -1: none
 * is left. */
static pid_t wait_for_one(struct remote *r, int limit_ms, int *status)
{
	uint64_t end = remote_now_ns() + (uint64_t)limit_ms * 1000000u;
	pid_t tid;

	set_timer(limit_ms > 0 ? limit_ms : 1);
	for (;;) {
		tid = waitpid(-1, status, __WALL);
		if (tid < 0 ? errno != EINTR : tid == r->tid)
			break;
		if (tid > 0)
			remote_let_go_late(r, tid, *status);
		if (remote_now_ns() > end) {
			tid = 0;
			break;
		}
	}
	set_timer(0);
	return tid;
}

enum remote_wait remote_wait(struct remote *r, int limit_ms, struct remote_seen *seen)
{
	int status = 0;
	pid_t tid = wait_for_one(r, limit_ms, &status);

	if (tid == 0)
		return REMOTE_NOT_YET;
	return tid > 0 ? look_at(r, tid, status, seen) : REMOTE_ENDED;
}

static bool some_given_up(const struct remote *r)
{
	for (unsigned int i = 0; i < REMOTE_GIVEN_UP; i++)
		if (r->given_up[i])
			return true;
	return false;
}

void remote_rest(struct remote *r, int limit_ms)
{
	const struct timespec pause = {limit_ms / 1000, limit_ms % 1000 * 1000000};
	int status;

	if (!some_given_up(r) || wait_for_one(r, limit_ms, &status) < 0)
		nanosleep(&pause, NULL);
}

void remote_close(struct remote *r, int limit_ms)
{
	uint64_t end = remote_now_ns() + (uint64_t)limit_ms * 1000000u;
	int status;

	while (some_given_up(r) && remote_now_ns() < end)
		if (wait_for_one(r, CLOSE_MS, &status) < 0)
			break;
	kernel_file_close(&r->memory);
}

enum remote_result remote_until_stopped(struct remote *r, int limit_ms, struct remote_seen *seen,
					struct profile_error *err)
{
	enum remote_wait w;

	while ((w = remote_wait(r, limit_ms, seen)) == REMOTE_SEEN) {
		switch (seen->act) {
		case REMOTE_STOPPED:
		case REMOTE_BROKEN:
			return REMOTE_FINE;
		case REMOTE_LET_GO:
			remote_let_go_at(r, seen);
			return REMOTE_FINE;
		case REMOTE_REFUSE:
			error_set(err,
				  "process %d is stopped by a signal: continue it first (kill "
				  "-CONT %d)",
				  (int)r->target.pid, (int)r->target.pid);
			return REMOTE_FAILED;
		default: /* any stop takes the interrupt back */
			ptrace(PTRACE_INTERRUPT, r->tid, NULL, NULL);
			remote_go_on(r, PTRACE_CONT, seen);
		}
	}
	if (w == REMOTE_NOT_YET)
		return REMOTE_PASSED;
	return remote_gone(r, err), REMOTE_FAILED;
}

enum remote_result remote_interrupt(struct remote *r, bool running, int limit_ms,
				    struct remote_seen *seen, struct profile_error *err)
{
	if (ptrace(PTRACE_INTERRUPT, r->tid, NULL, NULL) != 0 ||
	    (!running && ptrace(PTRACE_CONT, r->tid, NULL, NULL) != 0))
		return remote_gone(r, err), REMOTE_FAILED;
	return remote_until_stopped(r, limit_ms, seen, err);
}
