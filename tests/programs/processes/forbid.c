// SPDX-License-Identifier: GPL-3.0-or-later
/* Becomes a command under a filter that refuses one system call, as sandboxes do:
 *   forbid affinity|scheduler|perf COMMAND...
 *   forbid probe      exits 0 where such filters can be set */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int forbid(unsigned int call)
{
	struct sock_filter rule[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rule) / sizeof(*rule), rule};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	unsigned int call = SYS_sched_setaffinity;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "scheduler"))
		call = SYS_sched_setscheduler;
	else if (!strcmp(argv[1], "perf"))
		call = SYS_perf_event_open;
	if (forbid(call))
		return 1;
	if (argc == 2)
		return 0;
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
