// SPDX-License-Identifier: GPL-3.0-or-later
/* The profiles that are compared, and their comparison. */
#ifndef SCPROF_CLI_DIFF_DIFF_FILES_H
#define SCPROF_CLI_DIFF_DIFF_FILES_H

#include "report/compare/diff.h"

#define DIFF_COMMAND "scprof diff"

struct diff_files {
	struct profile **profile;
	uint32_t files;
	struct diff *diff;
};

/* Opens each profile on its own, as they are different runs, and compares the first `bases` with
 * the others. One that cannot be read ends it, since a verdict from fewer runs would be another
 * one; all of them are named. 0, or -1: it was said why. diff_files_free is due either way. */
int diff_files_compare(struct diff_files *f, const char *const *file, uint32_t files,
		       uint32_t bases, const struct diff_options *o);
void diff_files_free(struct diff_files *f);

#endif
