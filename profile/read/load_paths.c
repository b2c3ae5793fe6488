// SPDX-License-Identifier: GPL-3.0-or-later
/* A path's frames are its own and, outside of them, those of its bases. references_check has made
 * each step from base to base add a frame: no file makes it take more than SCP_MAX_FRAMES steps,
 * nor fills the model with more than SCP_MAX_FRAMES frames for a path and its entry, which is less
 * than a histogram for its record. */
#include "profile/read/load.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model/model.h"

static const struct scp_path *record_of(const struct load_paths *l, uint32_t i)
{
	return raw_record(l->raw, &l->raw->list[SCP_REC_PATH].ref[i]);
}

static struct prof_frame frame_of(const struct load_paths *l, uint64_t bits)
{
	if (raw_frame_is_source(bits)) {
		uint32_t line = raw_find(&l->raw->list[SCP_REC_SOURCE_LINE], 0,
					 (uint32_t)SCP_FRAME_OFFSET(bits), 0);

		return (struct prof_frame){.module = PROF_SOURCE, .offset = l->line[line]};
	}
	return (struct prof_frame){
		.offset = SCP_FRAME_OFFSET(bits),
		.exact = SCP_FRAME_EXACT(bits),
		.module = l->module[SCP_FRAME_MODULE(bits)],
		.heuristic = (bits & SCP_FRAME_HEURISTIC) != 0,
	};
}

static void put_frames(const struct load_paths *l, uint32_t i, struct prof_frame *frame)
{
	uint32_t table = l->raw->list[SCP_REC_PATH].ref[i].table;
	const struct scp_path *r = record_of(l, i);
	uint32_t wanted = r->frames; /* so many of the outermost of this path */

	while (wanted) {
		uint32_t index = l->map[i], own;

		if (index != PROF_NONE) {
			const struct prof_path *known = &l->p->path[index];

			memcpy(frame, known->frame + known->frames - wanted,
			       wanted * sizeof *frame);
			return;
		}
		r = record_of(l, i);
		own = wanted - r->shared;
		for (uint32_t k = raw_own_frames(r) - own; k < raw_own_frames(r); k++)
			*frame++ = frame_of(l, r->frame[k]);
		wanted = r->shared;
		if (wanted)
			i = raw_find(&l->raw->list[SCP_REC_PATH], table, r->base, 0);
	}
}

uint32_t load_paths_add(struct load_paths *l, uint32_t i)
{
	const struct scp_path *r = record_of(l, i);
	struct prof_frame frame[SCP_MAX_FRAMES];

	if (l->map[i] != PROF_NONE)
		return l->map[i];
	put_frames(l, i, frame);
	l->map[i] = intern_paths_add(l->p, frame, r->frames, r->flags);
	return l->map[i];
}

/* The same of a path that is whole, its frames as in a file: SCP_MAX_FRAMES at most. */
static uint32_t load_paths_of(struct load_paths *l, const uint64_t *bits, uint32_t frames,
			      uint32_t flags)
{
	struct prof_frame frame[SCP_MAX_FRAMES];

	for (uint32_t i = 0; i < frames; i++)
		frame[i] = frame_of(l, bits[i]);
	return samples_path(l->p, frame, frames, flags);
}

int load_paths_differences(struct profile *p, const struct raw_file *raw)
{
	const struct raw_list *list = &raw->list[SCP_REC_PATH_DIFFERENCE];

	for (uint32_t i = 0; i < list->count && p->path_differences < SCP_PATH_DIFFERENCES_MAX;
	     i++) {
		const struct scp_path_difference *r = raw_record(raw, &list->ref[i]);
		struct prof_path_difference *d = model_add(p, MODEL_PATH_DIFFERENCE);
		size_t bytes = ((size_t)r->ours + r->theirs) * sizeof r->frame[0];

		if (!d || !(d->frame = malloc(bytes + 1)))
			return -1;
		PROF_SET(d, r, at, ours, theirs);
		memcpy(d->frame, r->frame, bytes);
	}
	return 0;
}

/* Samples from a checked file: what they name exists, and no count is too large for its batch. */
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

static int load_one(struct load_paths *l, const struct scp_sampled *r, uint32_t process)
{
	bool has_path = r->kind == SCP_SAMPLE_COMPUTING;
	struct prof_sample s = {.process = process, .kind = r->kind, .path = PROF_NONE};

	load_counts(r, &s);
	if (has_path)
		s.path = load_paths_of(l, r->frame, r->frames, r->flags);
	if (has_path && s.path == PROF_NONE)
		return -1;
	return samples_add(l->p, &s);
}

static void load_sampling(struct profile *p, const struct scp_sampling *r)
{
	struct prof_sampling s = {0};

	PROF_COPY_RUN(&s, period_ns, cpu_ns, r, period_ns, cpu_ns);
	s.flags = r->flags & (SCP_SAMPLING_USER | SCP_SAMPLING_MIXED);
	samples_join(&p->sampling, &s);
}

int load_samples(struct load_paths *l, uint32_t *const *map)
{
	const struct raw_file *raw = l->raw;
	const struct raw_list *list = &raw->list[SCP_REC_SAMPLE],
			      *sampling = &raw->list[SCP_REC_SAMPLING];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_sampled *r = raw_record(raw, &list->ref[i]);

		if (load_one(l, r, load_index(raw, map, SCP_REC_PROCESS, 0, r->process)))
			return -1;
	}
	/* Samples without it have no time. One is enough. */
	if (sampling->count)
		load_sampling(l->p, raw_record(raw, &sampling->ref[0]));
	return 0;
}
