// SPDX-License-Identifier: Apache-2.0
/* What is left out on purpose: threads by name, and outer frames by number. All is decided where a
 * path or a thread is new; what is known already costs a recorded call nothing. Which calls
 * --below means is noted for the report, which alone has all names. */
#pragma once

#include "include/scprof_format.h"
#include "preload/system/util.h"

struct filter {
	const char *threads; /* globs, separated by commas; NULL: all */
	uint32_t depth;	     /* frames of a path that are kept, SCP_MAX_FRAMES at most */
	uint32_t full_flag;  /* of a path that has more */
	bool python;	     /* Python functions are frames of paths... */
	bool native;	     /* ...and the interpreter's own C functions, too */
	/* Raised when any thread takes another name, if those count. Threads and memos of an older
	 * number look again. */
	uint32_t names;
	char text[SCP_FILTERS_BYTES]; /* for the header */
	uint32_t text_bytes;
};
extern HIDDEN struct filter filter;

/* From the environment, or an order. Start-up only. */
HIDDEN void filter_read(void);

/* No filter is in force: another session begins. */
HIDDEN void filter_forget(void);

/* Is a thread of this name recorded? */
HIDDEN bool filter_wants_thread(const char *name);

/* Add "KEY=VALUE" to the header's text; what finds no room is cut. NULL or "": nothing. */
HIDDEN void filter_note(const char *key, const char *value);

/* The same of a filter that is not in force. */
HIDDEN void filter_note_ignored(const char *variable);
