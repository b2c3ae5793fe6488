// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of checks, to which each part of the examination adds, and trials: programs started with
 * the library in an environment of their own, to see what happens. */
#include "collector/doctor/doctor_private.h"
#include "collector/launch/elf_facts.h"
#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "profile/base/given_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void doctor_add(struct doctor *d, const char *name, enum doctor_level level, const char *format,
		...)
{
	va_list arguments;

	if (d->count == DOCTOR_MOST)
		return;
	struct doctor_check *c = &d->check[d->count++];
	*c = (struct doctor_check){.name = name, .level = level};
	va_start(arguments, format);
	vsnprintf(c->found, sizeof(c->found), format, arguments);
	va_end(arguments);
}

void doctor_remedy(struct doctor *d, const char *format, ...)
{
	struct doctor_check *c = &d->check[d->count - 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(c->remedy, sizeof(c->remedy), format, arguments);
	va_end(arguments);
}

enum doctor_level doctor_worst(const struct doctor *d)
{
	enum doctor_level worst = DOCTOR_OK;

	for (size_t i = 0; i < d->count; i++)
		if (d->check[i].level > worst)
			worst = d->check[i].level;
	return worst;
}

const char *doctor_level_name(enum doctor_level level)
{
	static const char *const names[] = {"ok", "note", "limited", "missing"};

	return names[level];
}

/* Programs started with the library in an environment of their own, to see what happens. */

int doctor_directory(char *path, size_t size)
{
	const char *where = getenv("TMPDIR");

	if (!where || *where != '/' || strlen(where) > size / 2)
		where = "/tmp";
	snprintf(path, size, "%s/scprof-doctor.XXXXXX", where);
	return mkdtemp(path) ? 0 : -1;
}

static _Noreturn void become(char *const argv[], const char *library, const char *directory,
			     int output)
{
	int nothing = open("/dev/null", O_RDWR);

	unsetenv("SCPROF_DISABLE");
	unsetenv("SCPROF_SYMBOLS");
	unsetenv("SCPROF_GROUPS");
	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0 ||
	    setenv("LD_PRELOAD", library, 1) || (directory && setenv("SCPROF_OUT", directory, 1)))
		_exit(127);
	execv(argv[0], argv);
	_exit(127);
}

int doctor_try(char *const argv[], const char *library, const char *directory, char *text,
	       size_t size)
{
	size_t used = 0;
	char rest[512];
	int ends[2], status;
	ssize_t got;

	*text = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid)
		become(argv, library, directory, ends[1]);
	close(ends[1]);
	while (pid > 0 &&
	       ((got = read(ends[0], rest, sizeof(rest))) > 0 || (got < 0 && errno == EINTR))) {
		size_t room = size - 1 - used;

		if (got < 0)
			continue;
		room = (size_t)got < room ? (size_t)got : room;
		memcpy(text + used, rest, room);
		used += room;
	}
	text[used] = '\0';
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid > 0 ? status : -1;
}

/* Can the library see this program? What its file says first; then its own loader is asked to
 * list what it would load, which runs none of the program. */
static const char *first_complaint(char *text)
{
	char *at = strstr(text, "libscprof.so");

	while (at && at > text && at[-1] != '\n')
		at--;
	at = at ? at : text;
	at[strcspn(at, "\n")] = '\0';
	return *at ? at : "its loader lists nothing";
}

/* "libscprof.so => ..." or "/path/libscprof.so (0x...)", and no word of an error. */
static void ask_loader(struct doctor *d, const struct program *p)
{
	struct elf_facts facts;
	struct profile_error err;
	char library[PATH_MAX], text[16384];
	int fd = given_file_open(p->runner, 0, NULL, NULL);
	int failed = fd < 0 || elf_facts_read(fd, &facts) || !*facts.interpreter ||
		     environment_find_library(library, sizeof(library), &err);

	if (fd >= 0)
		close(fd);
	if (failed)
		return;
	if (!elf_facts_loader_is_trusted(facts.interpreter)) {
		doctor_add(d, "program", DOCTOR_MISSING,
			   "%.200s: its loader %.200s is not there, or somebody else can write "
			   "it; it was not asked",
			   p->runner, facts.interpreter);
		doctor_remedy(d, "Run a program only if you trust those who can write its loader");
		return;
	}
	char *const argv[] = {facts.interpreter, (char *)"--list", (char *)p->runner, NULL};
	int status = doctor_try(argv, library, NULL, text, sizeof(text));
	if (!status && strstr(text, "libscprof.so") && !strstr(text, "cannot be preloaded")) {
		doctor_add(d, "program", DOCTOR_OK, "%.300s: its loader takes libscprof.so",
			   p->runner);
		return;
	}
	doctor_add(d, "program", DOCTOR_MISSING,
		   "%.200s: its loader does not take the library: %.250s", p->runner,
		   first_complaint(text));
	doctor_remedy(d,
		      "Build scprof where the program is at home, with that glibc or an older one");
}

static void examine_program(struct doctor *d, const char *program)
{
	static struct program p; /* paths: too large for the stack */

	program_examine(program, &p);
	for (char *end = p.notice; (end = strchr(end, '\n'));)
		*end = ' '; /* one line, as in the other checks */
	switch (p.kind) {
	case PROGRAM_DYNAMIC:
		ask_loader(d, &p);
		return;
	case PROGRAM_ASAN:
	case PROGRAM_UNREADABLE:
		doctor_add(d, "program", DOCTOR_NOTE, "%s", p.notice);
		return;
	case PROGRAM_GO:
		doctor_add(d, "program", DOCTOR_LIMITED, "%s", p.notice);
		return;
	default: /* the notice says what to do, too */
		doctor_add(d, "program", DOCTOR_MISSING, "%s",
			   *p.notice ? p.notice : "it cannot be measured");
	}
}

/* The order of the checks is that of the output: first what everything else depends on. */
void doctor_examine(struct doctor *d, const char *version, const char *program)
{
	*d = (struct doctor){0};
	doctor_library(d, version);
	if (program)
		examine_program(d, program);
	doctor_files(d);
	doctor_kernel_session(d);
	doctor_clocks(d);
	doctor_cpus(d);
	doctor_kernel(d);
}
