// SPDX-License-Identifier: GPL-3.0-or-later
/* Claims, one a mode:
 * tsc        a thread that forbids itself the time-stamp counter may end;
 * tsc-raw    the same, by syscall(), and it makes a call, too;
 * exec       a forked child whose exec failed is recorded like any other;
 * sandbox    a forked child of a sandboxed process makes no system call of ours. */
#include "target.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int fd[2];

static void *forbid(void *unused)
{
	exchange_times(fd, 10);
	say("forbidden: %d\n", prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
	return unused;
}

static void *forbid_raw(void *unused)
{
	exchange_times(fd, 10);
	say("forbidden: %ld\n", syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
	exchange(fd);
	return unused;
}

static void tsc(void *(*forbids)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, forbids, NULL))
		die("pthread_create");
	pthread_join(thread, NULL);
	expect_exchanges(10);
}

static void report_child(pid_t child)
{
	int status = 0;

	if (child < 0 || waitpid(child, &status, 0) != child)
		die("fork or waitpid");
	say("child: %#x\n", status);
}

static void exec(void)
{
	char name[] = "/nonexistent/program", *argv[] = {name, NULL};
	pid_t child = fork();

	if (child == 0) {
		say("exec: %d", execv(name, argv));
		say(" %d\n", errno);
		say("exec: %d", execvp(name, argv));
		say(" %d\n", errno);
		exchange_times(fd, 100);
		expect_exchanges(100);
		exit(0);
	}
	report_child(child);
}

#define ALLOW(n)                                                                                   \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void sandbox(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_sendto),
		ALLOW(SYS_recvfrom),
		ALLOW(SYS_write),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_clone),
		ALLOW(SYS_wait4),
		ALLOW(SYS_set_robust_list),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_gettid),
		ALLOW(SYS_rseq),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	struct sock_fprog filter = {sizeof code / sizeof *code, code};
	pid_t child;

	exchange_times(fd, 10);
	expect_between("send", 0, 12, 0);
	expect_between("recv", 0, 12, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
		die("prctl");
	child = fork();
	if (child == 0) {
		exchange(fd);
		_exit(7);
	}
	report_child(child);
	exchange(fd);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	make_pair(fd);
	if (!strcmp(mode, "tsc"))
		tsc(forbid);
	else if (!strcmp(mode, "tsc-raw"))
		tsc(forbid_raw);
	else if (!strcmp(mode, "exec"))
		exec();
	else if (!strcmp(mode, "sandbox"))
		sandbox();
	return 0;
}
