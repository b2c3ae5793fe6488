// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs started with the library in an environment of their own, to see what happens. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/doctor/doctor_private.h"

int doctor_trial_directory(char *path, size_t size)
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

int doctor_trial_run(char *const argv[], const char *library, const char *directory, char *text,
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
