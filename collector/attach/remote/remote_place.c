// SPDX-License-Identifier: GPL-3.0-or-later
/* The stack of a call lies in memory that only the borrowed thread uses (the area), so a stack
 * pointer there is a proof. Before there is an area two system calls are made on the thread's own
 * stack: then the nonce is, which the kernel keeps in its register until rt_sigreturn replaces all
 * of them. */
#include "collector/attach/remote/remote.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

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
