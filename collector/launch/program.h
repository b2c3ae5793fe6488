// SPDX-License-Identifier: GPL-3.0-or-later
/* What is this command, and can a preloaded library see it?
 *
 * The command is found as execvp finds it, scripts are followed to the program that runs them, and
 * the program is looked at with libelf. The answer is advice: the command is started whatever it
 * says, and only exec itself decides whether that works. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum program_kind {
	PROGRAM_DYNAMIC,    /* loaded by glibc's loader: fully visible */
	PROGRAM_ASAN,	    /* likewise; its sanitizer must be preloaded before us */
	PROGRAM_STATIC,	    /* no loader */
	PROGRAM_GO,	    /* makes its system calls itself */
	PROGRAM_OTHER_LIBC, /* musl or another loader */
	PROGRAM_FOREIGN,    /* another architecture */
	PROGRAM_SECURE,	    /* setuid, setgid or capabilities: the loader ignores us */
	PROGRAM_UNREADABLE, /* may be run, may not be looked at */
	PROGRAM_UNKNOWN,    /* neither ELF nor text; for the kernel to decide */
	/* exec will fail, or has no chance: */
	PROGRAM_MISSING,	/* no such command: status 127 */
	PROGRAM_NO_LOADER,	/* it exists, but its loader or interpreter does not: 127 */
	PROGRAM_NOT_EXECUTABLE, /* 126 */
	PROGRAM_DIRECTORY,	/* 126 */
};

struct program {
	enum program_kind kind;
	bool preload;	       /* LD_PRELOAD can help, for it or for what it starts */
	bool shell_fallback;   /* no #! line: the shell runs it where exec says ENOEXEC */
	char path[PATH_MAX];   /* what to exec; "" if MISSING */
	char runner[PATH_MAX]; /* the program itself, or what runs the script; "" if MISSING */
	char asan[64];	       /* to be preloaded first, or "" */
	char notice[768];      /* one to three lines, or "" where it can be measured */
};

/* Always fills *p. Uses $PATH as execvp does; no other state. */
void program_examine(const char *command, struct program *p);

/* As execvp: a name with a slash is a path; else $PATH, or the system's default
 * path where it is unset. 0 and `path`; or -1 with errno ENOENT, EACCES (found,
 * but none that may be executed; `path` is the first of them) or ENAMETOOLONG. */
int program_find(const char *name, char *path, size_t size);

struct shebang {
	char interpreter[512]; /* as written */
	char program[512];     /* what `env` would look up in $PATH, or "" */
};

/* Parses the first `bytes` bytes of a file. False if it has no #! line. */
bool program_find_shebang(const char *head, size_t bytes, struct shebang *out);
