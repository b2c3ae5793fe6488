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
	free(w->id);
	free(w->stamp);
}

void write_paths_begin_table(struct write_paths *w, uint32_t id)
{
	w->table = id;
	w->paths = 0;
	w->last = NULL;
}

/* A model has no more modules than a file has ids for. */
uint64_t write_paths_bits(const struct prof_frame *f)
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
		struct scp_path_difference *r = image_optional_record(
			img, SCP_OPTIONAL_CHECKS, 0, SCP_REC_PATH_DIFFERENCE, sizeof *r + bytes);

		if (!r)
			return;
		r->id = i + 1;
		PROF_SET(r, d, at, ours, theirs);
		memcpy(r->frame, d->frame, bytes);
	}
	if (p->path_differences && img->chunk)
		image_close_chunk(img);
}
