// SPDX-License-Identifier: GPL-3.0-or-later
/* Entries stand in the order in which they were first called, so a path has most of its frames in
 * common with the one before: that one is its base. */
#include "profile/write/image.h"

#include <stdlib.h>
#include <string.h>

int write_paths_begin(struct write_paths *w, const struct profile *p)
{
	*w = (struct write_paths){.p = p};
	w->id = calloc((size_t)p->paths + 1, sizeof *w->id);
	w->stamp = calloc((size_t)p->paths + 1, sizeof *w->stamp);
	return w->id && w->stamp ? 0 : -1;
}

void write_paths_end(struct write_paths *w)
{
	PROF_FREE(w, id, stamp);
}

void write_paths_begin_table(struct write_paths *w, uint32_t id)
{
	w->table = id;
	w->paths = 0;
	w->last = NULL;
}

/* A model has no more modules than a file has ids for. */
static uint64_t write_paths_bits(const struct prof_frame *f)
{
	if (f->module == PROF_SOURCE)
		return SCP_FRAME(SCP_FRAME_SOURCE, 0, f->offset + 1);
	return SCP_FRAME(f->module == PROF_NO_MODULE ? 0 : f->module + 1u, f->exact, f->offset) |
	       (f->heuristic ? SCP_FRAME_HEURISTIC : 0);
}

/* Frames that both have, from the outermost on. */
static uint32_t shared_frames(const struct prof_path *a, const struct prof_path *b)
{
	uint32_t most = a->frames < b->frames ? a->frames : b->frames, n = 0;

	while (n < most && !memcmp(&a->frame[a->frames - 1 - n], &b->frame[b->frames - 1 - n],
				   sizeof a->frame[0]))
		n++;
	return n;
}

uint32_t write_paths_put(struct write_paths *w, struct image *img, uint32_t index)
{
	const struct prof_path *p = &w->p->path[index];
	struct scp_path *r;

	if (w->stamp[index] == w->table)
		return w->id[index];
	uint32_t shared = w->last ? shared_frames(p, w->last) : 0;
	uint32_t own = p->frames - shared;
	r = image_record(img, SCP_REC_PATH,
			 offsetof(struct scp_path, frame) + own * sizeof r->frame[0]);
	if (!r)
		return 0;
	r->base = shared ? w->paths : 0;
	r->id = ++w->paths;
	r->frames = (uint16_t)p->frames;
	r->shared = (uint16_t)shared;
	r->flags = p->flags;
	for (uint32_t i = 0; i < own; i++)
		r->frame[i] = write_paths_bits(&p->frame[i]);
	w->stamp[index] = w->table;
	w->id[index] = w->paths;
	w->last = p;
	return w->paths;
}

void write_paths_differences(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->path_differences; i++) {
		const struct prof_path_difference *d = &p->path_difference[i];
		size_t bytes = ((size_t)d->ours + d->theirs) * sizeof d->frame[0];
		struct scp_path_difference *r =
			image_record(img, SCP_REC_PATH_DIFFERENCE, sizeof *r + bytes);

		if (!r)
			return;
		r->id = i + 1;
		PROF_SET(r, d, at, ours, theirs);
		memcpy(r->frame, d->frame, bytes);
	}
}

/* Samples into optional chunks. Each has its whole path: outside of tables there is no path to
 * share frames with, and most paths have few samples. */
static void write_sampling(struct image *img, const struct prof_sampling *s)
{
	struct scp_sampling r = {.id = 1, .flags = s->flags};

	PROF_COPY_RUN(&r, period_ns, cpu_ns, s, period_ns, cpu_ns);
	image_copy(img, SCP_REC_SAMPLING, &r, sizeof r);
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
	struct scp_sampled *r =
		image_record(img, SCP_REC_SAMPLE,
			     sizeof *r + frames * sizeof r->frame[0] + words * sizeof(uint32_t));

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
}
