// SPDX-License-Identifier: GPL-3.0-or-later
/* The way home. What is called returns to __restore_rt, which makes the system call rt_sigreturn,
 * which brings back the state in the frame. A tracer has the thread stop where it enters that call
 * (the gate), takes it back, and restores its state itself. That is better than the frame can: the
 * kernel then continues an interrupted system call with the time that is left. Without a tracer, or
 * with one that is late, nothing stops, and the frame does it.
 *
 * Each step below leaves registers from which the thread gets home alone. Signals are blocked only
 * after the registers lead to the frame, which holds the mask. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>

#include "collector/attach/remote/remote.h"
#include "profile/base/error.h"

#define WAKE_OP_SET(value) (((uint64_t)(value)&0xfff) << 12 | 0xfff)

static bool write_frame(struct remote *r, const struct sigframe_state *s, uint64_t top,
			uint64_t *at)
{
	uint8_t *bytes = malloc(sigframe_bytes(s));

	if (!bytes)
		return false;
	*at = sigframe_build(s, r->code.restorer, top, bytes);
	bool fine = remote_write(r, *at, bytes, top - *at);
	free(bytes);
	return fine;
}

static struct sigframe_state home(const struct remote *r)
{
	struct sigframe_state s = r->was;

	if (r->call)
		s.regs.orig_rax = r->call;
	sigframe_redo_call(&s.regs);
	return s;
}

/* As a signal handler has them. */
static bool plain_fp(struct remote *r)
{
	uint8_t *fp = malloc(r->was.fp_bytes);

	if (!fp)
		return false;
	memcpy(fp, r->fp, r->was.fp_bytes);
	sigframe_plain_fp(fp, r->was.fp_bytes);
	bool fine = remote_set_fp(r->tid, fp, r->was.fp_bytes);
	free(fp);
	return fine;
}

enum remote_result remote_ground(struct remote *r, uint64_t top, struct profile_error *err)
{
	struct sigframe_state s = home(r);
	uint64_t at;

	if (!write_frame(r, &s, top, &at) ||
	    getrandom(&r->traces.nonce, sizeof(r->traces.nonce), 0) != sizeof(r->traces.nonce))
		return REMOTE_PASSED;
	r->traces.ground = at;
	r->traces.syscall = r->code.syscall;
	r->traces.restorer = r->code.restorer;
	struct user_regs_struct regs = remote_at_ground(r);
	if (remote_set_registers(r->tid, &regs) && remote_set_mask(r->tid, ~REMOTE_FAULTS) &&
	    plain_fp(r))
		return REMOTE_FINE;
	error_set(err, "thread %d: its registers cannot be written: %s", (int)r->tid,
		  strerror(errno));
	remote_set_registers(r->tid, &r->was.regs);
	remote_set_fp(r->tid, r->fp, r->was.fp_bytes);
	remote_set_mask(r->tid, r->was.mask);
	r->traces.ground = 0;
	return REMOTE_FAILED;
}

enum remote_result remote_ground_again(struct remote *r, uint64_t top, uint64_t futex,
				       struct profile_error *err)
{
	struct sigframe_state s = home(r), set = {.mask = ~REMOTE_FAULTS};
	uint64_t frame, below;

	if (!r->traces.ground) { /* nothing leads home yet */
		enum remote_result result = remote_ground(r, top, err);

		if (result != REMOTE_FINE)
			return result;
		frame = r->traces.ground;
	} else if (!write_frame(r, &s, top, &frame)) {
		return REMOTE_PASSED;
	}
	r->traces.ground = frame;
	if (!r->errno_at || r->errno_was > 0x7ff)
		return REMOTE_FINE;
	/* a system call that stores a small number: it wakes nobody */
	set.regs = remote_at_ground(r);
	set.regs.rip = r->code.syscall;
	set.regs.rsp = frame;
	set.regs.rax = SYS_futex;
	set.regs.rdi = futex;
	set.regs.rsi = 5 | 128; /* FUTEX_WAKE_OP, private */
	set.regs.rdx = set.regs.r10 = 0;
	set.regs.r8 = r->errno_at;
	set.regs.r9 = WAKE_OP_SET(r->errno_was);
	if (!write_frame(r, &set, frame, &below))
		return REMOTE_PASSED;
	r->traces.ground = below;
	return REMOTE_FINE;
}

/* From where it stopped in our call, to the stop in which a system call is restarted. If the tracer
 * dies here the thread makes rt_sigreturn. */
static int stop_at_ground(struct remote *r, struct profile_error *err)
{
	struct user_regs_struct regs;
	struct remote_seen seen;
	enum remote_result result;
	bool running = false;

	if (!remote_registers(r->tid, &regs))
		return remote_gone(r, err);
	if (remote_place(&r->traces, &regs) == REMOTE_HOME)
		return remote_let_go(r), 0;
	regs = remote_at_ground(r);
	if (!remote_set_registers(r->tid, &regs))
		return remote_gone(r, err);
	do { /* it has nothing to do before that, but wait for a processor */
		result = remote_interrupt(r, running, REMOTE_CALL_MS, &seen, err);
		running = true;
	} while (result == REMOTE_PASSED);
	return result == REMOTE_FINE ? 0 : -1;
}

void remote_restore_errno(const struct remote *r)
{
	if (r->errno_at)
		remote_write(r, r->errno_at, &r->errno_was, sizeof(r->errno_was));
}

int remote_restore(struct remote *r, struct profile_error *err)
{
	pid_t tid = r->tid;

	if (r->traces.ground && !r->held && stop_at_ground(r, err) != 0)
		return -1;
	if (!r->tid)
		return 0;
	remote_restore_errno(r);
	if (r->traces.ground &&
	    (!remote_set_fp(tid, r->fp, r->was.fp_bytes) || !remote_set_mask(tid, r->was.mask)))
		return remote_gone(r, err);
	if (!remote_set_registers(tid, &r->was.regs))
		return remote_gone(r, err);
	remote_let_go(r);
	return 0;
}
