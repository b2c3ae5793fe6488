// SPDX-License-Identifier: GPL-3.0-or-later
/* What killed runs leave behind (SIGKILL, out of memory): the directories of run_directory.h, of
 * this user alone. A directory whose lock is held belongs to a live run; one whose files a process
 * writes, maps or has in its environment, to a live command. Neither is touched. */
#ifndef SCPROF_COLLECTOR_LAUNCH_LEFTOVERS_H
#define SCPROF_COLLECTOR_LAUNCH_LEFTOVERS_H

#include <stddef.h>
#include <stdint.h>

struct leftovers {
	size_t directories;
	uint64_t bytes; /* of the files in them */
};

/* How many there are in memory and in `beside`. */
void leftovers_count(const char *beside, struct leftovers *l);

/* Save the profiles in them beside where their runs would have (NAME.killed.scp), or in `beside`
 * where that is not possible, and remove them. `tell` gets a text for each that held profiles.
 * Files that can be neither read nor saved are kept and reported, and not looked at again. */
void leftovers_sweep(const char *beside, void (*tell)(const char *text));

#endif
