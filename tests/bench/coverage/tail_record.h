// SPDX-License-Identifier: GPL-3.0-or-later
/* A site's histogram and, batch by batch, its calls by octaves, as the library counts them. */
#ifndef COVERAGE_TAIL_RECORD_H
#define COVERAGE_TAIL_RECORD_H

#include "tests/bench/coverage/recorder.h"
#include "stats/histogram/histogram.h"
#include "stats/histogram/tail.h"

struct tail_record {
	uint64_t hist[STATS_HIST_BUCKETS];
	struct stats_tail tail; /* points to `slot`; ready after tail_record_end */
	uint32_t slot[RECORDER_BATCHES][STATS_TAIL_OCTAVES];
};

/* For n calls. */
void tail_record_begin(struct tail_record *r, uint64_t n);

/* The `call`-th one, from 0 on. */
void tail_record_add(struct tail_record *r, uint64_t call, uint64_t ticks);

void tail_record_end(struct tail_record *r, const struct recorder *recorder);

#endif
