// SPDX-License-Identifier: Apache-2.0
/* Functions and lines in the profile (SCP_OPTIONAL_SOURCE), each once. All of it in steps of
 * modules_exclusive. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_RECORD_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_RECORD_H

#include "include/scprof_format.h"
#include "preload/python/python_table.h"

/* Of one file: a program that makes up code for ever is not to fill it. */
#define PYTHON_FUNCTIONS_MAX 65536u
#define PYTHON_LINES_MAX     262144u

struct python_function {
	char name[SCP_SOURCE_NAME_MAX], file[SCP_SOURCE_FILE_MAX];
	struct python_lines lines;
};

/* The id of a function with this name, file, first line and table; recorded if need be. 0: no room.
 */
HIDDEN uint32_t python_record_function(const struct python_function *f);

/* The id of a place in it, likewise. */
HIDDEN uint32_t python_record_line(uint32_t function, const struct python_place *p);

/* The file that has them is gone. */
HIDDEN void python_record_forget(void);

#endif
