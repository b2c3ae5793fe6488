// SPDX-License-Identifier: GPL-3.0-or-later
/* From a command's name to one verdict and one notice. The loader and the
 * kernel never say that they ignored LD_PRELOAD; scprof has to say it for them. */
#include "collector/launch/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "collector/launch/elf_facts.h"
#include "collector/launch/program_find.h"
#include "collector/launch/program_notice.h"
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

static bool is_foreign(const struct elf_facts *facts)
{
	struct elf_facts own;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool known = fd >= 0 && !elf_facts_read(fd, &own);

	if (fd >= 0)
		close(fd);
	return known && (own.machine != facts->machine || own.class != facts->class);
}

/* glibc's loader by its names: ld-linux-x86-64.so.2, ld64.so.1, ld-2.31.so, ld.so.1 */
static bool is_glibc_loader(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld64.so", 7) ||
	       !strncmp(name, "ld-2.", 5) || !strncmp(name, "ld.so", 5);
}

static enum program_kind elf_kind_of(int fd, const struct stat *st, const struct elf_facts *facts)
{
	if (is_foreign(facts))
		return PROGRAM_FOREIGN;
	if (*facts->interpreter && access(facts->interpreter, F_OK))
		return PROGRAM_NO_LOADER;
	if (is_secure(fd, st))
		return PROGRAM_SECURE;
	if (facts->is_go)
		return PROGRAM_GO;
	if (facts->is_static)
		return PROGRAM_STATIC;
	if (*facts->interpreter && !is_glibc_loader(facts->interpreter))
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

static void step_script(const struct shebang *line, struct step *step)
{
	step->is_script = true;
	snprintf(step->next[0], sizeof(step->next[0]), "%s", line->interpreter);
	/* what env cannot find, env itself will complain about */
	if (*line->program && program_find(line->program, step->next[1], sizeof(step->next[1])))
		step->next[1][0] = '\0';
}

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
	else if (program_find_shebang(head, (size_t)bytes, &line))
		step_script(&line, step);
	else if (memchr(head, '\0', (size_t)bytes < 128 ? (size_t)bytes : 128))
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

static bool in_plain_sight(enum program_kind kind)
{
	return kind == PROGRAM_DYNAMIC || kind == PROGRAM_ASAN;
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
	if (in_plain_sight(kind) && *step.next[1])
		kind = follow(step.next[1], p, facts, runner, depth + 1);
	return kind;
}

static bool preload_helps(enum program_kind kind)
{
	switch (kind) {
	case PROGRAM_FOREIGN:	 /* its loader, or its emulator, would trip over our library */
	case PROGRAM_OTHER_LIBC: /* its loader would refuse to start it */
		return false;
	default: /* static and secure programs ignore it, but what they start need not */
		return true;
	}
}

static void examine_missing(const char *command, int error, struct program *p)
{
	struct stat st;

	p->kind = error == EACCES ? PROGRAM_NOT_EXECUTABLE : PROGRAM_MISSING;
	if (!stat(p->path, &st) && S_ISDIR(st.st_mode))
		p->kind = PROGRAM_DIRECTORY;
	program_notice_missing(command, p, error);
}

void program_examine(const char *command, struct program *p)
{
	struct elf_facts facts;

	*p = (struct program){0};
	if (program_find(command, p->path, sizeof(p->path))) {
		examine_missing(command, errno, p);
		return;
	}
	p->kind = follow(p->path, p, &facts, p->runner, 1);
	p->preload = preload_helps(p->kind);
	if (p->kind == PROGRAM_ASAN)
		snprintf(p->asan, sizeof(p->asan), "%s", facts.asan);
	program_notice_found(p, p->runner, &facts);
}
