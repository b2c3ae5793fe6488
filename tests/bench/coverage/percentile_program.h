// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs whose percentiles are known, and what the library keeps of them. */
#ifndef COVERAGE_PERCENTILE_PROGRAM_H
#define COVERAGE_PERCENTILE_PROGRAM_H

#include "tests/bench/coverage/walk.h"
#include "tests/bench/coverage/tail_record.h"

/* DEPENDENCE_LOAD: so many of the bursts take so much longer. */
#define PROGRAM_LOAD_SHARE 0.05
#define PROGRAM_LOAD_LEVEL 20.0

struct program {
	struct cell cell; /* its dependence is NONE for PROGRAM_LOAD */
	bool load;
};

struct program_run {
	struct recorder recorder;
	struct tail_record tail;
};

struct program program_make(unsigned dependence, enum law_kind law, uint64_t n);
const char *program_name(const struct program *p);
void program_run(const struct program *p, struct dice *d, struct program_run *r);

/* The smallest x with P(T <= x) >= q. */
double program_quantile(const struct program *p, double q);

#endif
