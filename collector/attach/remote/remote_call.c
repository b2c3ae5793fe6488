// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls that the borrowed thread makes. Two ways: run() stops it at each system call, and so sees
 * it at the gate for certain. A held call is stopped nowhere, but waits at its end until it is
 * taken back; a tracer that comes too late for that finds the thread at home, and leaves it. */
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "collector/attach/remote/remote.h"
#include "collector/attach/safe_point/threads.h"
#include "profile/base/error.h"

#define CALLS_MS (2 * REMOTE_CALL_MS) /* where it makes system calls all the while */
#define LOOK_MS	 1		      /* between looks at a thread that makes a call */
#define TAKE_MS	 500		      /* after which it may have gone home */

#define WAIT_RESTARTS  (-512ull) /* ERESTARTSYS: futex was interrupted */
#define PPOLL_RESTARTS (-514ull) /* ERESTARTNOHAND */

static bool elapsed(uint64_t since_ns, uint64_t ms)
{
	return remote_now_ns() - since_ns > ms * 1000000u;
}

static int say_fault(struct remote *r, int signal, struct profile_error *err)
{
	return error_set(err,
			 "process %d: signal %d (%s) inside the call that was made in it; it goes "
			 "on as before",
			 (int)r->target.pid, signal, strsignal(signal));
}

static int say_home(struct remote *r, struct profile_error *err)
{
	return error_set(
		err,
		"process %d: its thread went back by itself before the call was over; try again",
		(int)r->target.pid);
}

/* It takes too long: the thread ends the call by itself. */
static int leave(struct remote *r, bool running, struct profile_error *err)
{
	struct remote_seen seen;
	enum remote_result result = remote_interrupt(r, running, REMOTE_CALL_MS, &seen, err);

	if (result == REMOTE_FINE && r->tid)
		remote_let_go_at(r, &seen);
	else if (result == REMOTE_PASSED)
		remote_give_up(r);
	r->tid = 0;
	return error_set(err,
			 "process %d: the call that was made in it takes longer than %d s; it was "
			 "left to end by itself; try again",
			 (int)r->target.pid, REMOTE_CALL_MS / 1000);
}

/* In which call it sleeps, and of what, the kernel tells. */
static bool sleeps_in(const struct remote *r, long call, uint64_t argument)
{
	struct threads_call c;

	return threads_call(r->target.pid, r->tid, &c) && c.number == call &&
	       c.argument[0] == argument;
}

/* Was it interrupted in this system call of ours, and nothing came of the call? */
static bool waits_in(const struct remote_seen *s, unsigned long call, uint64_t argument,
		     uint64_t restarts)
{
	struct user_regs_struct regs = s->regs;

	sigframe_restart_all(&regs);
	return s->place == REMOTE_INSIDE && s->act == REMOTE_STOPPED && regs.orig_rax == call &&
	       regs.rax == restarts && regs.rdi == argument;
}

/* It waits for the lock: nothing is taken before that. To other threads it is a waiter that has
 * gone, since no wake-up was spent on it. 1: it goes on. */
static int give_up_lock(struct remote *r, struct remote_seen *seen, struct profile_error *err)
{
	enum remote_result result = remote_interrupt(r, true, REMOTE_CALL_MS, seen, err);

	if (result == REMOTE_FAILED)
		return -1;
	if (result == REMOTE_PASSED || !r->tid)
		return 1;
	r->lock_taken = waits_in(seen, SYS_futex, r->code.lock, WAIT_RESTARTS);
	if (!r->lock_taken)
		return remote_go_on(r, PTRACE_SYSCALL, seen) ? 1 : remote_gone(r, err);
	r->held = true;
	return error_set(err,
			 "process %d: another thread is inside dlopen for long, perhaps in a "
			 "constructor that waits",
			 (int)r->target.pid);
}

/* Wait for the next stop in a call. 0; or -1 with *err: the call was given up or left, or the
 * thread is gone. */
static int await_stop(struct remote *r, struct remote_seen *seen, struct profile_error *err)
{
	uint64_t since_ns = remote_now_ns();

	while (!elapsed(since_ns, REMOTE_CALL_MS)) {
		enum remote_wait w = remote_wait(r, REMOTE_LOCK_MS, seen);

		if (w == REMOTE_SEEN)
			return 0;
		if (w == REMOTE_ENDED)
			return remote_gone(r, err);
		if (r->code.lock && sleeps_in(r, SYS_futex, r->code.lock) &&
		    give_up_lock(r, seen, err) < 0)
			return -1;
		if (!r->tid)
			return say_home(r, err);
	}
	return leave(r, true, err);
}

/* Run from `start` until the thread is at the gate. *result: of the system call `number`. */
static int run(struct remote *r, const struct user_regs_struct *start, long number, int64_t *result,
	       struct profile_error *err)
{
	struct remote_seen seen = {.act = REMOTE_ON};
	uint64_t since_ns = remote_now_ns();
	int stops = 0;

