// SPDX-License-Identifier: GPL-3.0-or-later
/* SEIZE stops nothing and sends no signal; INTERRUPT makes the thread stop on its way to user code.
 * A system call that it waits in is interrupted, and the kernel restarts it when the thread goes
 * on; the few that it would not restart are made to (sigframe_restart_all), before anything else is
 * done. */
#include "collector/attach/remote/remote.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "collector/attach/safe_point/threads.h"
#include "profile/base/error.h"
#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"
#include "profile/live/run_files.h"

#define STOP_MS 20 /* that a thread may take to stop: one that sleeps for a disk does not */

static const char *read_state(struct remote *r)
{
	struct user_regs_struct *regs = &r->was.regs;
	struct iovec fp = {r->fp, sizeof(r->fp)};

	if (!remote_registers(r->tid, regs))
		return "its registers cannot be read, or it runs 32-bit code";
	if (sigframe_restart_all(regs) && !remote_set_registers(r->tid, regs))
		return "its registers cannot be written";
	if (regs->cs != 0x33)
		return "it runs 32-bit code";
	if (ptrace(PTRACE_GETREGSET, r->tid, NT_X86_XSTATE, &fp) != 0 ||
	    fp.iov_len == sizeof(r->fp))
		return "its vector registers cannot be read";
	r->unknown_call = regs->rax == -(uint64_t)516 && regs->orig_rax == SYS_restart_syscall;
	if (r->unknown_call) {
		r->call = machine_restarted(r->target.pid, regs->rip);
		r->unknown_call = !r->call; /* a frame has to begin it anew */
	}
	r->was.fp = r->fp;
	r->was.fp_bytes = fp.iov_len;
	if (ptrace(PTRACE_GETSIGMASK, r->tid, sizeof(r->was.mask), &r->was.mask) != 0)
		return "its signal mask cannot be read";
	/* it would break off our call, and be lost */
	if (proc_status_number(r->tid, "SigPnd", 16, REMOTE_FAULTS) & ~r->was.mask & REMOTE_FAULTS)
		return "it has a signal to get that an instruction of its own raised";
	return NULL;
}

/* The state letter of a thread; 0: there is no such thread. */
static char thread_state(const struct remote *r, pid_t tid)
{
	char text[PROC_STAT_BYTES];
	const char *state = proc_stat_read(r->target.pid, tid, text);

	return state ? *state : 0;
}

/* Was it given up before it stopped? By now it may have. */
static bool is_late(struct remote *r, pid_t tid)
{
	int status;

	for (unsigned int i = 0; i < REMOTE_GIVEN_UP; i++) {
		if (r->given_up[i] != tid)
			continue;
		if (waitpid(tid, &status, __WALL | WNOHANG) == tid)
			remote_let_go_late(r, tid, status);
		return true;
	}
	return false;
}

static enum remote_result seize(struct remote *r, pid_t tid, const char **why,
				struct profile_error *err)
{
	char state = thread_state(r, tid);

	*why = state == 'D' ? "it waits for a device or a child" : "it has ended, or does not stop";
	if (!state || strchr("DZX", state))
		return REMOTE_PASSED;
	if (ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC) != 0) {
		int error = errno;

		/* the kernel forbids to trace one that is ending */
		if (is_late(r, tid) || strchr("ZX", thread_state(r, tid)))
			return REMOTE_PASSED;
		error_set(err, "process %d cannot be traced: %s%s", (int)r->target.pid,
			  strerror(error), state == 't' ? " (a debugger traces it already)" : "");
		return REMOTE_FAILED;
	}
	r->tid = tid;
	if (run_files_process_start(r->target.pid, NULL) != r->target.process_start)
		return remote_gone(r, err), REMOTE_FAILED;
	if (thread_state(r, tid))
		return REMOTE_FINE;
	/* since it was looked at its number has become another process's */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	remote_give_up(r);
	return REMOTE_PASSED;
}

/* Ask again and again, as long as it is not asleep in the kernel. */
static enum remote_result interrupt_patiently(struct remote *r, int limit_ms,
					      struct profile_error *err)
{
	uint64_t end = remote_now_ns() + (uint64_t)limit_ms * 1000000u;
	struct remote_seen seen;
	enum remote_result result = remote_interrupt(r, true, STOP_MS, &seen, err);

	while (result == REMOTE_PASSED && remote_now_ns() < end) {
		if (strchr("DZX", thread_state(r, r->tid)))
			break;
		result = remote_until_stopped(r, STOP_MS, &seen, err);
	}
	return result;
}

/* A thread may end before it stops, and the process goes on. */
static bool has_ended_alone(const struct remote *r, pid_t tid)
{
	return !r->tid && !thread_state(r, tid) &&
	       run_files_process_start(r->target.pid, NULL) == r->target.process_start;
}

enum remote_result remote_stop(struct remote *r, pid_t tid, int limit_ms, const char **why,
			       struct profile_error *err)
{
	r->traces.ground = r->call = r->errno_at = 0;
	r->held = r->lock_taken = false;
	enum remote_result result = seize(r, tid, why, err);
	if (result != REMOTE_FINE)
		return result;
	r->stopped_at_ns = remote_now_ns();
	result = interrupt_patiently(r, limit_ms, err);
	if (result == REMOTE_PASSED) {
		*why = "it does not come out of a system call, or waits for a processor";
		remote_give_up(r);
		return result;
	}
	if (result == REMOTE_FAILED && has_ended_alone(r, tid)) {
		err->text[0] = '\0';
		*why = "it has ended";
		return REMOTE_PASSED;
	}
	if (result == REMOTE_FINE && (*why = read_state(r)) == NULL)
		return REMOTE_FINE;
	if (r->tid)
		remote_let_go(r);
	return result == REMOTE_FINE ? REMOTE_PASSED : result;
}
