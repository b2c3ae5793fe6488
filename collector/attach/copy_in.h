// SPDX-License-Identifier: GPL-3.0-or-later
/* A copy of libscprof.so, and a directory for the run's files, in the file system of a process that
 * sees another one: a container, a chroot. Everything is made below the process's root with the
 * rights of its owner, so that neither links that lie there nor a directory that is exchanged lead
 * anywhere that the owner could not write himself. Nothing that exists is overwritten. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "collector/attach/target/as_user.h"
#include "collector/attach/refusal/refusal.h"
#include "profile/profile.h"

struct copy_in {
	int place, made; /* the user's directory, and ours in it; -1: none */
	struct as_user owner;
	char name[40];		/* of ours */
	char profiles_name[40]; /* of the directory for profiles in it */
	/* As the target sees them: */
	char inner_directory[PATH_MAX];
	char inner_library[PATH_MAX];
};

/* `directory`: as the target sees it, absolute; its owner must be able to write there. `library`:
 * as we see it; NULL: none is copied. 0; or -1 with *err, and nothing is left of it. */
int copy_in_begin(struct copy_in *c, const struct refusal_facts *f, const char *directory,
		  const char *library, struct profile_error *err);

/* Removes the copy and, as far as they are empty, the directories. The target keeps what it has
 * mapped. False: files of somebody's are still there, in inner_directory. */
bool copy_in_end(struct copy_in *c);
