// SPDX-License-Identifier: GPL-3.0-or-later
/* How the processes of a run ended, where the library inside could not write it: they were killed,
 * or left by a bare system call. */
#ifndef SCPROF_COLLECTOR_LAUNCH_ENDS_H
#define SCPROF_COLLECTOR_LAUNCH_ENDS_H

#include <stddef.h>

#include "collector/launch/launch.h"
#include "profile/live/run_files.h"
#include "profile/profile.h"

struct ends {
	const char *directory;	      /* of the files */
	const struct launch *command; /* that has ended; NULL: not known */
	char *mapped;		      /* private; freed by ends_free */
	bool looked;
};

/* Completes *p, which was read from files[i]: of the command its status and the instant of its end;
 * of others whether they are still there. */
void ends_complete(struct ends *e, const struct run_file *files, size_t count, size_t i,
		   struct prof_process *p);
void ends_free(struct ends *e);

/* The lines of all readable /proc/PID/maps that contain `part`, at most 1 MB; to be freed. NULL:
 * not known. The pid in a file does not identify a child that was forked in another pid namespace;
 * that it maps its file does. */
char *ends_mapped(const char *part);

#endif
