// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples of what processes computed. Part of profile/profile.h. */
#pragma once

#include <stdint.h>

#include "include/scprof_format.h"

struct profile;
struct prof_frame;

/* Samples of a process on a path, by batches of the run's samples (struct scp_sampled). */
struct prof_sample {
	uint32_t process, path; /* indices; path PROF_NONE: frames are of no interest */
	uint32_t kind;		/* enum scp_sample_kind */
	uint32_t count[SCP_SAMPLE_BATCHES];
};

/* How they were taken (struct scp_sampling). period_ns 0: there was no sampling. */
struct prof_sampling {
	uint64_t period_ns, lost, cut, cpu_ns;
	uint32_t flags; /* SCP_SAMPLING_* */
};

/* One more; 0, or -1: out of memory. */
int samples_add(struct profile *p, const struct prof_sample *sample);
/* *to += *from, of one process, path and kind. */
void samples_sum(void *to, void *from);
/* Add what another file, or run, says of its sampling. */
void samples_join(struct prof_sampling *to, const struct prof_sampling *from);

/* Index in the model of a module, and of a path. */
uint32_t intern_module(struct profile *p, const char *path, const uint8_t *build_id,
		       uint32_t build_id_bytes);
uint32_t samples_path(struct profile *p, const struct prof_frame *frame, uint32_t frames,
		      uint32_t flags);
/* How many paths calls have. */
uint32_t samples_none_of(const struct profile *p);

/* A model of samples alone, to be written beside the files of the processes that they are of, and
 * added to these when the tool was killed: says that it is one. And one more of those processes, of
 * PROF_SAMPLES_PROCESSES at most. 0, or -1: out of memory. */
#define PROF_SAMPLES_FILE      "samples.scp"
#define PROF_SAMPLES_PROCESSES 4096u
void samples_stand_alone(struct profile *p);
int samples_process(struct profile *p, uint32_t pid, uint64_t start_mono_ns);
/* The process of a model that such a file means; the first one where there is no such process. */
uint32_t samples_process_find(const struct profile *p, uint32_t pid, uint64_t start_mono_ns);

/* Why there are no samples of what was computed. */
#define PROF_FILTER_UNSAMPLED "unsampled="
