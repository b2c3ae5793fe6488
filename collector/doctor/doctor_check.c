// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of checks, to which each part of the examination adds, and trials: programs started with
 * the library in an environment of their own, to see what happens. */
#include "collector/doctor/doctor_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/base/error.h"

void doctor_add(struct doctor *d, const char *name, enum doctor_level level, const char *format,
		...)
{
	if (d->count == DOCTOR_MOST)
		return;
	struct doctor_check *c = &d->check[d->count++];
	*c = (struct doctor_check){.name = name, .level = level};
	FORMAT_BY(vsnprintf, c->found, sizeof(c->found), format);
}

void doctor_remedy(struct doctor *d, const char *format, ...)
{
	struct doctor_check *c = &d->check[d->count - 1];

	FORMAT_BY(vsnprintf, c->remedy, sizeof(c->remedy), format);
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

int doctor_directory(char *path, size_t size)
{
	const char *where = getenv("TMPDIR");

	if (!where || *where != '/' || strlen(where) > size / 2)
		where = "/tmp";
	snprintf(path, size, "%s/scprof-doctor.XXXXXX", where);
	if (mkdtemp(path))
		return 0;
	snprintf(path, size, "/dev/shm/scprof-doctor.XXXXXX");
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
	return pid > 0 && TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) > 0 ? status : -1;
}
