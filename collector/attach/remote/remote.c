// SPDX-License-Identifier: GPL-3.0-or-later
/* A process that is traced: its memory, its registers, and the call on borrowed ground. */
#include "collector/attach/remote/remote.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/base/kernel_file.h"
#include "profile/live/run_files.h"

#define EFLAGS 0x202 /* interrupts are on; no direction flag, no trap */

int remote_gone(struct remote *r, struct profile_error *err)
{
	uint64_t start = run_files_process_start(r->target.pid, NULL);

	r->tid = 0;
	return error_set(err, "process %d %s", (int)r->target.pid,
			 start == r->target.process_start
				 ? "executes another program now, or its thread ended"
				 : "has ended");
}

bool remote_read(const struct remote *r, uint64_t at, void *to, size_t bytes)
{
	return at <= INT64_MAX && pread(r->memory, to, bytes, (off_t)at) == (ssize_t)bytes;
}

bool remote_write(const struct remote *r, uint64_t at, const void *from, size_t bytes)
{
	return at <= INT64_MAX && pwrite(r->memory, from, bytes, (off_t)at) == (ssize_t)bytes;
}

bool remote_registers(pid_t tid, struct user_regs_struct *regs)
{
	struct iovec v = {regs, sizeof(*regs)};

	/* fewer bytes: a 32-bit one */
	return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v) == 0 && v.iov_len == sizeof(*regs);
}

bool remote_set_registers(pid_t tid, const struct user_regs_struct *regs)
{
	return ptrace(PTRACE_SETREGS, tid, NULL, regs) == 0;
}

bool remote_set_fp(pid_t tid, void *fp, size_t bytes)
{
	struct iovec v = {fp, bytes};

	return ptrace(PTRACE_SETREGSET, tid, NT_X86_XSTATE, &v) == 0;
}

bool remote_set_mask(pid_t tid, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask) == 0;
}

struct user_regs_struct remote_at_ground(const struct remote *r)
{
	struct user_regs_struct regs = r->was.regs;

	regs.rip = r->code.restorer;
	regs.rsp = r->traces.ground + 8;
	regs.REMOTE_NONCE_REGISTER = r->traces.nonce;
	regs.orig_rax = (unsigned long long)-1;
	regs.eflags = EFLAGS;
	regs.rax = 0;
	return regs;
}

int remote_open(struct remote *r, const struct attach_target *t, struct profile_error *err)
{
	memset(r, 0, sizeof(*r));
	r->target = *t;
	r->memory = kernel_file_fd(O_RDWR, "/proc/%d/mem", (int)t->pid);
	if (r->memory >= 0 && run_files_process_start(t->pid, NULL) == t->process_start)
		return 0;
	if (r->memory < 0 && errno != ENOENT && errno != ESRCH) /* of a zombie */
		return error_set(err, "process %d: cannot open its memory: %s", (int)t->pid,
				 strerror(errno));
	return error_set(err, "process %d has ended", (int)t->pid);
}

/* The stack of a call lies in memory that only the borrowed thread uses (the area), so a stack
 * pointer there is a proof. Before there is an area two system calls are made on the thread's own
 * stack: then the nonce is, which the kernel keeps in its register until rt_sigreturn replaces all
 * of them. */
#define SYSCALL_BYTES 2u

static bool is_nonce_on_stubs(const struct remote_traces *t, const struct user_regs_struct *regs)
{
	if (regs->REMOTE_NONCE_REGISTER != t->nonce)
		return false;
	if (regs->rsp != t->ground && regs->rsp != t->ground + 8)
		return false;
	return regs->rip - t->restorer <= REMOTE_RESTORER_BYTES ||
	       regs->rip - t->syscall <= SYSCALL_BYTES;
}

enum remote_place remote_place(const struct remote_traces *t, const struct user_regs_struct *regs)
{
	if (!t->ground)
		return REMOTE_OWN;
	if (!is_nonce_on_stubs(t, regs))
		return t->area && regs->rsp > t->area && regs->rsp - t->area <= t->area_bytes
			       ? REMOTE_INSIDE
			       : REMOTE_HOME;
	return regs->rsp == t->ground + 8 && regs->rip - t->restorer <= REMOTE_RESTORER_BYTES
		       ? REMOTE_GATE
		       : REMOTE_INSIDE;
}

enum remote_stop remote_stop_kind(int status, int code)
{
	int signal = WSTOPSIG(status);

	switch (REMOTE_EVENT(status)) {
	case 0:
		break;
	case PTRACE_EVENT_EXEC:
		return REMOTE_STOP_EXEC;
	case PTRACE_EVENT_STOP:
		return signal == SIGTRAP ? REMOTE_STOP_TRAP : REMOTE_STOP_GROUP;
	default:
		return REMOTE_STOP_TRAP;
	}
	if (signal == (SIGTRAP | 0x80))
		return REMOTE_STOP_CALL;
	if (signal == SIGSTOP)
		return REMOTE_STOP_SIGSTOP;
	if (signal == SIGBUS && code == BUS_MCEERR_AO) /* of no instruction */
		return REMOTE_STOP_SIGNAL;
	if (signal < 64 && REMOTE_FAULTS >> (signal - 1) & 1 && code > 0)
		return REMOTE_STOP_FAULT;
	return REMOTE_STOP_SIGNAL;
}

enum remote_act remote_act(enum remote_place place, enum remote_stop stop)
{
	static const enum remote_act acts[REMOTE_STOPS][REMOTE_PLACES] = {
		/*			own		inside		gate		home */
		[REMOTE_STOP_SIGNAL] = {REMOTE_DELIVER, REMOTE_LATER, REMOTE_LATER, REMOTE_LET_GO},
		[REMOTE_STOP_FAULT] = {REMOTE_DELIVER, REMOTE_BROKEN, REMOTE_BROKEN, REMOTE_LET_GO},
		[REMOTE_STOP_SIGSTOP] = {REMOTE_DELIVER, REMOTE_DELIVER, REMOTE_DELIVER,
					 REMOTE_LET_GO},
		[REMOTE_STOP_GROUP] = {REMOTE_REFUSE, REMOTE_STOPPED, REMOTE_STOPPED,
				       REMOTE_LET_GO},
		[REMOTE_STOP_TRAP] = {REMOTE_STOPPED, REMOTE_STOPPED, REMOTE_STOPPED,
				      REMOTE_LET_GO},
		[REMOTE_STOP_CALL] = {REMOTE_ON, REMOTE_ON, REMOTE_ENTERED, REMOTE_LET_GO},
		[REMOTE_STOP_EXEC] = {REMOTE_LOST, REMOTE_LOST, REMOTE_LOST, REMOTE_LOST},
	};

	return acts[stop][place];
}
