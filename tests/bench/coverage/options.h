// SPDX-License-Identifier: GPL-3.0-or-later
/* What the study is asked to do: which cells of the grid, how long for each. */
#ifndef COVERAGE_OPTIONS_H
#define COVERAGE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_LIST 16
#define OPTIONS_JOBS 64

struct options_list {
	unsigned count;
	double value[OPTIONS_LIST];
};

struct options {
	struct options_list means, n;	    /* in ticks; calls, ascending as given */
	unsigned laws, dependences, clocks; /* bit masks; clocks: 1 fixed, 2 randomised */
	double budget_ns;		    /* for a cell */
	uint64_t least, most;		    /* replications */
	double pool;			    /* scale of what is simulated beforehand */
	int jobs;			    /* threads, 1 to OPTIONS_JOBS */
	size_t failures;		    /* to list of each criterion */
	const char *csv;		    /* NULL: standard output */
	bool check;			    /* of the study itself */
	bool intervals;			    /* compare intervals of a proportion instead */
	bool threads;			    /* programs of many threads instead */
	bool states;			    /* calls that sleep or lose their CPU instead */
	bool percentiles;		    /* limits of percentiles instead */
	bool heldout;			    /* laws that the rule was not tuned on instead */
	const char *traces;		    /* with it, a folder of recorded durations; or NULL */
	const char *streams;		    /* names of such laws, or beginnings; NULL: all */
};

/* From the command line. False after a line of error, or help, on standard error. */
bool options_parse(struct options *o, int argc, char **argv);

#endif
