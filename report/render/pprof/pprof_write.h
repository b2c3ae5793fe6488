// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of a profile in pprof's format, each a message of its own, and the
 * table of strings that they refer to. */
#ifndef SCPROF_REPORT_RENDER_PPROF_PPROF_WRITE_H
#define SCPROF_REPORT_RENDER_PPROF_PPROF_WRITE_H

#include "report/render/pprof/pprof.pb-c.h"
#include "report/render/stacks/stacks.h"

struct pprof_mapped {
	uint64_t id; /* 0: no sample has a frame in it */
	bool functions, lines;
};

struct pprof_writer {
	FILE *messages; /* private, and what it holds */
	char *text;
	size_t bytes;
	struct stacks stacks;
	struct string_index strings;
	struct pprof_mapped *mapped; /* one for each module of the profile */
	/* By location, the first one is 1: the number of stacks; of a frame, or (1) of a timed
	 * function or stand-in beside them. */
	struct pairs places;
	uint64_t *location; /* of the sample at hand; room for the longest path */
	enum report_weight value[REPORT_WEIGHTS]; /* of each sample */
	unsigned values;
	bool all_named; /* every frame gets a name */
	bool failed;	/* out of memory */
};

/* -1: out of memory. pprof_write_end is due either way. */
int pprof_write_begin(struct pprof_writer *w);
/* All messages, compressed. 0, or -1: something failed since the beginning. */
int pprof_write_end(struct pprof_writer *w, FILE *out);

/* Its number in the table of strings, which is written last. */
int64_t pprof_write_string(struct pprof_writer *w, const char *text);

/* Messages add up: a reader puts the parts of a profile together. */
void pprof_write_message(struct pprof_writer *w, const Pprof__Profile *part);

#endif
