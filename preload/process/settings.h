// SPDX-License-Identifier: Apache-2.0
/* What the environment asks for, read once, before anything is recorded. */
#ifndef SCPROF_PRELOAD_PROCESS_SETTINGS_H
#define SCPROF_PRELOAD_PROCESS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/process/file.h"
#include "include/scprof_format.h"
#include "preload/system/util.h"

/* Which calls are kept one by one, see slowest.h. */
struct slowest_settings {
	uint32_t count;	   /* 0: none */
	bool unread;	   /* what was asked for makes no sense */
	uint64_t least_ns; /* shorter ones are not */
	/* of functions; "": all but those whose work is to wait. A copy: programs that set their
	 * title write over their environment. */
	char patterns[SCP_SLOWEST_PATTERNS];
};

struct settings {
	bool symbols_ignored;	       /* SCPROF_SYMBOLS is set, and there are no stubs of them */
	uint32_t groups;	       /* 0: SCPROF_DISABLE, or no known group */
	char directory[FILE_PATH_MAX]; /* absolute */
	char exe[1024];		       /* absolute path of the executable */
	char program[256]; /* what it was started as: no path, see start_name.h; or "" */
	char argv[2048];   /* NUL-separated */
	uint32_t argv_bytes, argc;
	uint8_t boot_id[16];
	struct slowest_settings slowest;
	char preceded[SCP_BEFORE_BYTES]; /* see precedence.h */
};
extern HIDDEN struct settings settings;

/* Fill `settings`, but for `preceded`. False: nothing is to be recorded. Start-up only.
 * `has_stubs`: there is a stub object of selected functions; `needs_no_stubs`: the tool found none
 * to make. */
HIDDEN bool settings_read(bool has_stubs, bool needs_no_stubs);

/* Does the environment ask for functions that need a stub object? Values, or NULL. */
HIDDEN bool settings_symbols_wanted(const char *symbols, const char *groups);
/* From now on variables are those of this text ("NAME=value", each NUL-terminated), which is
 * copied, and none of the environment. False: it is none, and nothing is changed. */
HIDDEN bool settings_take_order(const char *text, uint32_t bytes);

/* The value of an environment variable, or of one of the order, or NULL. */
HIDDEN const char *settings_variable(const char *name);

/* starttime of this process, as in /proc/PID/stat; 0 if it cannot be read. */
HIDDEN uint64_t settings_process_start(void);

#endif
