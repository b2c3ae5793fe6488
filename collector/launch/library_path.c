// SPDX-License-Identifier: GPL-3.0-or-later
/* Found relative to the executable, so that a build tree, a prefix and a package all work without
 * configuration. */
#include "collector/launch/library_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/error.h"

#define NAME "libscprof.so"

static const char *const places[] = {
	"",
	"../lib/",
	"../lib/scprof/",
	"../lib/" COLLECTOR_MULTIARCH "/",
};

static int accept_path(const char *candidate, char *path, size_t size)
{
	char real[PATH_MAX];

	if (!realpath(candidate, real) || access(real, R_OK) || strlen(real) >= size)
		return -1;
	memcpy(path, real, strlen(real) + 1);
	return 0;
}

int library_path_find(char *path, size_t size, struct profile_error *err)
{
	char self[PATH_MAX], candidate[PATH_MAX + 64];
	const char *set = getenv("SCPROF_LIB");

	if (set && *set) {
		if (!accept_path(set, path, size))
			return 0;
		error_set(err, "SCPROF_LIB is set to %.300s: %s", set, strerror(errno));
		return -1;
	}
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(self, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(candidate, sizeof(candidate), "%s%s" NAME, self, places[i]);
		if (!accept_path(candidate, path, size))
			return 0;
	}
	error_set(err,
		  "cannot find " NAME " beside %.300s or in ../lib there.\n"
		  "Set SCPROF_LIB to its path, or install scprof as a whole.",
		  self);
	return -1;
}
