// SPDX-License-Identifier: Apache-2.0
/* Beginning, stopping and continuing to record in a process. Its end is marked through header.h. */
#pragma once

#include "include/scprof_attach.h"
#include "preload/process/file.h"
#include "preload/system/util.h"

/* Begin to record, if the settings say so. Called from the constructor, from the
 * first wrapped call if that comes earlier, and in a forked child. Idempotent;
 * a thread that calls it while another is inside goes unrecorded. */
HIDDEN void lifecycle_start(void);

/* Is this the process whose memory it is? Asked before lifecycle_start, where recording has not
 * begun. */
HIDDEN bool lifecycle_may_begin(void);

/* In a forked child that has not begun: what follows may take away what a profile takes (rights,
 * the folder, descriptors, system calls). */
HIDDEN void lifecycle_begin_forked(void);

/* The same in any process; a file on tmpfs gets the room that it may need from then on. */
HIDDEN void lifecycle_keep_room(void);

/* Set by the constructor: libc has begun, even where there is no environment. */
extern HIDDEN bool lifecycle_constructing;

/* Nothing is recorded until an order comes; forked children likewise. */
extern HIDDEN bool lifecycle_dormant;

/* Called first in a forked child, unless it is NULL. */
extern HIDDEN void (*lifecycle_forked)(void);

/* Begin another session with the settings of the order, see attach/session.h; and end it. One at a
 * time. *error: an errno, or 0. */
HIDDEN enum scp_attach_problem lifecycle_begin_session(bool at_rest, uint32_t *error);
HIDDEN void lifecycle_end_session(void);

/* Take notice of a change of the control page or of lifecycle_stop. In a child that was forked
 * while recording was stopped, begin. Keeps errno. */
HIDDEN void lifecycle_poll(void);

/* Where nothing is recorded: begin, or take notice of a change, if there is one. Keeps errno. */
HIDDEN void lifecycle_wake(void);

/* For SCPROF_STOP and SCPROF_START; async-signal-safe. */
HIDDEN void lifecycle_stop(void);
HIDDEN void lifecycle_resume(void);

/* The profile file that a session begins with, in a forked child too, and the files of the sessions
 * before it: threads may be about to write to those. */

/* A new file, which becomes process.file. Returns the groups that are recorded in it; 0: there is
 * none, and process.file is what it was. */
HIDDEN uint32_t session_file_begin(struct profile_file *f);

/* What is known of an earlier file is not in the next. */
HIDDEN void session_file_forget_known(void);

/* In a forked child: no file is its own. The file that it began with may be none of those kept. */
HIDDEN void session_file_forget_all(void);

/* Begin the next session's; settings.groups are those recorded. *error: an errno, or 0. */
HIDDEN enum scp_attach_problem session_file_change(uint32_t *error);
