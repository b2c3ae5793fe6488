// SPDX-License-Identifier: GPL-3.0-or-later
/* All profile files of a run in one model. */
#pragma once

#include <stddef.h>

#include "profile/profile.h"
#include "collector/launch/launch.h"
#include "collector/launch/run_directory.h"
#include "profile/live/run_files.h"

struct gathered {
	struct profile *profile;      /* NULL: no file, or none that could be read */
	struct run_file *files;	      /* all that were found */
	bool *refused;		      /* by index: damaged, or of another clock; kept */
	size_t count, refusals, idle; /* idle: without a call, hardly computed, and left out because
					 others had calls */
};

/* Read everything in d->profiles. `command`: what is known of the end of the run's own command, or
 * NULL; what the library could not write of the ends of processes is completed. `tell` gets the
 * reason for each file that is refused; the others still count. 0, or -1 and *err (nothing could be
 * listed, or out of memory). gather_free in either case. */
int gather_profiles(const struct run_directory *d, const struct launch *command, struct gathered *g,
		    int (*tell)(const char *text), struct profile_error *err);

/* Remove the files that were read, and the directory if that was all. 0, or -1:
 * refused or unknown files are left in it. */
int gather_discard(struct run_directory *d, const struct gathered *g);

void gather_free(struct gathered *g);
