// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel decides (__ptrace_may_access in kernel/ptrace.c, security/commoncap.c,
 * security/yama/yama_lsm.c), and says no more than EPERM. So it is asked first, by reading a byte
 * of the process, for which it makes the same checks; then the likely reason is told. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/machine/kernel_file.h"

struct refusal_access refusal_access_read(int error)
{
	struct refusal_access a = {.tool_uid = geteuid(), .error = error};
	char scope[16];

	a.may_trace = proc_status_number(PROC_STATUS_SELF, "CapEff", 16, 0) >> CAP_SYS_PTRACE & 1;
	if (!kernel_file_line(scope, sizeof(scope), "/proc/sys/kernel/yama/ptrace_scope"))
		a.yama = atoi(scope);
	return a;
}

int refusal_access_explain(const struct refusal_process *p, const struct refusal_access *a,
			   struct profile_error *err)
{
	const struct {
		bool is;
		const char *text;
	} reasons[] = {
		{a->yama >= 3, "kernel.yama.ptrace_scope is 3, and nobody may trace until the "
			       "machine starts anew: " REFUSAL_DORMANT},
		{a->may_trace,
		 "not even scprof's CAP_SYS_PTRACE is enough: run scprof outside of this container "
		 "(user namespace), or look for AppArmor, SELinux or a seccomp filter on scprof"},
		{!a->tool_uid,
		 "scprof runs as root without CAP_SYS_PTRACE, as in a container: give it (docker "
		 "run --cap-add=SYS_PTRACE; Kubernetes: securityContext.capabilities.add), or run "
		 "scprof outside, or " REFUSAL_DORMANT},
		{p->owner.uid != a->tool_uid,
		 "it is another user's: run scprof as that user or as root"},
		{a->yama > 0,
		 "kernel.yama.ptrace_scope forbids it: run scprof as root (or with "
		 "CAP_SYS_PTRACE), or `sysctl kernel.yama.ptrace_scope=0`, or " REFUSAL_DORMANT},
		{true, "it is closed to its own user (setuid, capabilities, another group, "
		       "PR_SET_DUMPABLE), or AppArmor, SELinux or a seccomp filter on scprof "
		       "forbids it: run scprof as root, or " REFUSAL_DORMANT},
	};
	size_t i = 0;

	while (!reasons[i].is)
		i++;
	return refusal_say(p, err, "the kernel does not let scprof trace it (%s): %s",
			   strerror(a->error), reasons[i].text);
}

int refusal_access_try(const struct refusal_process *p, uint64_t address, struct profile_error *err)
{
	struct refusal_access a;
	char byte;
	struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)address, 1};

	/* EFAULT: it has unmapped that meanwhile: scprof was let in */
	if (process_vm_readv(p->pid, &to, 1, &from, 1, 0) == 1 || errno == EFAULT)
		return 0;
	a = refusal_access_read(errno);
	return refusal_access_explain(p, &a, err);
}
