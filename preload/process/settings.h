// SPDX-License-Identifier: Apache-2.0
/* What the environment asks for, read once, before anything is recorded. */
#pragma once

#include "include/scprof_format.h"
#include "preload/process/file.h"
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
	char program[256]; /* what it was started as: no path, see start_name_read; or "" */
	char argv[2048];   /* NUL-separated */
	uint32_t argv_bytes, argc;
	uint8_t boot_id[16];
	struct slowest_settings slowest;
	char preceded[SCP_BEFORE_BYTES]; /* see precedence.h */
};
extern HIDDEN struct settings settings;

/* Fill `settings`, but for `preceded`. False: nothing is to be recorded. Start-up only.
 * `has_stubs`: there is a stub object of selected functions. */
HIDDEN bool settings_read(bool has_stubs);

/* From now on variables are those of this text ("NAME=value", each NUL-terminated), which is
 * copied, and none of the environment. False: it is none, and nothing is changed. */
HIDDEN bool settings_take_order(const char *text, uint32_t bytes);

/* The environment that the program began with. libc's own array is freed by a thread that sets
 * variables, and some constructors start threads. */
HIDDEN char **settings_environment(void);

/* The value of an environment variable, or of one of the order; NULL: none, or "". */
HIDDEN const char *settings_variable(const char *name);

/* SCPROF_SLOWEST=K, SCPROF_SLOWER_THAN=DURATION, SCPROF_SLOWEST_OF=PATTERNS; any of them
 * turns it on. `scprof run` checks them before the program starts. */

#define SLOWEST_DEFAULT 20u

/* NULL: not set. Whatever cannot be read: nothing is kept, and out->unread. */
HIDDEN void slowest_settings_read(const char *count, const char *least, const char *patterns,
				  struct slowest_settings *out);

/* Do the patterns, [!][LIBRARY:]NAME with * and ?, separated by commas, choose this function?
 * The last one that matches decides. Those of SCP_GROUP_WAIT, accept and accept4 exist to
 * wait: they are chosen only by a pattern that matches. All others are at first, unless
 * the first pattern chooses. */
HIDDEN bool slowest_settings_want(const struct slowest_settings *s, const char *name,
				  const char *library, uint32_t group);

/* What the program was started as: the last part of the path that execve was given, which for
 * a script is the script's. That is how people call a service; the file that runs may be
 * another one (redis-check-rdb behind redis-server, python3.11 behind app.py, busybox). */

/* Copies the name: it lies where the program may write later. Start-up only; keeps errno. `exe`
 * is the executable's path ("": not known), whose last part stands in where the kernel was given
 * no name (start_name_choose). `room`: of the whole name, cut to what fits. */
HIDDEN void start_name_read(char *name, size_t room, const char *exe);

/* The choice alone, without system calls. The last part of `started`, unless that is "", NULL or no
 * name: a number (fexecve: /dev/fd/3, /proc/self/fd/3), "exe" (/proc/PID/exe), or has control
 * characters. Then of `exe`, without the " (deleted)" of the kernel; "" where that is not known. */
HIDDEN void start_name_choose(char *name, size_t room, const char *started, const char *exe);

/* How many of `length` bytes of a name fit in `most` without a cut inside a UTF-8 character. */
HIDDEN size_t start_name_fits(const char *name, size_t length, size_t most);

#define START_NAME_OF_FILE 201u /* bytes; of a whole file name 255 */

/* As it is in the name of a file: cut, and never empty. */
HIDDEN void start_name_of_file(char name[START_NAME_OF_FILE], const char *program);
