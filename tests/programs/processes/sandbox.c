// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a program that shuts itself in (seccomp) is not killed, nor refused
 * anything, for what the library does.
 *
 * Usage: sandbox strict|prctl-errno|prctl-kill|syscall-errno|syscall-kill warm|cold
 * The filters allow the calls that the program makes, and nothing more. Warm:
 * calls were made before; cold: the first call comes after. */
#include "target.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1),                                       \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int pair[2];

static void shut_in(int by_syscall, unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_sendto),
		ALLOW(SYS_recvfrom),
		ALLOW(SYS_exit_group),
		BPF_STMT(BPF_RET | BPF_K, action),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	long result;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("no_new_privs");
	if (by_syscall)
		result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	else
		result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	if (result < 0)
		die("installing the filter");
}

static void read_and_write(long times)
{
	char c = 'x';

	for (long i = 0; i < times; i++)
		if (write(pair[0], &c, 1) != 1 || read(pair[1], &c, 1) != 1)
			die("write and read");
}

NOINLINE static void read_and_write_below(int depth)
{
	if (depth > 0)
		read_and_write_below(depth - 1);
	else
		read_and_write(1);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "strict";
	int warm = argc > 2 && !strcmp(argv[2], "warm"), strict = !strcmp(how, "strict");

	make_pair(pair);
	/* Without a system call it may not be possible to tell a socket from a file. */
	expect_between("write", 0, 200, 0);
	expect_between("read", 0, 200, 0);
	if (!strict)
		expect_between("send", warm ? 10 : 0, 120, 0);
	if (warm) {
		read_and_write(10);
		exchange_times(pair, 10);
	}
	if (strict) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
			die("strict mode");
	} else {
		shut_in(!strncmp(how, "syscall", 7),
			strstr(how, "kill") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM);
	}
	for (int depth = 0; depth < 100; depth++)
		read_and_write_below(depth);
	if (!strict)
		for (int depth = 0; depth < 100; depth++)
			exchange_below(pair, depth);
	say("shut in and done\n");
	if (strict)
		syscall(SYS_exit, 3);
	exit(4);
}
