// SPDX-License-Identifier: GPL-3.0-or-later
/* From a command's name to one verdict and one notice. The loader and the
 * kernel never say that they ignored LD_PRELOAD; scprof has to say it for them. */
#include "collector/launch/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "collector/launch/elf_facts.h"
#include "profile/base/given_file.h"

#define SCRIPT_DEPTH 5 /* as the kernel: five files and no more */
#define HEAD_BYTES   512

/* Would exec of this file set AT_SECURE? Kernel: cap_bprm_creds_from_file. */
static bool is_secure(int fd, const struct stat *st)
{
	uint32_t cap[6] = {0}; /* struct vfs_cap_data, little-endian: magic_etc, permitted, ... */
	struct statvfs fs;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) == 1 ||
	    (!fstatvfs(fd, &fs) && (fs.f_flag & ST_NOSUID)))
		return false;
	if ((st->st_mode & S_ISUID) && st->st_uid != getuid())
		return true;
	if ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != getgid())
		return true;
	/* capabilities are nothing new to root */
	return getuid() && fgetxattr(fd, "security.capability", cap, sizeof(cap)) >= 12 &&
	       ((cap[0] & 1u) || cap[1] || cap[3]);
}

/* The linker puts it at the head of this very program. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static enum program_kind elf_kind_of(int fd, const struct stat *st, const struct elf_facts *facts)
{
	if (facts->machine != __ehdr_start.e_machine ||
	    facts->class != __ehdr_start.e_ident[EI_CLASS])
		return PROGRAM_FOREIGN;
	if (*facts->interpreter && access(facts->interpreter, F_OK))
		return PROGRAM_NO_LOADER;
	if (is_secure(fd, st))
		return PROGRAM_SECURE;
	if (facts->is_go)
		return PROGRAM_GO;
	if (facts->is_static)
		return PROGRAM_STATIC;
	if (*facts->interpreter && !elf_facts_is_loader(facts->interpreter) &&
	    !elf_facts_is_musl(facts->interpreter))
		return PROGRAM_OTHER_LIBC;
	return *facts->asan ? PROGRAM_ASAN : PROGRAM_DYNAMIC;
}

/* What follows from one file: a verdict, or the next file to look at. */
struct step {
	enum program_kind kind;
	bool is_script; /* next[0], then next[1] if set, are what runs it */
	bool no_shebang;
	char next[2][PATH_MAX];
	struct elf_facts facts;
};

static void step_file(int fd, const struct stat *st, struct step *step)
{
	char head[HEAD_BYTES];
	struct shebang line;
	ssize_t bytes = pread(fd, head, sizeof(head), 0);

	if (bytes < 0)
		step->kind = PROGRAM_UNREADABLE;
	else if (bytes >= SELFMAG && !memcmp(head, ELFMAG, SELFMAG))
		step->kind = elf_facts_read(fd, &step->facts) ? PROGRAM_UNKNOWN
							      : elf_kind_of(fd, st, &step->facts);
	else if (program_find_shebang(head, (size_t)bytes, &line)) {
		step->is_script = true;
		snprintf(step->next[0], sizeof(step->next[0]), "%s", line.interpreter);
		/* what env cannot find, env itself will complain about */
		if (*line.program &&
		    program_find(line.program, step->next[1], sizeof(step->next[1])))
			step->next[1][0] = '\0';
	} else if (memchr(head, '\0', (size_t)bytes < 128 ? (size_t)bytes : 128))
		step->kind = PROGRAM_UNKNOWN; /* binary, as shells judge it */
	else {
		step->is_script = step->no_shebang = true;
		snprintf(step->next[0], sizeof(step->next[0]), "/bin/sh");
	}
}

static void step_take(const char *path, struct step *step)
{
	struct stat st;

	*step = (struct step){.kind = PROGRAM_UNREADABLE};
	int fd = given_file_open(path, 0, &st, NULL);
	if (fd < 0) {
		if (errno == ENOENT)
			step->kind = PROGRAM_NO_LOADER;
		return;
	}
	step_file(fd, &st, step);
	close(fd);
}

