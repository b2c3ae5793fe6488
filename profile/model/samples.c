// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples under addition: batches of the same number are added, whatever run they are of. What
 * varies from one batch to the next varies in the sum as well, so that its scatter still tells how
 * far samples that follow each other depend. */
#include <stdlib.h>
#include <string.h>

#include "profile/model/model.h"

int samples_add(struct profile *p, const struct prof_sample *sample)
{
	struct prof_sample *s = model_add(p, MODEL_SAMPLE);

	if (s)
		*s = *sample;
	return s ? 0 : -1;
}

void samples_sum(void *to, void *from)
{
	struct prof_sample *d = to;
	const struct prof_sample *s = from;

	for (uint32_t i = 0; i < SCP_SAMPLE_BATCHES; i++) {
		uint64_t sum = (uint64_t)d->count[i] + s->count[i];

		d->count[i] = sum > SCP_SAMPLE_COUNT_MAX ? SCP_SAMPLE_COUNT_MAX : (uint32_t)sum;
	}
}

static uint64_t add64(uint64_t a, uint64_t b)
{
	return b > INT64_MAX - a ? INT64_MAX : a + b;
}

void samples_join(struct prof_sampling *to, const struct prof_sampling *from)
{
	if (!from->period_ns)
		return;
	if (!to->period_ns) {
		*to = *from;
		return;
	}
	if (to->period_ns != from->period_ns)
		to->flags |= SCP_SAMPLING_MIXED;
	to->flags |= from->flags;
	to->lost = add64(to->lost, from->lost);
	to->cut = add64(to->cut, from->cut);
	to->cpu_ns = to->cpu_ns && from->cpu_ns ? add64(to->cpu_ns, from->cpu_ns) : 0;
}

uint32_t samples_path(struct profile *p, const struct prof_frame *frame, uint32_t frames,
		      uint32_t flags)
{
	return intern_paths_add(p, frame, frames, flags | PROF_PATH_SAMPLED);
}

void samples_stand_alone(struct profile *p)
{
	p->flags |= SCP_FILE_SAMPLES;
	p->index->has_clock = true; /* of none: what is read has no call */
	p->index->clock = (struct scp_clock){.kind = SCP_CLOCK_MONOTONIC, .resolution_units = 1};
}

int samples_process(struct profile *p, uint32_t pid, uint64_t start_mono_ns)
{
	struct prof_process q = {.pid = pid,
				 .count = 1,
				 .exe = strdup(""),
				 .program = strdup(""),
				 .file = strdup(""),
				 .argv = calloc(1, sizeof(*q.argv)),
				 .start_mono_ns = start_mono_ns};

	bool whole = q.exe && q.program && q.file && q.argv;
	struct prof_process *own = whole ? model_add(p, MODEL_PROCESS) : NULL;

	if (own)
		*own = q;
	else
		model_clear_process(&q);
	return own ? 0 : -1;
}

uint32_t samples_process_find(const struct profile *p, uint32_t pid, uint64_t start_mono_ns)
{
	uint32_t i = p->processes;

	while (i-- > 1)
		if (p->process[i].pid == pid && p->process[i].start_mono_ns == start_mono_ns)
			return i;
	return 0;
}

uint32_t samples_none_of(const struct profile *p)
{
	uint32_t paths = 0;

	for (uint32_t i = 0; i < p->paths; i++)
		paths += !(p->path[i].flags & PROF_PATH_SAMPLED);
	return paths;
}
