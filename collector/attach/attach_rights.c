// SPDX-License-Identifier: GPL-3.0-or-later
/* Executables of the process are parsed to find out where its threads stand, before any of them is
 * traced: a seized thread stops at each signal, and reading takes many milliseconds. So the user is
 * changed first, and only the right to trace is kept, where it is needed: the process may have
 * changed its user, or Yama is on. */
#include "collector/attach/attach_work.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/machine/kernel_file.h"
#include "profile/base/error.h"

#define CPU_SECONDS   60
#define ADDRESS_BYTES (8ull << 30)

static bool may_trace(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Its files in /proc are root's where it may not be dumped: to be read, with what may trace it. */
#define FOR_OTHERS (1u << CAP_SYS_PTRACE | 1u << CAP_DAC_READ_SEARCH)

static bool keep_only(uint32_t capabilities)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2] = {{capabilities, capabilities, 0}, {0, 0, 0}};

	return syscall(SYS_capset, &h, d) == 0;
}

static bool become(uid_t uid, gid_t gid, pid_t pid)
{
	return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
	       setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       (may_trace(pid) ? keep_only(0) : keep_only(FOR_OTHERS));
}

int attach_rights_drop(pid_t pid, struct profile_error *err)
{
	const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, core = {0, 0}, nice = {40, 40};
	uint64_t user[2], group[2];

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	setrlimit(RLIMIT_NICE, &nice); /* a thread that is stopped waits for us: later, be quick */
#ifndef __SANITIZE_ADDRESS__
	const struct rlimit space = {ADDRESS_BYTES, ADDRESS_BYTES};
	setrlimit(RLIMIT_AS, &space);
#endif
	if (geteuid() != 0)
		return 0;
	if (proc_status_numbers(pid, "Uid", 10, user, 2) != 2 ||
	    proc_status_numbers(pid, "Gid", 10, group, 2) != 2)
		return error_set(err, "process %d has ended", (int)pid);
	/* the effective ones; of a setuid program of root's those of who started it, who may run
	 * something else in the process at any moment */
	uid_t uid = (uid_t)(user[1] ? user[1] : user[0]);
	gid_t gid = (gid_t)(user[1] ? group[1] : group[0]);
	if (uid == 0 || become(uid, gid, pid))
		return 0;
	return error_set(err, "cannot become user %u of process %d: %s", (unsigned)uid, (int)pid,
			 strerror(errno));
}
