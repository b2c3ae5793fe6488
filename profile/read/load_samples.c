// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples from a checked file: what they name exists, and no count is too large for its batch. */

#include <string.h>

#include "profile/model/model.h"
#include "profile/read/load.h"

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
