// SPDX-License-Identifier: GPL-3.0-or-later
/* A process that is traced: its memory, its registers, and the call on borrowed ground. */
#include "collector/attach/remote/remote.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/base/error.h"
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
	char path[64];

	memset(r, 0, sizeof(*r));
	r->target = *t;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->pid);
	r->memory = open(path, O_RDWR | O_CLOEXEC);
	if (r->memory >= 0 && run_files_process_start(t->pid, NULL) == t->process_start)
		return 0;
	if (r->memory < 0 && errno != ENOENT)
		return error_set(err, "process %d: cannot open its memory: %s", (int)t->pid,
				 strerror(errno));
	return error_set(err, "process %d has ended", (int)t->pid);
}
