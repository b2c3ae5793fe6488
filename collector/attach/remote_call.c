// SPDX-License-Identifier: GPL-3.0-or-later
/* What is called returns to __restore_rt, which makes the system call rt_sigreturn, which brings
 * back the state in the frame. The tracer has the thread stop where it enters a system call: at
 * that one it takes the thread back, and restores its state itself. That is better than the frame
 * can: the kernel then continues an interrupted system call with the time that is left. Without a
 * tracer nothing stops, and the frame does it.
 *
 * Each step below leaves registers from which the thread gets home alone. Signals are blocked only
 * after the registers lead to the frame, which holds the mask. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/attach/remote.h"
#include "collector/attach/remote_private.h"

#define RESTORER_BYTES 9
#define CALLS_MS       (2 * REMOTE_CALL_MS) /* where it makes system calls all the while */
#define EFLAGS	       0x202		    /* interrupts are on; no direction flag, no trap */

#define LOOK_NS	 50000	   /* between looks at a thread that makes a call */
#define ALONE_MS 500	   /* after which it may have gone home alone */
#define RESTART	 (-514ull) /* ERESTARTNOHAND: ppoll was interrupted */

#define WAKE_OP_SET(value) (((uint64_t)(value)&0xfff) << 12 | 0xfff)

/* Of the thread, from where it goes home alone. */
static struct user_regs_struct at_ground(const struct remote *r)
{
	struct user_regs_struct regs = r->was.regs;

	regs.rip = r->code.restorer;
	regs.rsp = r->ground + 8;
	regs.orig_rax = (unsigned long long)-1;
	regs.eflags = EFLAGS;
	regs.rax = 0;
	return regs;
}

static bool write_frame(struct remote *r, const struct sigframe_state *s, uint64_t top,
			uint64_t *at)
{
	uint8_t *bytes = malloc(sigframe_bytes(s));
	bool fine;

	if (!bytes)
		return false;
	*at = sigframe_build(s, r->code.restorer, top, bytes);
	fine = remote_write(r, *at, bytes, top - *at);
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
	bool fine;

	if (!fp)
		return false;
	memcpy(fp, r->fp, r->was.fp_bytes);
	sigframe_plain_fp(fp, r->was.fp_bytes);
	fine = remote_set_fp(r->tid, fp, r->was.fp_bytes);
	free(fp);
	return fine;
}

enum remote_result remote_ground(struct remote *r, uint64_t top, struct profile_error *err)
{
	struct sigframe_state s = home(r);
	struct user_regs_struct regs;
	uint64_t at;

	if (!write_frame(r, &s, top, &at))
		return REMOTE_PASSED;
	r->ground = at;
	regs = at_ground(r);
	if (remote_set_registers(r->tid, &regs) && remote_set_mask(r->tid, ~REMOTE_FAULTS) &&
	    plain_fp(r))
		return REMOTE_FINE;
	snprintf(err->text, sizeof(err->text), "thread %d: its registers cannot be written: %s",
		 (int)r->tid, strerror(errno));
	remote_set_registers(r->tid, &r->was.regs);
	remote_set_fp(r->tid, r->fp, r->was.fp_bytes);
	remote_set_mask(r->tid, r->was.mask);
	r->ground = 0;
	return REMOTE_FAILED;
}

enum remote_result remote_ground_again(struct remote *r, uint64_t top, uint64_t futex,
				       struct profile_error *err)
{
	struct sigframe_state s = home(r), set = {.mask = ~REMOTE_FAULTS};
	uint64_t frame, below;

	if (!r->ground) { /* nothing leads home yet */
		enum remote_result result = remote_ground(r, top, err);

		if (result != REMOTE_FINE)
			return result;
		frame = r->ground;
	} else if (!write_frame(r, &s, top, &frame)) {
		return REMOTE_PASSED;
	}
	r->ground = frame;
	if (!r->errno_at || r->errno_was > 0x7ff)
		return REMOTE_FINE;
	/* a system call that stores a small number: it wakes nobody */
	set.regs = at_ground(r);
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
	r->ground = below;
	return REMOTE_FINE;
}

/* A signal came to the borrowed thread. 0: it goes on. */
static int note_signal(struct remote *r, int signal, struct profile_error *err)
{
	siginfo_t info = {0};

	ptrace(PTRACE_GETSIGINFO, r->tid, NULL, &info);
	if (info.si_code <= 0) { /* somebody sent it: later */
		r->late |= 1ull << (signal - 1);
		return 0;
	}
	snprintf(err->text, sizeof(err->text),
		 "process %d: signal %d (%s) inside the call that was made in it; it goes on as "
		 "before",
		 (int)r->target.pid, signal, strsignal(signal));
	return -1;
}

static bool at_home(const struct remote *r, const struct user_regs_struct *regs)
{
	return regs->orig_rax == SYS_rt_sigreturn &&
	       regs->rip == r->code.restorer + RESTORER_BYTES && regs->rsp == r->ground + 8;
}

