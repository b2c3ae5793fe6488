// SPDX-License-Identifier: GPL-3.0-or-later
/* Which code lay where in a process's memory. Code may be discarded and its addresses used again,
 * so pieces of code may overlap: the addresses are divided where any piece begins or ends, and each
 * part belongs to one piece. Private to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_CODE_MAP_H
#define SCPROF_REPORT_SYMBOLS_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "report/symbols/symbolize_open.h"

struct code_piece {
	uint64_t start, end; /* the end is not in it */
	const char *name;    /* borrowed */
	uint64_t at_ns;	     /* since when it lay there */
	uint64_t index;	     /* as its maker numbers it */
	const char *lines;   /* of jitdump_read.h, borrowed; NULL: none */
	uint64_t line_count;
	const char *lines_end;
	uint64_t lines_shift; /* their addresses are so much larger */
};

struct code_map {
	struct code_piece *piece; /* in the order in which they came */
	uint32_t pieces, room;
	uint64_t *bound; /* where a part begins, ascending */
	uint32_t *owner; /* by part */
	uint32_t bounds;
	bool failed; /* out of memory, or beyond the limit of `files` */
};

struct code_answer {
	const struct code_piece *piece; /* NULL: not known */
	bool ambiguous;			/* pieces of different names lay there, one after another */
};

/* A piece of no bytes is passed over, and one that wraps is cut. What it takes is spent from
 * `files`. */
void code_map_add(struct code_map *m, struct symbolize_files *files,
		  const struct code_piece *piece);

/* To be called once, when all were added. The piece that came last counts. */
void code_map_divide(struct code_map *m);

/* The same where pieces came in the order of at_ns: those count that lay there at any time between
 * from_ns and until_ns, and must have one name. */
void code_map_divide_by_time(struct code_map *m, struct symbolize_files *files, uint64_t from_ns,
			     uint64_t until_ns);

struct code_answer code_map_find(const struct code_map *m, uint64_t address);

void code_map_clear(struct code_map *m);

#endif
