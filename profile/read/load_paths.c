// SPDX-License-Identifier: GPL-3.0-or-later
/* A path's frames are its own and, outside of them, those of its bases. references_check has made
 * each step from base to base add a frame: no file makes it take more than SCP_MAX_FRAMES steps,
 * nor fills the model with more than SCP_MAX_FRAMES frames for a path and its entry, which is less
 * than a histogram for its record. */
#include "profile/read/load.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model/model.h"

static struct prof_frame frame_of(const struct load *l, uint64_t bits)
{
	if (raw_frame_is_source(bits)) {
		uint32_t line =
			load_index(l, SCP_REC_SOURCE_LINE, 0, (uint32_t)SCP_FRAME_OFFSET(bits));

		return (struct prof_frame){.module = PROF_SOURCE, .offset = line};
	}
	return (struct prof_frame){
		.offset = SCP_FRAME_OFFSET(bits),
		.exact = SCP_FRAME_EXACT(bits),
		.module = l->module[SCP_FRAME_MODULE(bits)],
		.heuristic = (bits & SCP_FRAME_HEURISTIC) != 0,
	};
}

static void put_frames(const struct load *l, uint32_t i, struct prof_frame *frame)
{
	uint32_t table = l->raw->list[SCP_REC_PATH].ref[i].table;
	const struct scp_path *r = load_record(l, SCP_REC_PATH, i);
	uint32_t wanted = r->frames; /* so many of the outermost of this path */

	while (wanted) {
		uint32_t index = l->map[SCP_REC_PATH][i], own;

		if (index != PROF_NONE) {
			const struct prof_path *known = &l->p->path[index];

			memcpy(frame, known->frame + known->frames - wanted,
			       wanted * sizeof *frame);
			return;
		}
		r = load_record(l, SCP_REC_PATH, i);
		own = wanted - r->shared;
		for (uint32_t k = raw_own_frames(r) - own; k < raw_own_frames(r); k++)
			*frame++ = frame_of(l, r->frame[k]);
		wanted = r->shared;
		if (wanted)
			i = raw_find(&l->raw->list[SCP_REC_PATH], table, r->base, 0);
	}
}

uint32_t load_paths_add(struct load *l, uint32_t i)
{
	const struct scp_path *r = load_record(l, SCP_REC_PATH, i);
	struct prof_frame frame[SCP_MAX_FRAMES];
	uint32_t *index = &l->map[SCP_REC_PATH][i];

	if (*index != PROF_NONE)
		return *index;
	put_frames(l, i, frame);
	*index = intern_paths_add(l->p, frame, r->frames, r->flags);
	return *index;
}

/* The same of a path that is whole, its frames as in a file: SCP_MAX_FRAMES at most. */
static uint32_t load_paths_of(struct load *l, const uint64_t *bits, uint32_t frames, uint32_t flags)
{
	struct prof_frame frame[SCP_MAX_FRAMES];

	for (uint32_t i = 0; i < frames; i++)
		frame[i] = frame_of(l, bits[i]);
	return samples_path(l->p, frame, frames, flags);
}

int load_path_difference(struct load *l, uint32_t i)
{
	const struct scp_path_difference *r = load_record(l, SCP_REC_PATH_DIFFERENCE, i);
	size_t bytes = ((size_t)r->ours + r->theirs) * sizeof r->frame[0];

	if (l->p->path_differences == SCP_PATH_DIFFERENCES_MAX)
		return 0;
	struct prof_path_difference *d = model_add(l->p, MODEL_PATH_DIFFERENCE);
	if (!d || !(d->frame = malloc(bytes + 1)))
		return -1;
	PROF_SET(d, r, at, ours, theirs);
	memcpy(d->frame, r->frame, bytes);
	return 0;
}

/* The words behind the frames: a batch each. A batch that stands there twice is added up. */
static void load_counts(const struct scp_sampled *r, struct prof_sample *s)
{
	for (uint32_t i = 0; i < r->words; i++) {
		uint32_t word, count;

		memcpy(&word, (const uint8_t *)&r->frame[r->frames] + i * sizeof word, sizeof word);
		count = word & SCP_SAMPLE_COUNT_MAX;
		uint32_t *to = &s->count[word >> SCP_SAMPLE_COUNT_BITS];

		*to = *to + count > SCP_SAMPLE_COUNT_MAX ? SCP_SAMPLE_COUNT_MAX : *to + count;
	}
}

int load_sample(struct load *l, uint32_t i)
{
	const struct scp_sampled *r = load_record(l, SCP_REC_SAMPLE, i);
	bool has_path = r->kind == SCP_SAMPLE_COMPUTING;
	struct prof_sample s = {.process = load_index(l, SCP_REC_PROCESS, 0, r->process),
				.kind = r->kind,
				.path = PROF_NONE};

	load_counts(r, &s);
	if (has_path)
		s.path = load_paths_of(l, r->frame, r->frames, r->flags);
	if (has_path && s.path == PROF_NONE)
		return -1;
	return samples_add(l->p, &s);
}

/* Samples without it have no time. One is enough. */
int load_sampling(struct load *l, uint32_t i)
{
	const struct scp_sampling *r = load_record(l, SCP_REC_SAMPLING, i);
	struct prof_sampling s = {.flags = r->flags & (SCP_SAMPLING_USER | SCP_SAMPLING_MIXED)};

	PROF_COPY_RUN(&s, period_ns, cpu_ns, r, period_ns, cpu_ns);
	if (i == 0)
		samples_join(&l->p->sampling, &s);
	return 0;
}
