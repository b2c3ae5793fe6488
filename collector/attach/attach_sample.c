// SPDX-License-Identifier: GPL-3.0-or-later
/* A process of our own holds the thread: when it ends, however it does, the kernel lets go, and one
 * that did not stop in time goes on without having been stopped. Nothing is written, but the
 * registers of a call that the stop would end with EINTR: it is begun anew, as the kernel does with
 * the others. */

#include "collector/attach/attach.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/attach/remote/remote.h"

#define LATE_US 200000 /* a thread that has no CPU, or is in the kernel, does not stop at once */

static void wake_up(int signal)
{
	(void)signal;
}

/* No other signal may stop or end us while a thread is held, and no other task is to; but nobody
 * holds it for a tool that has gone. */
static void prepare(void)
{
	const struct itimerval limit = {{0, LATE_US}, {0, LATE_US}};
	const struct sigaction a = {.sa_handler = wake_up};
	const struct sched_param first = {.sched_priority = 1};
	sigset_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGALRM, &a, NULL);
	if (sched_setscheduler(0, SCHED_FIFO, &first)) /* where that is allowed */
		setpriority(PRIO_PROCESS, 0, -20);
	setitimer(ITIMER_REAL, &limit, NULL);
}

void attach_sample(pid_t tid, void (*look)(void *context), void *context, double *held_ms)
{
	pid_t child = fork();
	int status = 0;

	if (child)
		return (void)(child > 0 && waitpid(child, NULL, 0));
	prepare();
	if (!ptrace(PTRACE_SEIZE, tid, NULL, NULL) && !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) &&
	    waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status)) {
		uint64_t begun = remote_now_ns();
		bool ours = REMOTE_EVENT(status) == PTRACE_EVENT_STOP;
		struct user_regs_struct regs;

		look(context);
		if (remote_registers(tid, &regs) && sigframe_restart_all(&regs))
			remote_set_registers(tid, &regs);
		ptrace(PTRACE_DETACH, tid, NULL, ours ? 0L : (long)WSTOPSIG(status));
		*held_ms = (double)(remote_now_ns() - begun) / 1e6;
	}
	_exit(0);
}
