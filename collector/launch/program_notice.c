// SPDX-License-Identifier: GPL-3.0-or-later
/* One to three lines each, so that somebody who gets an empty report knows
 * before the run, not after it. */
#include "collector/launch/program_notice.h"

#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

static const char *machine_name(const struct elf_facts *facts)
{
	switch (facts->machine) {
	case EM_X86_64:
		return facts->class == ELFCLASS32 ? "x32" : "x86-64";
	case EM_386:
		return "32-bit x86";
	case EM_AARCH64:
		return "AArch64";
	case EM_ARM:
		return "32-bit Arm";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "PowerPC 64";
	case EM_S390:
		return "S/390";
	default:
		return "another architecture";
	}
}

/* Names are the user's bytes: no control character of theirs (a #! line that
 * ends in a carriage return) may reach the terminal. */
static void tame(char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\n') || *text == 127)
			*text = '?';
}

void program_notice_missing(const char *typed, struct program *p, int error)
{
	char command[PATH_MAX];
	char *to = p->notice;
	size_t size = sizeof(p->notice);

	/* only newlines of ours may end a line */
	snprintf(command, sizeof(command), "%s", typed);
	for (char *at = command; (at = strchr(at, '\n')); at++)
		*at = '?';
	if (p->kind == PROGRAM_DIRECTORY)
		snprintf(to, size, "%.600s is a directory, not a command", p->path);
	else if (p->kind == PROGRAM_NOT_EXECUTABLE)
		snprintf(to, size,
			 "%.300s cannot be executed: permission denied.\n"
			 "If it is meant to be a program: chmod +x %.300s",
			 p->path, p->path);
	else if (strchr(command, '/'))
		snprintf(to, size, "%.600s: %s", command, strerror(error));
	else
		snprintf(to, size,
			 "%.300s: command not found in PATH.\n"
			 "Shell built-ins and aliases need a shell: scprof run sh -c '%.300s ...'",
			 command, command);
	tame(p->notice);
}

static void notice_no_loader(struct program *p, const char *runner, const struct elf_facts *facts)
{
	if (*facts->interpreter)
		snprintf(p->notice, sizeof(p->notice),
			 "%.250s exists, but the loader that it asks for, %s, does not.\n"
			 "It was built for another system or C library; install that loader, or "
			 "build it here.",
			 runner, facts->interpreter);
	else
		snprintf(p->notice, sizeof(p->notice),
			 "%.250s exists, but its first line asks for the interpreter %.250s, which "
			 "does not.\nCorrect the #! line (a carriage return at its end counts as "
			 "part of the name).",
			 p->path, runner);
}

/* What kind of file, why it is a problem, what can be done: %s is the machine
 * or the loader where there is one. */
static const char *text_of(enum program_kind kind)
{
	switch (kind) {
	case PROGRAM_ASAN:
		return "is built with AddressSanitizer: %s is preloaded before scprof,\n"
		       "here and in the programs that it starts.";
	case PROGRAM_STATIC:
		return "is linked statically: no loader reads LD_PRELOAD, so scprof cannot see\n"
		       "its calls. Link it dynamically to measure it; programs that it starts "
		       "are measured.";
	case PROGRAM_GO:
		return "is a Go program: it makes its system calls itself, not through the C\n"
		       "library, so scprof sees at most what its C parts (cgo) call.";
	case PROGRAM_OTHER_LIBC:
		return "uses the loader %s, not glibc's: libscprof.so\n"
		       "cannot be loaded there. It runs unobserved; build it for glibc to "
		       "measure it.";
	case PROGRAM_FOREIGN:
		return "is a program for %s: libscprof.so cannot be loaded there.\n"
		       "It runs unobserved, if it runs at all; use an scprof built for it.";
	case PROGRAM_SECURE:
		return "gains privileges when it starts (setuid, setgid or capabilities), so the\n"
		       "loader ignores LD_PRELOAD. Run scprof as the user it changes to, or "
		       "measure a copy without them.";
	case PROGRAM_UNREADABLE:
		return "cannot be read, so scprof cannot tell whether it can be measured.";
	case PROGRAM_UNKNOWN:
		return "is neither an intact ELF program nor a script.\n"
		       "Whether it runs is for the kernel to say.";
	default:
		return NULL;
	}
}

void program_notice_found(struct program *p, const char *runner, const struct elf_facts *facts)
{
	char what[600];
	const char *detail = facts->interpreter, *text = text_of(p->kind);

	if (p->kind == PROGRAM_NO_LOADER) {
		notice_no_loader(p, runner, facts);
		tame(p->notice);
	}
	if (!text)
		return;
	if (p->kind == PROGRAM_FOREIGN)
		detail = machine_name(facts);
	else if (p->kind == PROGRAM_ASAN)
		detail = facts->asan;
	const char *hole = strstr(text, "%s");
	if (hole)
		snprintf(what, sizeof(what), "%.*s%s%s", (int)(hole - text), text, detail,
			 hole + 2);
	else
		snprintf(what, sizeof(what), "%s", text);
	if (strcmp(p->path, runner))
		snprintf(p->notice, sizeof(p->notice), "%.200s is run by %.200s, which\n%.300s",
			 p->path, runner, what);
	else
		snprintf(p->notice, sizeof(p->notice), "%.400s %.300s", p->path, what);
	tame(p->notice);
}