/* It has gone home, or is on the way. */
static void let_go_alone(struct remote *r, struct user_regs_struct *regs)
{
	if (sigframe_restart_all(regs))
		remote_set_registers(r->tid, regs);
	remote_let_go(r);
}

/* It takes too long: the thread ends the call by itself. */
static int leave(struct remote *r, bool stopped, struct profile_error *err)
{
	struct user_regs_struct regs;

	if (stopped)
		remote_let_go(r);
	else if (remote_interrupt(r, false, REMOTE_CALL_MS, err) == REMOTE_FINE &&
		 remote_registers(r->tid, &regs))
		let_go_alone(r, &regs);
	r->tid = 0;
	snprintf(err->text, sizeof(err->text),
		 "process %d: the call that was made in it takes longer than %d s; it was left to "
		 "end by "
		 "itself",
		 (int)r->target.pid, REMOTE_CALL_MS / 1000);
	return -1;
}

/* In which call it sleeps, and of what, the kernel tells. */
static bool sleeps_in(const struct remote *r, unsigned long call, uint64_t argument)
{
	unsigned long number;
	unsigned long long first;
	char path[64], text[160];
	ssize_t n;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)r->target.pid, (int)r->tid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	n = read(file, text, sizeof(text) - 1);
	close(file);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%lu 0x%llx", &number, &first) == 2 && number == call &&
	       first == argument;
}

/* It waits for the lock: nothing is taken before that. To other threads it is a waiter that has
 * gone. */
static bool give_up(struct remote *r, struct profile_error *err)
{
	struct user_regs_struct regs;

	if (remote_interrupt(r, false, REMOTE_CALL_MS, err) != REMOTE_FINE ||
	    !remote_registers(r->tid, &regs))
		return false;
	r->lock_taken = regs.orig_rax == SYS_futex && regs.rdi == r->code.lock;
	if (!r->lock_taken) {
		ptrace(PTRACE_SYSCALL, r->tid, NULL, NULL);
		return false;
	}
	r->held = true;
	snprintf(err->text, sizeof(err->text),
		 "process %d: another thread is inside dlopen for long, perhaps in a constructor "
		 "that waits",
		 (int)r->target.pid);
	return true;
}

/* Wait for the next stop in a call: its status; -1: the thread is gone; 0, with *err: the call was
 * given up or left. */
static int await_stop(struct remote *r, struct profile_error *err)
{
	for (int ms = 0; ms < REMOTE_CALL_MS; ms += REMOTE_LOCK_MS) {
		int status = remote_wait(r, REMOTE_LOCK_MS);

		if (status != 0)
			return status;
		if (r->code.lock && sleeps_in(r, SYS_futex, r->code.lock) && give_up(r, err))
			return 0;
	}
	leave(r, false, err);
	return 0;
}

/* Run from `regs` until the thread is home again. *result: of the first system call. */
static int run(struct remote *r, const struct user_regs_struct *start, int64_t *result,
	       struct profile_error *err)
{
	struct user_regs_struct regs;
	struct timespec begun, now;
	int status, stops = 0;

	r->held = false;
	if (!remote_set_registers(r->tid, start))
		return remote_gone(r, err);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - begun.tv_sec > CALLS_MS / 1000)
			return leave(r, true, err);
		if (ptrace(PTRACE_SYSCALL, r->tid, NULL, NULL) != 0)
			return r->tid = 0, remote_gone(r, err);
		status = await_stop(r, err);
		if (status == 0)
			return -1;
		if (status < 0 || REMOTE_EVENT(status) == PTRACE_EVENT_EXEC)
			return r->tid = 0, remote_gone(r, err);
		if (REMOTE_EVENT(status))
			continue;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			if (note_signal(r, WSTOPSIG(status), err) != 0)
				return -1;
			continue;
		}
		if (!remote_registers(r->tid, &regs))
			return r->tid = 0, remote_gone(r, err);
		if (at_home(r, &regs))
			return 0;
		if (++stops == 2 && result)
			*result = (int64_t)regs.rax;
	}
}

/* Stop it where it waits. 1: it is still in the call. */
static int take(struct remote *r, uint64_t state, struct profile_error *err)
{
	struct user_regs_struct regs;

	if (remote_interrupt(r, false, REMOTE_CALL_MS, err) != REMOTE_FINE ||
	    !remote_registers(r->tid, &regs))
		return r->tid = 0, remote_gone(r, err);
	r->held = regs.orig_rax == SYS_ppoll && regs.rax == RESTART && regs.rdi == state;
	if (r->held)
		return 0;
	if (regs.rsp <= r->ground && r->ground - regs.rsp < (1u << 20)) {
		if (sigframe_restart_all(&regs))
			remote_set_registers(r->tid, &regs);
		return ptrace(PTRACE_CONT, r->tid, NULL, NULL) ? remote_gone(r, err) : 1;
	}
	let_go_alone(r, &regs);
	return 0;
}

