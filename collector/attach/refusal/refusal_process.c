// SPDX-License-Identifier: GPL-3.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/launch/elf_facts.h"
#include "profile/base/kernel_file.h"
#include "profile/base/proc_maps.h"
#include "profile/base/error.h"
#include "profile/base/given_file.h"

#define KERNEL_FLAG 0x00200000u /* PF_KTHREAD */

int refusal_say(const struct refusal_process *p, struct profile_error *err, const char *format, ...)
{
	error_set(err, "cannot attach to process %d (%s): ", (int)p->pid, p->name);
	size_t used = strlen(err->text);
	FORMAT_BY(error_format, err->text + used, sizeof(err->text) - used, format);
	return -1;
}

/* The name may hold anything, and must not break a line. */
static bool read_stat(pid_t pid, struct refusal_process *p)
{
	char text[PROC_STAT_BYTES];
	const char *state = pid > 0 ? proc_stat_read(pid, 0, text) : NULL,
		   *name = state ? strchr(text, '(') : NULL;

	*p = (struct refusal_process){.pid = pid};
	if (!name)
		return false;
	p->state = *state;
	p->parent = (pid_t)proc_stat_number(state, 4);
	p->kernel = proc_stat_number(state, 9) & KERNEL_FLAG;
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
		return error_set(err, "cannot attach to process %d: %s", (int)pid,
				 kill(pid, 0) && errno == EPERM
					 ? "it is another user's, and this /proc does not show "
					   "those (hidepid)"
					 : "there is none of that number here (pgrep NAME finds "
					   "numbers; in another pid namespace they differ)");
	p->tgid = (pid_t)proc_status_number(pid, "Tgid", 10, 0);
	p->tracer = (pid_t)proc_status_number(pid, "TracerPid", 10, 0);
	p->threads = (uint32_t)proc_status_number(pid, "Threads", 10, 0);
	p->seccomp = (int)proc_status_number(pid, "Seccomp", 10, 0);
	p->inner_pid = proc_inner_pid(pid);
	return 0;
}

int refusal_process_memory(const struct refusal_process *p, struct profile_error *err)
{
	if (p->parent <= 0 || syscall(SYS_kcmp, p->pid, p->parent, KCMP_VM, 0UL, 0UL) != 0)
		return 0;
	return refusal_say(p, err,
			   "it runs in the memory of process %d until it executes a "
			   "program (vfork): attach to that one, or try again later",
			   (int)p->parent);
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

/* The kernel decides (__ptrace_may_access in kernel/ptrace.c, security/commoncap.c,
 * security/yama/yama_lsm.c), and says no more than EPERM. So it is asked first, by reading a byte
 * of the process, for which it makes the same checks; then the likely reason is told. */

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

	if (a->error == ESRCH || a->error == ENOENT)
		return refusal_say(p, err, "it has ended just now");
	while (!reasons[i].is)
		i++;
	return refusal_say(p, err, "the kernel does not let scprof trace it (%s): %s",
			   strerror(a->error), reasons[i].text);
}

int refusal_access_try(const struct refusal_process *p, uint64_t address, struct profile_error *err)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)address, 1};

	/* EFAULT: it has unmapped that meanwhile: scprof was let in */
	if (process_vm_readv(p->pid, &to, 1, &from, 1, 0) == 1 || errno == EFAULT)
		return 0;
	struct refusal_access a = refusal_access_read(errno);
	return refusal_access_explain(p, &a, err);
}

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif
#define MOST_SYMBOLS 1000000

/* Names in it are the process's own to choose: they decide what is said, and no file is opened by
 * them but below the process's root and with its owner's rights. */
void refusal_program_parse_maps(FILE *maps, struct refusal_maps *m)
{
	struct proc_mapping p;

	*m = (struct refusal_maps){0};
	while (proc_maps_next(maps, &p)) {
		if (!m->readable && p.readable)
			m->readable = p.start;
		const char *name = *p.path == '/' ? basename(p.path) : "";
		if ((!strcmp(name, "libc.so.6") || !fnmatch("libc-2.*", name, 0)) && !p.offset &&
		    !m->libc)
			m->libc = p.start;
		else if (!strcmp(name, "libscprof.so"))
			m->preloaded = true;
	}
}

int refusal_program_read_maps(pid_t pid, struct refusal_maps *m)
{
	FILE *maps = proc_maps_open(pid);

	*m = (struct refusal_maps){0};
	if (!maps)
		return -1;
	refusal_program_parse_maps(maps, m);
	int failed = ferror(maps) ? -1 : 0;
	fclose(maps);
	return failed;
}

/* clang links its sanitizers into the program, gcc's are libraries: both names are dynamic. */
static bool is_sanitized(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	bool found = false;

	while (!found && (section = elf_nextscn(elf, section))) {
		Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM
					 ? elf_getdata(section, NULL)
					 : NULL;

		for (int i = 0; !found && i < MOST_SYMBOLS && data && gelf_getsym(data, i, &symbol);
		     i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			found = name && !fnmatch("__*san_init", name, 0);
		}
	}
	return found;
}

/* Why the executable's file speaks against it; NULL: it does not. */
static const char *judge_file(pid_t pid)
{
	const char *why = NULL;
	GElf_Ehdr header;
	struct elf_facts facts;
	int fd = kernel_file_fd(O_RDONLY | O_NONBLOCK | O_NOCTTY, "/proc/%d/exe", (int)pid);
	Elf *elf = fd >= 0 && elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

	if (elf && gelf_getehdr(elf, &header)) {
		if (header.e_machine != MACHINE || header.e_ident[EI_CLASS] != ELFCLASS64)
			why = "it is a 32-bit program, or of another architecture: use a scprof "
			      "that was built for that";
		else if (is_sanitized(elf))
			why = "it was built with a sanitizer, which watches the same functions: "
			      "attach to a build without";
		else if (!elf_facts_read(fd, &facts) && elf_facts_is_musl(facts.interpreter))
			why = "its C library is musl, which opens no library with static "
			      "thread-local storage once the program runs: " REFUSAL_DORMANT
			      ", or use `scprof run`";
	}
	elf_end(elf);
	kernel_file_close(&fd);
	return why;
}

enum refusal_program refusal_program_judge(const struct refusal_process *p,
					   const struct refusal_maps *m, const char *exe,
					   struct profile_error *err)
{
	/* other programs than these run by their own threads, qemu-system among them */
	static const char *const emulators[] = {
		"*/valgrind/*",	     "*/qemu-x86_64*", "*/qemu-i386*",	"*/qemu-aarch64*",
		"*/qemu-arm*",	     "*/qemu-riscv*",  "*/qemu-ppc*",	"*/qemu-s390*",
		"*/qemu-mips*",	     "*/qemu-sparc*",  "*/qemu-loong*", "*/rosetta*",
		"*/FEXInterpreter*", "*/box64*"};
	const char *why = NULL;

	for (size_t i = 0; i < sizeof(emulators) / sizeof(*emulators); i++)
		if (!fnmatch(emulators[i], exe, 0))
			why = "it runs in an emulator, whose threads are not the program's: "
			      "start it without, or use `scprof run` inside";
	why = why ? why : judge_file(p->pid);
	if (!why && m->libc)
		return REFUSAL_PROGRAM_FINE;
	refusal_say(p, err, "%s",
		    why ? why
			: "it has no glibc (libc.so.6): it is a static program, uses another libc "
			  "(musl), or is being executed just now: link it with glibc, dynamically, "
			  "or try again later");
	return why ? REFUSAL_PROGRAM_REFUSED : REFUSAL_PROGRAM_LOADING;
}
