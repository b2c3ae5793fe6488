// SPDX-License-Identifier: GPL-3.0-or-later
/* Profiles are *.scp in a given directory, or scprof.*.scp in the directory of a run below it
 * (collector/launch/run_directory.c: [.]scprof.XXXXXX, root's with `profiles.RANDOM` in it).
 * Links below a given directory are not followed, and the number of names is limited. */
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/serve/agent/agent.h"

#define MOST_NAMES 100000 /* of one directory */
#define ALL_NAMES  200000 /* of all of them */

enum depth { NAMED, RUN, RUN_PROFILES };

static void look_through(struct agent *a, int at, const char *path, enum depth depth);

static bool is_run(const char *name)
{
	return !fnmatch("scprof.??????", name, 0) || !fnmatch(".scprof.??????", name, 0);
}

static void descend(struct agent *a, int at, const char *path, const char *name, enum depth depth)
{
	char below[PATH_MAX];
	int fd;

	if ((size_t)snprintf(below, sizeof(below), "%s/%s", path, name) >= sizeof(below))
		return;
	if (!a->search.names_left) {
		a->search.files_beyond++;
		return;
	}
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		look_through(a, fd, below, depth);
}

static void meet(struct agent *a, int at, const char *path, const char *name, enum depth depth)
{
	char full[PATH_MAX];

	if (!fnmatch(depth == NAMED ? "*.scp" : "scprof.*.scp", name, FNM_PERIOD)) {
		if ((size_t)snprintf(full, sizeof(full), "%s/%s", path, name) < sizeof(full))
			agent_meet_file(a, at, full, name, depth == NAMED);
	} else if (depth == NAMED && is_run(name)) {
		descend(a, at, path, name, RUN);
	} else if (depth == RUN && !strncmp(name, "profiles.", 9)) {
		descend(a, at, path, name, RUN_PROFILES);
	}
}

/* Takes the descriptor. */
static void look_through(struct agent *a, int at, const char *path, enum depth depth)
{
	DIR *directory = fdopendir(at);
	struct dirent *entry = NULL;
	size_t names = 0;

	if (!directory) {
		close(at);
		a->search.directories_failed++;
		return;
	}
	while (!atomic_load(&a->stopping) && (entry = readdir(directory)) && names++ < MOST_NAMES &&
	       a->search.names_left) {
		a->search.names_left--;
		meet(a, at, path, entry->d_name, depth);
	}
	a->search.files_beyond += entry != NULL;
	closedir(directory);
}

void agent_find_files(struct agent *a)
{
	a->search = (struct agent_search){
		.names_left = a->options.most_names ? a->options.most_names : ALL_NAMES};
	for (size_t i = 0; i < a->options.directories; i++) {
		const char *path = a->options.directory[i];
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0)
			look_through(a, fd, path, NAMED);
		else
			a->search.directories_failed++;
	}
}
