// SPDX-License-Identifier: GPL-3.0-or-later
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/attach/target/wake.h"
#include "collector/machine/kernel_file.h"
#include "profile/base/error.h"
#include "profile/base/proc_stat.h"

#define KERNEL_FLAG 0x00200000u /* PF_KTHREAD */

int refusal_say(const struct refusal_process *p, struct profile_error *err, const char *format, ...)
{
	va_list arguments;
	size_t used;

	error_set(err, "cannot attach to process %d (%s): ", (int)p->pid, p->name);
	used = strlen(err->text);
	va_start(arguments, format);
	error_format(err->text + used, sizeof(err->text) - used, format, arguments);
	va_end(arguments);
	return -1;
}

/* The name may hold anything, and must not break a line. */
static bool read_stat(pid_t pid, struct refusal_process *p)
{
	char text[PROC_STAT_BYTES];
	const char *state = pid > 0 ? proc_stat_read(pid, 0, text) : NULL,
		   *name = state ? strchr(text, '(') : NULL;
	unsigned flags = 0;
	int parent = 0;

	*p = (struct refusal_process){.pid = pid};
	if (!name || sscanf(state, "%c %d %*s %*s %*s %*s %u", &p->state, &parent, &flags) != 3)
		return false;
	p->parent = parent;
	p->kernel = flags & KERNEL_FLAG;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(state - 2 - (name + 1)), name + 1);
	for (char *c = p->name; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	return true;
}

static bool read_owner(pid_t pid, struct as_user *owner)
{
	uint64_t user[2], group[2], others[AS_USER_GROUPS];

	if (proc_status_numbers(pid, "Uid", 10, user, 2) != 2 ||
	    proc_status_numbers(pid, "Gid", 10, group, 2) != 2)
		return false;
	owner->uid = (uid_t)user[1];
	owner->gid = (gid_t)group[1];
	owner->groups = proc_status_numbers(pid, "Groups", 10, others, AS_USER_GROUPS);
	for (int i = 0; i < owner->groups; i++)
		owner->group[i] = (gid_t)others[i];
	return owner->groups >= 0;
}

int refusal_process_read(pid_t pid, struct refusal_process *p, struct profile_error *err)
{
	if (!read_stat(pid, p) || !read_owner(pid, &p->owner))
		return error_set(err,
				 "cannot attach to process %d: there is none of that number here "
				 "(pgrep NAME finds numbers; in another pid namespace they differ)",
				 (int)pid);
	p->tgid = (pid_t)proc_status_number(pid, "Tgid", 10, 0);
	p->tracer = (pid_t)proc_status_number(pid, "TracerPid", 10, 0);
	p->threads = (uint32_t)proc_status_number(pid, "Threads", 10, 0);
	p->seccomp = (int)proc_status_number(pid, "Seccomp", 10, 0);
	p->inner_pid = wake_inner_pid(pid);
	return 0;
}

/* A child of vfork runs in its parent's memory until it execs. */
static bool shares_memory(pid_t a, pid_t b)
{
	return syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL) == 0;
}

static bool waits_for_vfork(const struct refusal_process *p)
{
	char children[1024], *at = children, *end;
	bool shares = false;

	if (p->state != 'D' || p->threads != 1 ||
	    kernel_file_line(children, sizeof(children), "/proc/%d/task/%d/children", (int)p->pid,
			     (int)p->pid))
		return false;
	for (long child; !shares && (child = strtol(at, &end, 10)) > 0 && end != at; at = end)
		shares = shares_memory(p->pid, (pid_t)child);
	return shares;
}

int refusal_process_memory(const struct refusal_process *p, struct profile_error *err)
{
	if (p->parent > 0 && shares_memory(p->pid, p->parent))
		return refusal_say(p, err,
				   "it runs in the memory of process %d until it executes a "
				   "program (vfork): attach to that one, or try again later",
				   (int)p->parent);
	if (waits_for_vfork(p))
		return refusal_say(p, err,
				   "it waits until a child that it began by vfork executes a "
				   "program: try again later");
	return 0;
}

int refusal_process_judge(const struct refusal_process *p, pid_t tool, bool by_ptrace,
			  struct profile_error *err)
{
	const bool ended = p->state == 'Z' || p->state == 'X';
	const struct {
		bool is;
		pid_t process; /* that is named; 0: none */
		const char *text;
	} reasons[] = {
		{p->tgid != p->pid, p->tgid, "it is a thread of a process: attach to that"},
		{p->kernel, 0,
		 "it is a thread of the kernel, where no program runs: perf records those"},
		{ended && p->threads > 1, 0,
		 "its first thread has ended, and the kernel shows no memory of such a process: "
		 "use `scprof run`"},
		{ended, 0, "it has ended: there is nothing to record"},
		{p->pid == tool, 0, "it is scprof itself: `scprof run scprof ...` records that"},
		{by_ptrace && p->tracer, p->tracer,
		 "another process traces it, and a process has one tracer: end that one, then try "
		 "again"},
		{by_ptrace && (p->state == 'T' || p->state == 't'), p->pid,
		 "it is stopped: let it go on (kill -CONT) first"},
		{by_ptrace && p->seccomp == SECCOMP_MODE_STRICT, 0,
		 "strict seccomp mode kills it for all that recording needs: run it without"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].is && reasons[i].process)
			return refusal_say(p, err, "%s (process %d)", reasons[i].text,
					   (int)reasons[i].process);
		else if (reasons[i].is)
			return refusal_say(p, err, "%s", reasons[i].text);
	return 0;
}
