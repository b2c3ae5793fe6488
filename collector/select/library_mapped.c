// SPDX-License-Identifier: GPL-3.0-or-later
/* Lines come from another process, which chooses the names in them: their number is bounded. */
#include "collector/select/library_mapped.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/error.h"

#define MOST 4096

static bool is_ours(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash + 1, "libscprof", 9) || !strncmp(slash + 1, "scprof-symbols", 14);
}

static bool is_known(const struct library_closure *c, const char *path)
{
	for (size_t i = c->paths; i > 0; i--)
		if (!strcmp(c->path[i - 1], path))
			return true;
	return false;
}

/* "START-END r-xp OFFSET DEVICE INODE      /PATH" */
static char *path_of(char *line)
{
	char *path = strchr(line, '/'), *space = strchr(line, ' ');
	size_t length;

	if (!path || !space || strlen(space) < 5 || space[3] != 'x')
		return NULL;
	length = strcspn(path, "\n");
	path[length] = '\0';
	if (length > 10 && !strcmp(path + length - 10, " (deleted)"))
		return NULL;
	return path;
}

int library_mapped_read(FILE *maps, const char *program, struct library_closure *out)
{
	char *line = NULL;
	size_t room = 0;
	int failed = 0;

	*out = (struct library_closure){0};
	while (!failed && out->paths < MOST && getline(&line, &room, maps) > 0) {
		const char *path = path_of(line);

		if (path && strcmp(path, program) != 0 && !library_closure_is_loader(path) &&
		    !is_ours(path) && !is_known(out, path))
			failed = library_closure_add(out, path);
	}
	free(line);
	return failed;
}

int library_mapped_find(pid_t pid, struct library_closure *out, struct profile_error *err)
{
	char name[48], exe[PATH_MAX];

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	ssize_t bytes = readlink(name, exe, sizeof(exe) - 1);
	exe[bytes > 0 ? bytes : 0] = '\0';
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(name, "re");
	*out = (struct library_closure){0};
	int failed = maps ? library_mapped_read(maps, exe, out) : -1;
	if (failed)
		error_set(err, "cannot tell which libraries process %d has mapped: %s", (int)pid,
			  maps ? "out of memory" : strerror(errno));
	if (maps)
		fclose(maps);
	return failed;
}
