// SPDX-License-Identifier: GPL-3.0-or-later
/* A target is what is watched (a process and its descendants, a file, or a directory), and which
 * profiles that is at the moment. A process is never asked: the profile that it has mapped is
 * looked up. */
#ifndef SCPROF_REPORT_LIVE_TARGET_H
#define SCPROF_REPORT_LIVE_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "profile/profile.h"

enum target_kind {
	TARGET_PROCESS,
	TARGET_FILE,
	TARGET_DIRECTORY, /* of profiles: those that live, or all if none does */
	TARGET_RUN	  /* the directory of one `scprof run`: all in it */
};

struct target {
	enum target_kind kind;
	pid_t pid;
	char path[PATH_MAX];
};

struct target_file {
	char *path;
	bool alive; /* its process runs, and records */
};

/* From the word on the command line. 0, or -1 with *err: what it is not, and what to do. */
int target_parse(struct target *t, const char *word, struct profile_error *err);

/* The files now; none is an error only to target_parse. 0, or -1: out of memory, or nothing
 * can be listed any more. */
int target_files(const struct target *t, struct target_file **files, size_t *count);
void target_free(struct target_file *files, size_t count);

#endif
