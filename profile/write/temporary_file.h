// SPDX-License-Identifier: GPL-3.0-or-later
/* A file that appears whole or not at all: written beside its place, then renamed over it. One
 * thread uses a partial. */
#pragma once

#include "profile/profile.h"

struct partial {
	const char *path; /* borrowed */
	char *name;	  /* beside the path; NULL: none */
	int unnamed;	  /* the file, as long as it has no name; -1: it has that name */
};

/* Create the file, mode 0600. Its descriptor, which is the caller's to close; -1 with errno. */
int temporary_file_create(struct partial *p, const char *path);

/* Put it in its place. 0, or -1 with errno, and it is removed. Either way *p is done with. */
int temporary_file_keep(struct partial *p);

/* Remove it; errno stays. */
void temporary_file_drop(struct partial *p);

/* Written by `write` (0, or -1 with errno) beside `path`, brought to disk, then renamed over it:
 * whoever reads `path` sees the old file or the whole new one. 0, or -1 with *err and no file left
 * behind. */
int temporary_file_save(const char *path, int (*write)(const void *of, int fd), const void *of,
			struct profile_error *err);
