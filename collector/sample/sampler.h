// SPDX-License-Identifier: GPL-3.0-or-later
/* What processes compute between recorded calls: the kernel takes samples at random instants of
 * their CPU time, and a thread of the tool counts their call paths. Nothing is done in the
 * processes, which notice nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

#define SAMPLER_PERIOD_NS UINT64_C(5000000) /* of CPU time, in the mean */
#define SAMPLER_LEAST_NS  UINT64_C(100000)
#define SAMPLER_MOST_NS	  UINT64_C(1000000000)

struct recording_control;
struct scp_control_changes;
struct sampler;

/* Samples processes and what they fork, at each `period_ns` in the mean, until sampler_stop. One
 * that `begins` counts once it has become another program. NULL and *err: it cannot be done here,
 * and why. What was sampled so far is written to a file in `directory`, where the processes have
 * theirs, about each second, for where the tool is killed. Whoever removes the directory removes
 * it. */
struct sampler *sampler_begin(const pid_t *pid, size_t count, bool begins, uint64_t period_ns,
			      const char *directory, struct profile_error *err);

/* Samples count while recording is on, and in processes that say so where `changes` are given,
 * which begin stopped. NULL, as at first: always. Both live until sampler_stop. */
void sampler_follow(struct sampler *s, struct recording_control *control,
		    const struct scp_control_changes *changes);

void sampler_stop(struct sampler *s);

/* After that, once: into the profile of the same processes. cpu_ns and user_ns: what the kernel
 * charged to them, in all and in user space; 0: not known. 0, or -1: out of memory. */
int sampler_into(struct sampler *s, struct profile *p, uint64_t cpu_ns, uint64_t user_ns);

/* NULL: nothing. */
void sampler_free(struct sampler *s);
