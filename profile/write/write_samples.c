// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples into optional chunks. Each has its whole path: outside of tables there is no path to
 * share frames with, and most paths have few samples. */

#include <string.h>

#include "profile/write/image.h"

static void write_sampling(struct image *img, const struct prof_sampling *s)
{
	struct scp_sampling r = {.id = 1, .flags = s->flags};

	PROF_COPY_RUN(&r, period_ns, cpu_ns, s, period_ns, cpu_ns);
	image_optional_copy(img, SCP_OPTIONAL_SAMPLES, 0, SCP_REC_SAMPLING, &r, sizeof r);
}

static uint32_t batches_of(const struct prof_sample *s)
{
	uint32_t batches = 0;

	for (uint32_t i = 0; i < SCP_SAMPLE_BATCHES; i++)
		batches += s->count[i] != 0;
	return batches;
}

static void write_counts(struct scp_sampled *r, const struct prof_sample *s)
{
	uint8_t *at = (uint8_t *)&r->frame[r->frames];

	for (uint32_t i = 0; i < SCP_SAMPLE_BATCHES; i++) {
		uint32_t word = i << SCP_SAMPLE_COUNT_BITS | s->count[i];

		if (!s->count[i])
			continue;
		memcpy(at, &word, sizeof word);
		at += sizeof word;
	}
}

static void write_sample(struct image *img, const struct profile *p, uint32_t index)
{
	const struct prof_sample *s = &p->sample[index];
	const struct prof_path *path = s->path == PROF_NONE ? NULL : &p->path[s->path];
	uint32_t frames = path ? path->frames : 0, words = batches_of(s);
	struct scp_sampled *r = image_optional_record(img, SCP_OPTIONAL_SAMPLES, 0, SCP_REC_SAMPLE,
						      sizeof *r + frames * sizeof r->frame[0] +
							      words * sizeof(uint32_t));

	if (!r)
		return;
	r->id = index + 1;
	r->process = s->process + 1;
	r->kind = s->kind;
	r->flags = path ? path->flags & ~(PROF_PATH_LEFT_OUT | PROF_PATH_SAMPLED) : 0;
	r->frames = frames;
	r->words = words;
	for (uint32_t i = 0; i < frames; i++)
		r->frame[i] = write_paths_bits(&path->frame[i]);
	write_counts(r, s);
}

void write_samples(struct image *img, const struct profile *p)
{
	if (!p->sampling.period_ns)
		return;
	write_sampling(img, &p->sampling);
	for (uint32_t i = 0; i < p->samples; i++)
		write_sample(img, p, i);
	if (img->chunk)
		image_close_chunk(img);
}
