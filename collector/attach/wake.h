// SPDX-License-Identifier: GPL-3.0-or-later
/* Waking processes that were started with LD_PRELOAD=libscprof.so SCPROF_STOPPED=1, by the page
 * that they map (include/scprof_attach.h): without ptrace. */
#ifndef SCPROF_COLLECTOR_ATTACH_WAKE_H
#define SCPROF_COLLECTOR_ATTACH_WAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "profile/profile.h"

struct wake {
	int fd;
	uint64_t word; /* of the last order */
};

/* Open the page of a process, or a page by its path. 0; or -1 with *err. */
int wake_open(struct wake *w, const char *path, struct profile_error *err);

/* Order: record as `variables` ("NAME=value", ended by NULL) ask for. `pids`: in their own pid
 * namespace; count 0: all that map the page. 0; or -1 with *err. */
int wake_begin(struct wake *w, const char *const *variables, const pid_t *pids, size_t count,
	       struct profile_error *err);

/* Order: stop. */
int wake_end(struct wake *w, struct profile_error *err);
void wake_close(struct wake *w);

#endif
