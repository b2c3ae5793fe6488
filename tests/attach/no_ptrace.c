// SPDX-License-Identifier: GPL-3.0-or-later
/* no_ptrace COMMAND...: whoever looks into other processes by ptrace or the like is killed. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KILL_FOR(n)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (n), 0, 1),                                            \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		KILL_FOR(SYS_ptrace),
		KILL_FOR(SYS_process_vm_readv),
		KILL_FOR(SYS_process_vm_writev),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 99;
	execvp(argv[1], argv + 1);
	printf("%s: %s\n", argv[1], strerror(errno));
	return 99;
}
