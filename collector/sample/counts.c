// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples are a sequence in the order of time of processes and paths, which is cut into batches at
 * the end. Paths are those of a model of their own until the run's profile is there. */
#include <stdlib.h>

#include "collector/sample/sample_private.h"
#include "profile/base/array.h"

#define MOST_PATHS   65536u /* beyond them the innermost frame alone is kept */
#define MOST_SAMPLES (1u << 26)

struct profile *counts_names(struct sample_counts *c)
{
	if (!c->names)
		c->names = profile_new();
	return c->names;
}

bool counts_add(struct sample_counts *c, uint32_t life, struct sample_path *path)
{
	struct counted s = {life, path->kind, SAMPLE_NONE};

	if (!counts_names(c) || c->samples == MOST_SAMPLES)
		return false;
	if (path->frames > 1 && c->names->paths >= MOST_PATHS) {
		path->frames = 1;
		path->flags |= SCP_PATH_CUT;
	}
	if (path->kind == SCP_SAMPLE_COMPUTING) {
		s.path = samples_path(c->names, path->frame, path->frames, path->flags);
		if (s.path == PROF_NONE)
			return false;
	}
	return ARRAY_PUT(c->sample, c->samples, s);
}

/* A line of ours in the profile. */
static uint32_t line_into(const struct profile *names, uint64_t line, struct profile *p)
{
	struct prof_source_line l = names->source_line[line];

	l.function = source_add_function(p, &names->source_function[l.function]);
	return l.function == PROF_NONE ? PROF_NONE : source_add_line(p, &l);
}

/* A path of ours in the profile; PROF_NONE: no memory. */
static uint32_t path_into(const struct profile *names, const struct prof_path *from,
			  const struct sample_images *images, struct profile *p)
{
	struct prof_frame frame[SCP_MAX_FRAMES];

	for (uint32_t i = 0; i < from->frames; i++) {
		frame[i] = from->frame[i];
		if (frame[i].module == PROF_NO_MODULE)
			continue;
		if (frame[i].module == PROF_SOURCE) {
			uint32_t line = line_into(names, frame[i].offset, p);

			if (line == PROF_NONE)
				return PROF_NONE;
			frame[i].offset = line;
			continue;
		}
		const struct sample_image *m = &images->image[frame[i].module];
		uint32_t module = intern_module(p, m->path, m->build_id, m->build_id_bytes);

		if (module == PROF_NONE)
			return PROF_NONE;
		frame[i].module = module & PROF_NO_MODULE;
	}
	return samples_path(p, frame, from->frames, from->flags);
}

ARRAY_COMPARE(compare, struct counted, PROF_ORDER(a, b, life, path, kind))

/* The samples' lives become processes, and their paths the profile's; the batch of each moves into
 * its kind. */
static int translate(struct sample_counts *c, const struct sample_spaces *s,
		     const uint32_t *process, struct profile *p)
{
	uint32_t paths = c->names ? c->names->paths : 0;
	uint32_t *path = calloc((size_t)paths + 1, sizeof(*path));
	bool fine = path;

	for (uint32_t i = 0; fine && i < paths; i++) {
		path[i] = path_into(c->names, &c->names->path[i], &s->images, p);
		fine = path[i] != PROF_NONE;
	}
	for (uint32_t i = 0; fine && i < c->samples; i++) {
		struct counted *one = &c->sample[i];
		uint32_t batch = (uint32_t)((uint64_t)i * SCP_SAMPLE_BATCHES / c->samples);

		one->life = process[one->life];
		one->path = one->path == SAMPLE_NONE ? PROF_NONE : path[one->path];
		one->kind = one->kind * SCP_SAMPLE_BATCHES + batch;
	}
	free(path);
	return fine ? 0 : -1;
}

int counts_into(struct sample_counts *c, const struct sample_spaces *s, const uint32_t *process,
		struct profile *p)
{
	if (translate(c, s, process, p))
		return -1;
	ARRAY_SORT(c->sample, c->samples, compare);
	for (uint32_t i = 0, first = p->samples; i < c->samples; i++) {
		const struct counted *one = &c->sample[i];
		struct prof_sample sample = {.process = one->life,
					     .kind = one->kind / SCP_SAMPLE_BATCHES,
					     .path = one->path};
		const struct prof_sample *last = &p->sample[p->samples - 1];

		if ((p->samples == first || last->process != sample.process ||
		     last->path != sample.path || last->kind != sample.kind) &&
		    samples_add(p, &sample))
			return -1;
		p->sample[p->samples - 1].count[one->kind % SCP_SAMPLE_BATCHES]++;
	}
	return 0;
}

void counts_free(struct sample_counts *c)
{
	profile_free(c->names);
	free(c->sample);
}
