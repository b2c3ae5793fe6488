// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of a profile in pprof's format, each a message of its own in one gzip stream, and the
 * table of strings that they refer to. */
#ifndef SCPROF_REPORT_RENDER_PPROF_PPROF_WRITE_H
#define SCPROF_REPORT_RENDER_PPROF_PPROF_WRITE_H

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

#include "report/containers/pairs.h"
#include "report/render/pprof/pprof.pb-c.h"
#include "report/render/stacks/stacks.h"

/* Without a time stamp: equal input, equal output. */
struct gzip {
	z_stream z;
	FILE *out;
	bool failed, begun;
	unsigned char room[1 << 16];
};

struct pprof_mapped {
	uint64_t id; /* 0: no sample has a frame in it */
	bool functions, lines;
};

struct pprof_writer {
	struct gzip gzip;
	struct stacks stacks;
	struct string_index strings;
	struct pprof_mapped *mapped; /* one for each module of the profile */
	/* By location, the first one is 1: the number of stacks; of a frame, or (1) of a timed
	 * function or stand-in beside them. */
	struct pairs places;
	uint64_t *location; /* of the sample at hand; room for the longest path */
	unsigned char *packed;
	size_t packed_room;
	enum report_weight value[REPORT_WEIGHTS]; /* of each sample */
	unsigned values;
	bool all_named; /* every frame gets a name */
	bool failed;	/* out of memory */
};

int pprof_write_begin(struct gzip *g, FILE *out);
/* 0, or -1: something failed since pprof_write_begin, which it must follow in any case. */
int pprof_write_end(struct gzip *g);

/* Its number in the table of strings, which is written last. */
int64_t pprof_write_string(struct pprof_writer *w, const char *text);

/* Messages add up: a reader puts the parts of a profile together. */
void pprof_write_message(struct pprof_writer *w, const Pprof__Profile *part);

#endif
