// SPDX-License-Identifier: GPL-3.0-or-later
/* The mappings of a process, from /proc/PID/maps. */
#ifndef SCPROF_COLLECTOR_MACHINE_PROC_MAPS_H
#define SCPROF_COLLECTOR_MACHINE_PROC_MAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct proc_mapping {
	uint64_t start, end, offset;
	unsigned major, minor; /* of the file's device */
	uint64_t inode;	       /* 0: no file */
	bool readable, writable, executable;
	bool deleted;		   /* the file has no name any more */
	char *path;		   /* in `line`; a file's, or "[stack]", or "" */
	char line[PATH_MAX + 128]; /* a longer line has no path */
};

/* NULL with errno. Close it with fclose(). */
FILE *proc_maps_open(pid_t pid);

/* The next mapping, by address. False: there is none, or it cannot be read: ferror() says so. A
 * process may have as many as it likes: who keeps them limits their number. */
bool proc_maps_next(FILE *maps, struct proc_mapping *m);

#endif
