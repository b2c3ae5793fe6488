// SPDX-License-Identifier: GPL-3.0-or-later
#include <inttypes.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/machine/kernel_file.h"
#include "profile/base/error.h"
#include "profile/base/proc_stat.h"

#define STATUS_BYTES 16384
#define KERNEL_FLAG  0x00200000u /* PF_KTHREAD */

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

/* The text behind "\nNAME:" and its blanks; "" where there is none. The process's name cannot hold
 * a newline: the kernel writes it as \n. */
static const char *field(const char *status, const char *name)
{
	char wanted[40];
	const char *at;

	snprintf(wanted, sizeof(wanted), "\n%s:", name);
	at = strstr(status, wanted);
	return at ? at + strlen(wanted) + strspn(at + strlen(wanted), " \t") : "";
}

static long number(const char *status, const char *name)
{
	return strtol(field(status, name), NULL, 10);
}

static void parse_ids(const char *at, uint32_t id[3])
{
	unsigned long real = 0, effective = 0, saved = 0;

	sscanf(at, "%lu %lu %lu", &real, &effective, &saved);
	id[0] = (uint32_t)real;
	id[1] = (uint32_t)effective;
	id[2] = (uint32_t)saved;
}

static void parse_owner(const char *status, struct refusal_process *p)
{
	const char *at = field(status, "Groups");
	char *end;

	p->owner.uid = p->uid[1];
	p->owner.gid = p->gid[1];
	while (p->owner.groups < AS_USER_GROUPS && *at && *at != '\n') {
		unsigned long group = strtoul(at, &end, 10);

		if (end == at)
			break;
		p->owner.group[p->owner.groups++] = (gid_t)group;
		at = end + strspn(end, " \t");
	}
}

/* The last of NSpid's numbers is the innermost. */
static pid_t parse_inner(const char *at, pid_t outer)
{
	long pid = outer;
	char *end;

	while (*at && *at != '\n') {
		long next = strtol(at, &end, 10);

		if (end == at)
			break;
		pid = next;
		at = end + strspn(end, " \t");
	}
	return (pid_t)pid;
}

bool refusal_process_parse(const char *status, struct refusal_process *p)
{
	const char *features = field(status, "x86_Thread_features");
	const char *shadow = strstr(features, "shstk"), *end = strchr(features, '\n');

	if (strncmp(status, "Name:\t", 6))
		return false;
	*p = (struct refusal_process){.state = *field(status, "State")};
	snprintf(p->name, sizeof(p->name), "%.*s", (int)strcspn(status + 6, "\n"), status + 6);
	p->pid = (pid_t)number(status, "Pid");
	p->tgid = (pid_t)number(status, "Tgid");
	p->parent = (pid_t)number(status, "PPid");
	p->tracer = (pid_t)number(status, "TracerPid");
	p->inner_pid = parse_inner(field(status, "NSpid"), p->pid);
	parse_ids(field(status, "Uid"), p->uid);
	parse_ids(field(status, "Gid"), p->gid);
	parse_owner(status, p);
	p->threads = (uint32_t)number(status, "Threads");
	p->capabilities = strtoull(field(status, "CapPrm"), NULL, 16);
	p->seccomp = (int)number(status, "Seccomp");
	p->kernel = number(status, "Kthread") == 1;
	p->shadow_stack = shadow && (!end || shadow < end);
	return p->pid > 0;
}

/* Kernels before 6.8 have no line Kthread. */
static bool has_kernel_flag(pid_t pid)
{
	char text[PROC_STAT_BYTES];
	unsigned flags = 0;
	const char *state = proc_stat_read(pid, 0, text);

	return state && sscanf(state, "%*c %*s %*s %*s %*s %*s %u", &flags) == 1 &&
	       flags & KERNEL_FLAG;
}

int refusal_process_read(pid_t pid, struct refusal_process *p, struct profile_error *err)
{
	char path[64], status[STATUS_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (pid <= 0 || kernel_file_text(path, status, sizeof(status)) ||
	    !refusal_process_parse(status, p)) {
		error_set(err,
			  "cannot attach to process %d: there is none of that number here (pgrep "
			  "NAME finds numbers; in another pid namespace they differ)",
			  (int)pid);
		return -1;
	}
	p->kernel = p->kernel || has_kernel_flag(pid);
	return 0;
}

static int say_traced(const struct refusal_process *p, struct profile_error *err)
{
	char path[64], name[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)p->tracer);
	if (kernel_file_line(path, name, sizeof(name)))
		snprintf(name, sizeof(name), "?");
	return refusal_say(p, err,
			   "%s (process %d) traces it already, and a process has one tracer: end "
			   "that one, then try again",
			   name, (int)p->tracer);
}

/* A child of vfork runs in its parent's memory until it execs. */
static bool shares_memory(pid_t a, pid_t b)
{
	return syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL) == 0;
}

static bool waits_for_vfork(const struct refusal_process *p)
{
	char path[96], children[1024];
	char *at = children, *end;
	bool shares = false;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)p->pid, (int)p->pid);
	if (p->state != 'D' || p->threads != 1 ||
	    kernel_file_line(path, children, sizeof(children)))
		return false;
	for (long child; !shares && (child = strtol(at, &end, 10)) > 0 && end != at; at = end)
		shares = shares_memory(p->pid, (pid_t)child);
	return shares;
}

int refusal_process_memory(const struct refusal_process *p, struct profile_error *err)
{
	if (p->parent > 0 && shares_memory(p->pid, p->parent))
		return refusal_say(
			p, err,
			"it runs in the memory of process %d until it executes a program "
			"(vfork): attach to that one, or try again later",
			(int)p->parent);
	if (waits_for_vfork(p))
		return refusal_say(p, err,
				   "it waits until a child that it began by vfork executes a "
				   "program: try again later");
	return 0;
}

static int judge_tracing(const struct refusal_process *p, struct profile_error *err)
{
	if (p->tracer)
		return say_traced(p, err);
	if (p->state == 'T' || p->state == 't')
		return refusal_say(p, err, "it is stopped: let it go on (kill -CONT %d) first",
				   (int)p->pid);
	if (p->shadow_stack)
		return refusal_say(
			p, err,
			"it uses a shadow stack, which a borrowed thread cannot keep "
			"right: start it with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off, or "
			"use `scprof run`");
	if (p->seccomp == SECCOMP_MODE_STRICT)
		return refusal_say(p, err,
				   "strict seccomp mode kills it for all that recording needs: "
				   "nothing can be done but to run it without");
	return 0;
}

static int say_ended(const struct refusal_process *p, struct profile_error *err)
{
	if (p->threads > 1)
		return refusal_say(p, err,
				   "its first thread has ended, and the kernel shows no memory of "
				   "such a process: use `scprof run`");
	return refusal_say(p, err,
			   "it has ended, and its parent (process %d) has not asked how: there is "
			   "nothing to record",
			   (int)p->parent);
}

int refusal_process_judge(const struct refusal_process *p, pid_t tool, bool by_ptrace,
			  struct profile_error *err)
{
	if (p->tgid != p->pid)
		return refusal_say(p, err, "it is a thread of process %d: attach to that",
				   (int)p->tgid);
	if (p->kernel)
		return refusal_say(p, err,
				   "it is a thread of the kernel, where no program runs: perf "
				   "records those");
	if (p->state == 'Z' || p->state == 'X' || p->state == 'x')
		return say_ended(p, err);
	if (p->pid == tool)
		return refusal_say(p, err,
				   "it is scprof itself: `scprof run scprof ...` records that");
	return by_ptrace ? judge_tracing(p, err) : 0;
}
