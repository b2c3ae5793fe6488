// SPDX-License-Identifier: GPL-3.0-or-later
/* Signals are taken from a descriptor, one at a time, so that nothing here runs
 * inside a handler, and a pid is signalled only while it has not been reaped. */
#include "collector/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/launch/survivors.h"
#include "profile/base/kernel_file.h"

static void add_signals(sigset_t *set, const int *signals, size_t count)
{
	struct sigaction action;

	for (size_t i = 0; i < count; i++)
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(set, signals[i]);
}

void launch_ending_signals(sigset_t *set)
{
	static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

	sigemptyset(set);
	add_signals(set, ending, sizeof(ending) / sizeof(*ending));
}

static void signals_to_take(sigset_t *set)
{
	static const int users[] = {SIGUSR1, SIGUSR2};

	launch_ending_signals(set);
	sigaddset(set, SIGCHLD);
	add_signals(set, users, 2);
}

/* Two signals are libc's own: its sigaction refuses them, and a thread of ours makes it handle the
 * second, which exec would turn into the default. */
#define LIBC_SIGNAL 32

struct kernel_action {
	void (*handler)(int);
	unsigned long flags, restorer, mask;
};

/* What the first launch changes here is as scprof was given it for all commands. */
static const int changed[] = {SIGCHLD, SIGPIPE, SIGXFSZ, LIBC_SIGNAL, LIBC_SIGNAL + 1};
#define CHANGED (sizeof(changed) / sizeof(*changed))
static bool ignored[CHANGED];
static sigset_t given_mask;

__attribute__((constructor)) static void note_signals(void)
{
	struct kernel_action a;

	for (size_t i = 0; i < CHANGED; i++)
		ignored[i] =
			!syscall(SYS_rt_sigaction, changed[i], NULL, &a, 8) && a.handler == SIG_IGN;
	sigprocmask(SIG_SETMASK, NULL, &given_mask);
}

/* In the child, until exec. */
static void become(const char *path, char **argv, bool shell_fallback, int report)
{
	for (size_t i = 0; i < CHANGED; i++) {
		const struct kernel_action a = {.handler = ignored[i] ? SIG_IGN : SIG_DFL};

		syscall(SYS_rt_sigaction, changed[i], &a, NULL, 8);
	}
	sigprocmask(SIG_SETMASK, &given_mask, NULL);
	if (shell_fallback)
		execvp(path, argv);
	else
		execv(path, argv);
	int error = errno;
	TEMP_FAILURE_RETRY(write(report, &error, sizeof(error)));
	_exit(127);
}

/* In the child: waits until the parent says so; the parent may end before that. */
static void wait_for_word(const int go[2])
{
	char word;

	close(go[1]);
	if (TEMP_FAILURE_RETRY(read(go[0], &word, 1)) != 1)
		_exit(127);
}

static void give_word(const int go[2])
{
	TEMP_FAILURE_RETRY(write(go[1], "", 1));
	close(go[0]);
	close(go[1]);
}

static int forked(struct launch *l, const int report[2], bool *exec_failed)
{
	int error = 0;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	close(report[1]);
	ssize_t bytes = TEMP_FAILURE_RETRY(read(report[0], &error, sizeof(error)));
	close(report[0]);
	if (bytes != (ssize_t)sizeof(error)) /* it is another program now */
		return 0;
	waitpid(l->pid, NULL, 0);
	launch_close(l);
	*exec_failed = true;
	errno = error;
	return -1;
}

static int give_up(struct launch *l, const int report[2], const int go[2])
{
	int error = errno;

	for (int i = 0; i < 2; i++) {
		close(report[i]);
		close(go[i]);
	}
	launch_close(l);
	errno = error;
	return -1;
}

