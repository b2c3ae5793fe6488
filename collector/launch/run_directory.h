// SPDX-License-Identifier: GPL-3.0-or-later
/* The directory of one run: where the processes of the command make their
 * profile files while they live. In memory (/dev/shm) where there is room:
 * dirty pages of a disk's file system are write-protected at every write-back,
 * and the target would wait in a page fault.
 */
#ifndef SCPROF_COLLECTOR_LAUNCH_RUN_DIRECTORY_H
#define SCPROF_COLLECTOR_LAUNCH_RUN_DIRECTORY_H

#include <limits.h>

#include "profile/profile.h"

struct rundir {
	char base[PATH_MAX - 128];
	char profiles[PATH_MAX - 64]; /* SCPROF_OUT of the command */
	char page[PATH_MAX - 32];     /* path of the page clock */
	char control[PATH_MAX - 32];  /* of the page that stops and starts recording */
	char below[PATH_MAX - 32];    /* of the places of --below */
};

/* `beside`: an existing directory for where memory will not do. Names are
 * random and absolute. Private to the user; for root, whose programs may
 * become somebody else and then start others, everybody may create files in
 * `profiles`, but nobody else can list or guess the way to it. 0, or -1. */
int rundir_create(struct rundir *d, const char *beside, struct profile_error *err);

/* Remove one profile of it by its name. */
void rundir_remove_file(const struct rundir *d, const char *name);

/* Remove the directory if nothing is left in it. 0, or -1: it is kept. */
int rundir_remove(const struct rundir *d);

#endif