/* Follows `path` to what runs it; `runner` gets the file that decided. */
static enum program_kind follow(const char *path, struct program *p, struct elf_facts *facts,
				char *runner, int depth)
{
	struct step step;

	step_take(path, &step);
	snprintf(runner, PATH_MAX, "%s", path);
	*facts = step.facts;
	if (!step.is_script)
		return step.kind;
	if (depth >= SCRIPT_DEPTH)
		return PROGRAM_UNKNOWN;
	if (step.no_shebang && depth == 1)
		p->shell_fallback = true;
	enum program_kind kind = follow(step.next[0], p, facts, runner, depth + 1);
	if ((kind == PROGRAM_DYNAMIC || kind == PROGRAM_ASAN) && *step.next[1])
		kind = follow(step.next[1], p, facts, runner, depth + 1);
	return kind;
}

/* Names are the user's bytes: no control character of theirs (a #! line that
 * ends in a carriage return) may reach the terminal. */
static void tame(char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\n') || *text == 127)
			*text = '?';
}

/* Fill p->notice for a command that was not found or may not be executed. */
static void notice_missing(const char *typed, struct program *p, int error)
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

/* What kind of file, why it is a problem, what can be done: %s is the loader, or the library to be
 * preloaded, where there is one. */
static const char *const texts[] = {
	[PROGRAM_ASAN] = "is built with AddressSanitizer: %s is preloaded before scprof,\n"
			 "here and in the programs that it starts.",
	[PROGRAM_STATIC] =
		"is linked statically: no loader reads LD_PRELOAD, so scprof cannot see\n"
		"its calls. Link it dynamically to measure it; programs that it starts "
		"are measured.",
	[PROGRAM_GO] = "is a Go program: it makes its system calls itself, not through the C\n"
		       "library, so scprof sees at most what its C parts (cgo) call.",
	[PROGRAM_OTHER_LIBC] = "uses the loader %s, neither glibc's nor musl's: libscprof.so\n"
			       "cannot be loaded there. It runs unobserved; build it for one of "
			       "them to measure it.",
	[PROGRAM_FOREIGN] =
		"is a program for another architecture: libscprof.so cannot be loaded.\n"
		"It runs unobserved, if it runs at all; use an scprof built for it.",
	[PROGRAM_SECURE] =
		"gains privileges when it starts (setuid, setgid or capabilities), so the\n"
		"loader ignores LD_PRELOAD. Run scprof as the user it changes to, or "
		"measure a copy without them.",
	[PROGRAM_UNREADABLE] = "cannot be read, so scprof cannot tell whether it can be measured.",
	[PROGRAM_UNKNOWN] = "is neither an intact ELF program nor a script.\n"
			    "Whether it runs is for the kernel to say.",
	[PROGRAM_DIRECTORY] = NULL, /* the last kind */
};

/* Fill p->notice for p->kind; `runner` is the file that decided, p->path itself or the interpreter
 * of the script p->path. One to three lines, so that somebody who gets an empty report knows why
 * before the run, not after it. */
static void notice_found(struct program *p, const char *runner, const struct elf_facts *facts)
{
	char what[600];
	const char *detail = facts->interpreter, *text = texts[p->kind];

	if (p->kind == PROGRAM_NO_LOADER)
		notice_no_loader(p, runner, facts);
	if (!text)
		return;
	if (p->kind == PROGRAM_ASAN)
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
}

void program_examine(const char *command, struct program *p)
{
	struct elf_facts facts;
	struct stat st;

	*p = (struct program){0};
	if (program_find(command, p->path, sizeof(p->path))) {
		int error = errno;

		p->kind = error == EACCES ? PROGRAM_NOT_EXECUTABLE : PROGRAM_MISSING;
		if (!stat(p->path, &st) && S_ISDIR(st.st_mode))
			p->kind = PROGRAM_DIRECTORY;
		notice_missing(command, p, error);
		tame(p->notice);
		return;
	}
	p->kind = follow(p->path, p, &facts, p->runner, 1);
	/* static and secure programs ignore it, but what they start need not; the loader of a
	 * foreign one trips over our library, and another libc's refuses to start the program */
	p->preload = p->kind != PROGRAM_FOREIGN && p->kind != PROGRAM_OTHER_LIBC;
	if (p->kind == PROGRAM_ASAN)
		snprintf(p->asan, sizeof(p->asan), "%s", facts.asan);
	notice_found(p, p->runner, &facts);
	tame(p->notice);
}