int launch_start_held(struct launch *l, const char *path, char **argv, bool shell_fallback,
		      int kept, bool *exec_failed, const struct launch_hold *hold)
{
	struct itimerval timer, none = {{0, 0}, {0, 0}};
	sigset_t take;
	int report[2] = {-1, -1}, go[2] = {-1, -1}, parent_death = 0;

	*exec_failed = false;
	l->ended_by = l->status = 0;
	l->process_start = l->ended_mono_ns = 0;
	signals_to_take(&take);
	if (kept)
		sigdelset(&take, kept);
	l->signals = signalfd(-1, &take, SFD_CLOEXEC);
	if (l->signals < 0)
		return -1;
	if (pipe2(report, O_CLOEXEC) || (hold && pipe2(go, O_CLOEXEC)))
		return give_up(l, report, go);
	/* where SIGCHLD is ignored, the kernel would reap the command unasked */
	signal(SIGCHLD, SIG_DFL);
	if (kept)
		sigaddset(&take, kept);
	sigprocmask(SIG_BLOCK, &take, NULL);
	prctl(PR_GET_PDEATHSIG, &parent_death);
	setitimer(ITIMER_REAL, &none, &timer); /* it is the command's, which exec would keep */
	l->pid = fork();
	if (l->pid < 0)
		return give_up(l, report, go);
	if (!l->pid) {
		setitimer(ITIMER_REAL, &timer, NULL);
		prctl(PR_SET_PDEATHSIG, parent_death);
		if (hold)
			wait_for_word(go);
		become(path, argv, shell_fallback, report[1]);
	}
	l->process_start = run_files_process_start(l->pid, NULL);
	l->newest = l->pid;
	if (hold) {
		hold->born(hold->context, l->pid);
		l->newest = survivors_newest();
		give_word(go);
	}
	return forked(l, report, exec_failed);
}

static bool has_ended(const struct launch *l)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)l->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid == l->pid;
}

bool launch_group_has(int number, int code)
{
	return code == SI_KERNEL && (number != SIGHUP || getsid(0) != getpid());
}

/* One signal, if one comes within `milliseconds`; -1: whenever it comes. What the command sends to
 * us is not meant for itself. Whether a process meant us alone or the group is not known: what it
 * sends is passed on. */
static bool take_signal(struct launch *l, int milliseconds)
{
	struct pollfd poll_signals = {.fd = l->signals, .events = POLLIN};
	struct signalfd_siginfo s;

	if (poll(&poll_signals, 1, milliseconds) <= 0 ||
	    read(l->signals, &s, sizeof(s)) != (ssize_t)sizeof(s))
		return false;
	if (s.ssi_signo == SIGINT || s.ssi_signo == SIGQUIT || s.ssi_signo == SIGTERM ||
	    s.ssi_signo == SIGHUP)
		l->ended_by = (int)s.ssi_signo;
	if (s.ssi_signo != SIGCHLD && !launch_group_has((int)s.ssi_signo, s.ssi_code) &&
	    s.ssi_pid != (uint32_t)l->pid)
		kill(l->pid, (int)s.ssi_signo);
	return true;
}

int launch_wait_watched(struct launch *l, const struct launch_watch *watch, struct rusage *usage)
{
	while (!has_ended(l)) {
		take_signal(l, watch ? watch->period_ms : -1);
		if (watch && watch->tick)
			watch->tick(watch->context);
	}
	l->ended_mono_ns = clocks_read_ns(CLOCK_MONOTONIC_RAW);
	/* what ended it came to us as well */
	while (take_signal(l, 0))
		continue;
	if (watch && watch->ended)
		watch->ended(watch->context, l->pid);
	TEMP_FAILURE_RETRY(wait4(l->pid, &l->status, 0, usage));
	return l->status;
}

int launch_exit_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void launch_close(struct launch *l)
{
	kernel_file_close(&l->signals);
}

void signal_wait_begin(struct signal_wait *e)
{
	launch_ending_signals(&e->set);
	sigprocmask(SIG_BLOCK, &e->set, &e->before);
}

int signal_wait_next(const struct signal_wait *e, int milliseconds)
{
	const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
	int got = sigtimedwait(&e->set, NULL, &time);

	return got > 0 ? got : 0;
}

void signal_wait_end(const struct signal_wait *e)
{
	sigprocmask(SIG_SETMASK, &e->before, NULL);
}

void signal_wait_raise(int signal_number)
{
	sigset_t one;

	signal(signal_number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, signal_number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(signal_number);
}
