// SPDX-License-Identifier: Apache-2.0
/* Which line an instruction belongs to, by the table of its code object: what PyCode_Addr2Line of
 * each version says. Pure functions of bytes that nobody vouches for: nothing beyond them is read,
 * and each is looked at once. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_TABLE_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_TABLE_H

#include <stdint.h>

#include "preload/python/python_layout.h"
#include "preload/system/util.h"

struct python_lines {
	enum python_table kind;
	int32_t first_line;
	const uint8_t *table; /* NULL: it is not known */
	uint64_t bytes;
};

/* As the tables have it: lines from 1, columns from 0 in bytes, -1: not known. */
struct python_place {
	int32_t line, end_line, column, end_column;
	/* Of the instructions that share this place, in bytes, or PYTHON_TABLE_BEFORE. Before 3.11:
	 * the instruction itself. */
	uint32_t start;
};
#define PYTHON_TABLE_BEFORE UINT32_MAX /* no instruction was executed yet: the function's line */

/* Of the instruction at this offset in bytes; below 0: none was executed yet. */
HIDDEN struct python_place python_table_find(const struct python_lines *lines, int64_t instruction);

#endif
