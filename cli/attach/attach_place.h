// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the processes of one `scprof attach` make their profiles: in a run's directory of ours; or,
 * where they see other files than we do, in one below their root directory: --copy-to, or the
 * folder of the page that wakes them. */
#ifndef SCPROF_CLI_ATTACH_ATTACH_PLACE_H
#define SCPROF_CLI_ATTACH_ATTACH_PLACE_H

#include <limits.h>
#include <stdbool.h>

#include "cli/attach/attach_targets.h"
#include "collector/attach/copy_in.h"
#include "collector/launch/run_directory.h"

struct attach_place {
	struct run_directory directory; /* as we see it */
	struct copy_in copy;
	bool there;		/* below the processes' root */
	char library[PATH_MAX]; /* as the processes see it */
};

/* `copy_to`: of --copy-to, or NULL. `library`: libscprof.so as we see it. `beside`: see
 * run_directory_create. 0, or -1 having said why, and nothing is left of it. */
int attach_place_make(struct attach_place *p, const struct attach_targets *t, const char *copy_to,
		      const char *library, const char *beside);

/* What the processes call our `path` in it. */
const char *attach_place_name(const struct attach_place *p, const char *path, char name[PATH_MAX]);

/* The run is over. What is left in it was kept on purpose, which is said where it is there. */
void attach_place_leave(struct attach_place *p);

#endif
