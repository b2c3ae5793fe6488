// SPDX-License-Identifier: Apache-2.0
/* The profile file that a session begins with, in a forked child too, and the files of the sessions
 * before it: threads may be about to write to those. */
#ifndef SCPROF_PRELOAD_START_SESSION_FILE_H
#define SCPROF_PRELOAD_START_SESSION_FILE_H

#include "include/scprof_attach.h"
#include "preload/process/file.h"
#include "preload/system/util.h"

/* A new file, which becomes process.file. Returns the groups that are recorded in it; 0: there is
 * none, and process.file is what it was. */
HIDDEN uint32_t session_file_begin(struct profile_file *f);

/* What is known of an earlier file is not in the next. */
HIDDEN void session_file_forget_known(void);

/* In a forked child: no file is its own. The file that it began with may be none of those kept. */
HIDDEN void session_file_forget_all(void);

/* Begin the next session's; settings.groups are those recorded. *error: an errno, or 0. */
HIDDEN enum scp_attach_problem session_file_change(uint32_t *error);

#endif