/* What else it stopped for. 0: it goes on. */
static int go_on(struct remote *r, int status, struct profile_error *err)
{
	if (!WIFSTOPPED(status) || REMOTE_EVENT(status) == PTRACE_EVENT_EXEC)
		return r->tid = 0, remote_gone(r, err);
	if (!REMOTE_EVENT(status) && note_signal(r, WSTOPSIG(status), err) != 0)
		return -1;
	return ptrace(PTRACE_CONT, r->tid, NULL, NULL) ? (r->tid = 0, remote_gone(r, err)) : 0;
}

static int await(struct remote *r, uint64_t state, struct profile_error *err)
{
	const struct timespec pause = {0, LOOK_NS};
	const int looks = REMOTE_CALL_MS * 1000000ll / LOOK_NS, many = ALONE_MS * 1000000 / LOOK_NS;
	int status, result;

	for (int i = 1; i < looks; i++) {
		if (waitpid(r->tid, &status, __WALL | WNOHANG) == r->tid &&
		    go_on(r, status, err) != 0)
			return -1;
		if ((sleeps_in(r, SYS_ppoll, state) || i % many == 0) &&
		    (result = take(r, state, err)) <= 0)
			return result;
		nanosleep(&pause, NULL);
	}
	return leave(r, false, err);
}

int remote_call_held(struct remote *r, uint64_t function, const uint64_t arguments[2],
		     uint64_t state, struct profile_error *err)
{
	struct user_regs_struct regs = at_ground(r);

	regs.rip = function;
	regs.rsp = r->ground;
	regs.rdi = arguments[0];
	regs.rsi = arguments[1];
	regs.rbp = 0;
	r->held = false;
	if (!remote_set_registers(r->tid, &regs) || ptrace(PTRACE_CONT, r->tid, NULL, NULL) != 0)
		return r->tid = 0, remote_gone(r, err);
	return await(r, state, err);
}

int remote_call(struct remote *r, uint64_t function, const uint64_t arguments[2],
		uint64_t result_at, struct profile_error *err)
{
	struct user_regs_struct regs = at_ground(r);
	/* the return address, what is popped by then; and the ground, whose first word leads on */
	uint64_t words[16] = {r->code.keep};

	regs.rip = function;
	regs.rsp = r->ground;
	regs.rdi = arguments[0];
	regs.rsi = arguments[1];
	regs.rax = 0; /* no vector registers hold arguments */
	regs.rbp = 0;
	if (result_at) {
		if (!r->code.keep) {
			snprintf(err->text, sizeof(err->text), "its result cannot be read");
			return -1;
		}
		regs.rsp -= 8 * (1 + r->code.keep_words);
		regs.rbx = result_at;
		if (!remote_write(r, regs.rsp, words, 8 * (1 + r->code.keep_words)))
			return remote_gone(r, err);
	}
	return run(r, &regs, NULL, err);
}

int remote_syscall(struct remote *r, long number, const uint64_t arguments[6], int64_t *result,
		   struct profile_error *err)
{
	struct user_regs_struct regs = at_ground(r);

	regs.rip = r->code.syscall;
	regs.rsp = r->ground;
	regs.rax = (unsigned long long)number;
	regs.rdi = arguments[0];
	regs.rsi = arguments[1];
	regs.rdx = arguments[2];
	regs.r10 = arguments[3];
	regs.r8 = arguments[4];
	regs.r9 = arguments[5];
	return run(r, &regs, result, err);
}

/* From the entry of rt_sigreturn, which is not made, to the stop in which a system call is
 * restarted. If the tracer dies here the thread makes rt_sigreturn again. */
static int stop_at_ground(struct remote *r, struct profile_error *err)
{
	struct user_regs_struct regs = at_ground(r);

	if (!remote_set_registers(r->tid, &regs) ||
	    remote_interrupt(r, true, REMOTE_CALL_MS, err) != REMOTE_FINE)
		return r->tid = 0, remote_gone(r, err);
	return 0;
}

void remote_restore_errno(const struct remote *r)
{
	if (r->errno_at)
		remote_write(r, r->errno_at, &r->errno_was, sizeof(r->errno_was));
}

int remote_restore(struct remote *r, struct profile_error *err)
{
	uint64_t late = r->late;
	pid_t tid = r->tid;

	if (!tid)
		return -1;
	if (r->ground && !r->held && stop_at_ground(r, err) != 0)
		return -1;
	if (r->errno_at)
		remote_write(r, r->errno_at, &r->errno_was, sizeof(r->errno_was));
	if (r->ground &&
	    (!remote_set_fp(tid, r->fp, r->was.fp_bytes) || !remote_set_mask(tid, r->was.mask)))
		return remote_gone(r, err);
	if (!remote_set_registers(tid, &r->was.regs))
		return remote_gone(r, err);
	remote_let_go(r);
	for (int s = 1; late >> (s - 1); s++)
		if (late >> (s - 1) & 1)
			syscall(SYS_tgkill, r->target.pid, tid, s);
	r->late = 0;
	return 0;
}
