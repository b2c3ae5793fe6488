// SPDX-License-Identifier: GPL-3.0-or-later
/* Records of optional chunks that belong to no entry's sums (write_optional.c is the reverse). All
 * that a file has is taken, in the order of its ids: so what is written reads back in the same
 * order. */
#include <string.h>

#include "profile/model/model.h"
#include "profile/read/load.h"

static int load_functions(struct profile *p, const struct raw_file *raw, uint32_t *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SOURCE_FUNCTION];

	for (uint32_t i = 0; i < list->count; i++) {
		struct scp_source_function *r = raw_record(raw, &list->ref[i]);
		const struct prof_source_function f = {
			.name = r->strings,
			.file = r->strings + r->name_bytes,
			.first_line = r->first_line,
			.language = r->language,
		};

		map[i] = source_add_function(p, &f);
		if (map[i] == PROF_NONE)
			return -1;
	}
	return 0;
}

static int load_lines(struct profile *p, const struct raw_file *raw, const uint32_t *function,
		      uint32_t *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SOURCE_LINE];
	const struct raw_list *functions = &raw->list[SCP_REC_SOURCE_FUNCTION];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_source_line *r = raw_record(raw, &list->ref[i]);
		struct prof_source_line l = {
			.function = function[raw_find(functions, 0, r->function, 0)],
		};

		PROF_COPY_RUN(&l, line, instruction, r, line, instruction);
		map[i] = source_add_line(p, &l);
		if (map[i] == PROF_NONE)
			return -1;
	}
	return 0;
}

/* In a file of one process, code of all processes is code of this one. */
static int load_generated(struct profile *p, const struct raw_file *raw)
{
	const struct raw_list *list = &raw->list[SCP_REC_GENERATED];
	const struct scp_header *h = raw_header(raw);
	uint32_t pid = h->flags & SCP_FILE_MERGED ? 0 : h->pid;

	for (uint32_t i = 0; i < list->count; i++) {
		struct scp_generated *r = raw_record(raw, &list->ref[i]);
		const struct prof_generated g = {
			.start = r->start,
			.bytes = r->bytes,
			.pid = r->pid ? r->pid : pid,
			.name = r->name,
		};

		if (source_add_generated(p, &g) == PROF_NONE)
			return -1;
	}
	return 0;
}

int load_source(struct profile *p, const struct raw_file *raw, uint32_t *const *map)
{
	uint32_t *function = map[SCP_REC_SOURCE_FUNCTION];

	return load_functions(p, raw, function) ||
			       load_lines(p, raw, function, map[SCP_REC_SOURCE_LINE]) ||
			       load_generated(p, raw)
		       ? -1
		       : 0;
}

static int load_slow_call(struct profile *p, const struct raw_file *raw, uint32_t *const *map,
			  const struct raw_ref *ref)
{
	const struct scp_slowest *r = raw_record(raw, ref);
	struct prof_slowest *s;

	if (!INTERN_ROOM(p, slowest, slowests, MODEL_SLOWEST))
		return -1;
	s = &p->slowest[p->slowests++];
	*s = (struct prof_slowest){
		.entry = load_index(raw, map, SCP_REC_ENTRY, ref->table, r->entry),
	};
	PROF_COPY_RUN(s, tid, asleep_ns, r, tid, asleep_ns);
	s->pid = r->pid ? r->pid : raw_header(raw)->pid;
	if (s->state > SCP_SLOWEST_READ)
		s->state = SCP_SLOWEST_UNKNOWN;
	if (s->state != SCP_SLOWEST_READ)
		s->runnable_ns = s->asleep_ns = 0;
	memset(s->name + strnlen(s->name, sizeof s->name - 1), 0, 1);
	return 0;
}

int load_slowest(struct profile *p, const struct raw_file *raw, uint32_t *const *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_SLOWEST];

	for (uint32_t i = 0; i < list->count; i++)
		if (load_slow_call(p, raw, map, &list->ref[i]))
			return -1;
	return 0;
}

/* One that was being written when its process was killed may contradict itself: it tells nothing.
 */
static bool look_is_sane(const struct prof_look *k)
{
	return k->timed <= k->calls && k->timed <= k->weight && k->weight >> 48 == 0 &&
	       k->calls >> 60 == 0;
}

static int load_one_look(struct profile *p, const struct raw_file *raw, uint32_t *const *map,
			 const struct raw_ref *ref)
{
	const struct scp_look *r = raw_record(raw, ref);
	struct prof_look k = {
		.table = load_index(raw, map, SCP_REC_TABLE, ref->table, 0),
		.function = load_index(raw, map, SCP_REC_FUNCTION, 0, ref->id),
	};

	PROF_COPY_RUN(&k, calls, units_sq, r, calls, units_sq_hi);
	if (!k.calls || !look_is_sane(&k))
		return 0;
	if (!INTERN_ROOM(p, look, looks, MODEL_LOOK))
		return -1;
	p->look[p->looks++] = k;
	return 0;
}

int load_look(struct profile *p, const struct raw_file *raw, uint32_t *const *map)
{
	const struct raw_list *list = &raw->list[SCP_REC_LOOK];

	for (uint32_t i = 0; i < list->count; i++)
		if (load_one_look(p, raw, map, &list->ref[i]))
			return -1;
	return 0;
}
