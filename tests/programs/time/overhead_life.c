// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: that the library measures its own cost at the start and at the end of a
 * process shows nowhere but in the measurement.
 *
 * Usage: overhead_life exit|quick|fork|timer|sandbox|no-tsc
 *   exit     100 calls of send, and an end by exit
 *   quick    the same, and _exit
 *   fork     a call here and a call in a child; both end by _exit
 *   timer    a handler calls send every 100 us, also while the exit handlers run
 *   sandbox  a filter kills for any system call but exit; then exit
 *   no-tsc   reading the counter is forbidden; then exit
 * All live long enough for a measurement at their end. */
#include "target.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define LIFE_NS 30000000
#define ALARMS	20

static volatile long *sends; /* shared with the parent */

static void call_send(void)
{
	int saved = errno;

	(*sends)++;
	send(-1, NULL, 0, 0);
	errno = saved;
}

static void live(void)
{
	struct timespec now, end;

	/* Until a time, not for one: interrupted often, what is left may never get less. */
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += LIFE_NS;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	do {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static void on_alarm(int sig)
{
	(void)sig;
	call_send();
}

/* From another process, so that nothing is missed however late a call comes. */
static void run_timer(void)
{
	struct itimerval often = {{0, 100}, {0, 100}};
	struct sigaction action = {.sa_handler = on_alarm};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		call_send();
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
		live();
		while (*sends < ALARMS) /* on a busy machine many of them are one */
			pause();
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		die("the child with the timer");
	expect_calls("send", *sends);
	_exit(0);
}

static void run_fork(void)
{
	int status;
	pid_t pid;

	call_send();
	pid = fork();
	if (pid == 0) {
		call_send();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		die("the child");
	expect_calls("send", 2);
	_exit(0);
}

static void shut_in(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		die("shutting in");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";

	sends = mmap(NULL, sizeof *sends, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (sends == MAP_FAILED)
		die("mmap");
	if (!strcmp(how, "timer"))
		run_timer();
	if (!strcmp(how, "fork"))
		run_fork();
	for (int i = 0; i < 100; i++)
		call_send();
	expect_calls("send", 100);
	live();
	if (!strcmp(how, "quick"))
		_exit(0);
	if (!strcmp(how, "sandbox"))
		shut_in();
	if (!strcmp(how, "no-tsc") && prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0)
		die("forbidding the counter");
	exit(0);
}
