// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel decides (__ptrace_may_access in kernel/ptrace.c, security/commoncap.c,
 * security/yama/yama_lsm.c), and says no more than EPERM. So it is asked first, by reading a byte
 * of the process, for which it makes the same checks; then its rules are gone through for the one
 * that said no. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/machine/kernel_file.h"
#include "collector/machine/proc_status.h"

#define CAN_TRACE 19 /* CAP_SYS_PTRACE */

/* Also where the kernel does not say. */
static bool same_place(pid_t pid, const char *name)
{
	char path[64], own[64];
	struct stat theirs, ours;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	snprintf(own, sizeof(own), "/proc/self/%s", name);
	return stat(path, &theirs) || stat(own, &ours) ||
	       (theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino);
}

void refusal_access_read(const struct refusal_process *p, struct refusal_access *a)
{
	char scope[16], path[64];
	struct stat owner;

	*a = (struct refusal_access){
		.tool_uid = geteuid(), .tool_gid = getegid(), .yama = -1, .dumpable = true};
	a->tool_capabilities = proc_status_number(PROC_STATUS_SELF, "CapEff", 16, 0);
	if (!kernel_file_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)))
		a->yama = atoi(scope);
	a->same_user_namespace = same_place(p->pid, "ns/user");
	/* The files of a process that is not dumpable are root's. */
	snprintf(path, sizeof(path), "/proc/%d/status", (int)p->pid);
	if (p->uid[1] && !stat(path, &owner))
		a->dumpable = owner.st_uid == p->uid[1];
}

static bool all_are(const uint32_t id[3], uint32_t wanted)
{
	return id[0] == wanted && id[1] == wanted && id[2] == wanted;
}

static int explain_yama(const struct refusal_process *p, const struct refusal_access *a,
			struct profile_error *err)
{
	if (a->yama >= 3)
		return refusal_say(
			p, err,
			"kernel.yama.ptrace_scope is 3: nobody may trace until the machine "
			"starts anew; " REFUSAL_DORMANT " instead");
	if (a->yama == 2)
		return refusal_say(p, err,
				   "kernel.yama.ptrace_scope is 2: run scprof as root (or with "
				   "CAP_SYS_PTRACE), or " REFUSAL_DORMANT);
	return refusal_say(p, err,
			   "kernel.yama.ptrace_scope is 1: run scprof as root (or with "
			   "CAP_SYS_PTRACE), or `sysctl kernel.yama.ptrace_scope=0`, "
			   "or " REFUSAL_DORMANT);
}

static int explain_root(const struct refusal_process *p, const struct refusal_access *a,
			struct profile_error *err)
{
	if (!a->same_user_namespace)
		return refusal_say(
			p, err,
			"it is in another user namespace, of which scprof is not root: run "
			"scprof in that one, or outside of both");
	return refusal_say(p, err,
			   "scprof runs as root without CAP_SYS_PTRACE, as in a container: give it "
			   "(docker run --cap-add=SYS_PTRACE; Kubernetes: securityContext."
			   "capabilities.add), or run scprof outside, or " REFUSAL_DORMANT);
}

static int explain_denied(const struct refusal_process *p, const struct refusal_access *a,
			  struct profile_error *err)
{
	bool root = !a->tool_uid;

	if (!all_are(p->uid, a->tool_uid))
		return root ? explain_root(p, a, err)
			    : refusal_say(p, err,
					  "it is user %u's and scprof runs as user %u: run scprof "
					  "as that user or as root",
					  (unsigned)p->uid[1], (unsigned)a->tool_uid);
	if (!all_are(p->gid, a->tool_gid))
		return root ? explain_root(p, a, err)
			    : refusal_say(
				      p, err,
				      "its group is %u and scprof's %u: run scprof in that group "
				      "(sg) or as root",
				      (unsigned)p->gid[1], (unsigned)a->tool_gid);
	if (!a->dumpable)
		return refusal_say(p, err,
				   "it is closed to its own user (setuid, or PR_SET_DUMPABLE): run "
				   "scprof as root");
	if (p->capabilities & ~a->tool_capabilities)
		return root ? explain_root(p, a, err)
			    : refusal_say(p, err,
					  "it has capabilities that scprof has not: run scprof as "
					  "root");
	if (a->yama > 0)
		return explain_yama(p, a, err);
	return refusal_say(
		p, err,
		"the kernel does not let scprof trace it (%s): look for AppArmor, SELinux "
		"or a seccomp filter on scprof, or " REFUSAL_DORMANT,
		strerror(a->error));
}

int refusal_access_explain(const struct refusal_process *p, const struct refusal_access *a,
			   struct profile_error *err)
{
	if (a->yama >= 3)
		return explain_yama(p, a, err);
	if (a->tool_capabilities >> CAN_TRACE & 1)
		return refusal_say(
			p, err,
			"the kernel does not let even scprof's CAP_SYS_PTRACE trace it "
			"(%s): run scprof outside of this container (user namespace), or "
			"look for AppArmor, SELinux or a seccomp filter on scprof",
			strerror(a->error));
	return explain_denied(p, a, err);
}

int refusal_access_try(const struct refusal_process *p, uint64_t address, struct profile_error *err)
{
	struct refusal_access a;
	char byte;
	struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)address, 1};

	if (process_vm_readv(p->pid, &to, 1, &from, 1, 0) == 1)
		return 0;
	int error = errno;
	if (error == EFAULT) /* it has unmapped that meanwhile: it was let in */
		return 0;
	refusal_access_read(p, &a);
	a.error = error;
	return refusal_access_explain(p, &a, err);
}