	r->held = false;
	if (!remote_set_registers(r->tid, start))
		return remote_gone(r, err);
	for (;;) {
		if (elapsed(since_ns, CALLS_MS))
			return leave(r, false, err);
		if (!remote_go_on(r, PTRACE_SYSCALL, &seen))
			return remote_gone(r, err);
		if (await_stop(r, &seen, err) != 0)
			return -1;
		switch (seen.act) {
		case REMOTE_ENTERED:
			return 0;
		case REMOTE_BROKEN:
			return say_fault(r, seen.signal, err);
		case REMOTE_LET_GO:
			remote_let_go_at(r, &seen);
			return say_home(r, err);
		default:
			break;
		}
		/* at its entry and at its end */
		if (!seen.signal && (long)seen.regs.orig_rax == number && ++stops == 2 && result)
			*result = (int64_t)seen.regs.rax;
	}
}

/* Stop it where it waits. 1: it is still in the call; 0: it was taken, or is home. */
static int take(struct remote *r, uint64_t state, struct profile_error *err)
{
	struct remote_seen seen;
	enum remote_result result = remote_interrupt(r, true, REMOTE_CALL_MS, &seen, err);

	if (result == REMOTE_FAILED)
		return -1;
	if (result == REMOTE_PASSED)
		return 1;
	if (!r->tid)
		return 0;
	if (seen.act == REMOTE_BROKEN)
		return say_fault(r, seen.signal, err);
	r->held = waits_in(&seen, SYS_ppoll, state, PPOLL_RESTARTS);
	if (r->held)
		return 0;
	return remote_go_on(r, PTRACE_CONT, &seen) ? 1 : remote_gone(r, err);
}

/* What else it stopped for. 1: it is still in the call; 0: it is home. */
static int go_on(struct remote *r, const struct remote_seen *seen, struct profile_error *err)
{
	if (seen->act == REMOTE_BROKEN)
		return say_fault(r, seen->signal, err);
	if (seen->act == REMOTE_LET_GO)
		return remote_let_go_at(r, seen), 0;
	return remote_go_on(r, PTRACE_CONT, seen) ? 1 : remote_gone(r, err);
}

static int await(struct remote *r, uint64_t state, struct profile_error *err)
{
	uint64_t since_ns = remote_now_ns(), taken_ns = since_ns;
	struct remote_seen seen;
	int status;

	while (!elapsed(since_ns, REMOTE_CALL_MS)) {
		switch (remote_wait(r, LOOK_MS, &seen)) {
		case REMOTE_ENDED:
			return remote_gone(r, err);
		case REMOTE_SEEN:
			status = go_on(r, &seen, err);
			break;
		default:
			status = 1;
		}
		if (status <= 0)
			return status;
		if (!sleeps_in(r, SYS_ppoll, state) && !elapsed(taken_ns, TAKE_MS))
			continue;
		taken_ns = remote_now_ns();
		status = take(r, state, err);
		if (status <= 0)
			return status;
	}
	return leave(r, true, err);
}

static struct user_regs_struct at_function(const struct remote *r, uint64_t function,
					   const uint64_t arguments[2])
{
	struct user_regs_struct regs = remote_at_ground(r);

	regs.rip = function;
	regs.rsp = r->traces.ground;
	regs.rdi = arguments[0];
	regs.rsi = arguments[1];
	regs.rbp = 0;
	return regs;
}

int remote_call_held(struct remote *r, uint64_t function, const uint64_t arguments[2],
		     uint64_t state, struct profile_error *err)
{
	struct user_regs_struct regs = at_function(r, function, arguments);

	r->held = false;
	if (!remote_set_registers(r->tid, &regs) || ptrace(PTRACE_CONT, r->tid, NULL, NULL) != 0)
		return remote_gone(r, err);
	return await(r, state, err);
}

int remote_call(struct remote *r, uint64_t function, const uint64_t arguments[2],
		uint64_t result_at, struct profile_error *err)
{
	struct user_regs_struct regs = at_function(r, function, arguments);
	/* the return address, what is popped by then; and the ground, whose first word leads on */
	const uint64_t words[2] = {r->code.keep};

	if (result_at) {
		regs.rsp -= sizeof(words);
		regs.rbx = result_at;
		if (!remote_write(r, regs.rsp, words, sizeof(words)))
			return remote_gone(r, err);
	}
	return run(r, &regs, -1, NULL, err);
}

int remote_syscall(struct remote *r, long number, const uint64_t arguments[6], int64_t *result,
		   struct profile_error *err)
{
	struct user_regs_struct regs = at_function(r, r->code.syscall, arguments);

	regs.rbp = r->was.regs.rbp;
	regs.rax = (unsigned long long)number;
	regs.rdx = arguments[2];
	regs.r10 = arguments[3];
	regs.r8 = arguments[4];
	regs.r9 = arguments[5];
	return run(r, &regs, number, result, err);
}
