// SPDX-License-Identifier: GPL-3.0-or-later
/* What the writer's two files share. */
#ifndef SCPROF_REPORT_RENDER_PPROF_PPROF_PRIVATE_H
#define SCPROF_REPORT_RENDER_PPROF_PPROF_PRIVATE_H

#include "report/render/pprof/gzip.h"
#include "report/render/pprof/pprof.pb-c.h"
#include "report/render/stacks/stacks.h"

/* A frame, or a timed function or stand-in beside them: each is a location. */
struct pprof_place {
	uint32_t number; /* of stacks */
	bool leaf;
};

struct pprof_mapped {
	uint64_t id; /* 0: no sample has a frame in it */
	bool functions, lines;
};

struct pprof_ids {
	uint64_t *id; /* by the number of stacks; 0: none yet */
	size_t room;
};

struct pprof_writer {
	struct gzip gzip;
	struct stacks stacks;
	struct string_index strings;
	struct pprof_mapped *mapped; /* one for each module of the profile */
	struct pprof_ids frame, leaf;
	struct pprof_place *place; /* by location, the first one is 1 */
	uint64_t places;
	size_t place_room;
	uint64_t *location; /* of the sample at hand; room for the longest path */
	unsigned char *packed;
	size_t packed_room;
	unsigned values; /* of each sample: the first of pprof.c's `values` */
	bool all_named;	 /* every frame gets a name */
	bool failed;	 /* out of memory */
};

/* Its number in the table of strings, where it is put at the end. */
int64_t pprof_string(struct pprof_writer *w, const char *text);

void pprof_put(struct pprof_writer *w, const Pprof__Profile *part);

/* Of all frames and functions that samples have. */
void pprof_tables_put_tables(struct pprof_writer *w);

#endif
