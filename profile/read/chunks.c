// SPDX-License-Identifier: GPL-3.0-or-later
/* Walk the regions and chunks of an image and list the records. A granule without a chunk magic is
 * skipped: the writer died, or is now, between taking the chunk and saying what it is. See raw.h
 * for the marks. */

#include <stdlib.h>

#include "profile/base/error.h"
#include "profile/read/raw.h"
#include "profile/base/array.h"

struct walk {
	const uint8_t *image;
	uint64_t image_bytes;
	uint32_t region;
	uint64_t at, end; /* in the region: next granule, end of what was handed out */
	uint64_t region_end;
};

static const struct scp_header *header_of(const struct walk *w)
{
	return (const struct scp_header *)(const void *)w->image;
}

static void enter_region(struct walk *w, uint32_t region)
{
	const struct scp_header *h = header_of(w);

	w->region = region;
	if (region >= h->region_count)
		return;
	w->at = h->regions[region].offset;
	w->end = w->at + raw_region_used(&h->regions[region]);
	w->region_end = w->at + h->regions[region].bytes;
}

static bool chunk_is_sound(const struct walk *w, const struct scp_chunk *c)
{
	if (c->magic == SCP_OPTIONAL_MAGIC && c->bytes != SCP_GRANULE)
		return false;
	return c->bytes >= SCP_GRANULE && c->bytes % SCP_GRANULE == 0 &&
	       c->bytes <= w->region_end - w->at && c->used <= c->bytes &&
	       c->used <= w->image_bytes - w->at && (c->used == 0 || c->used >= sizeof *c);
}

/* The next chunk, or NULL at the end. The walk stands still on a chunk whose
 * sizes are wrong (*sound false); the caller must not go on then. */
static const struct scp_chunk *next_chunk(struct walk *w, uint64_t *offset, bool *sound)
{
	const struct scp_chunk *c;

	while (w->region < header_of(w)->region_count) {
		if (w->at >= w->end || w->end - w->at < sizeof *c) {
			enter_region(w, w->region + 1);
			continue;
		}
		c = (const struct scp_chunk *)(const void *)(w->image + w->at);
		if (c->magic != SCP_CHUNK_MAGIC && c->magic != SCP_OPTIONAL_MAGIC) {
			w->at += SCP_GRANULE;
			continue;
		}
		*offset = w->at;
		*sound = chunk_is_sound(w, c);
		if (*sound)
			w->at += c->bytes;
		return c;
	}
	return NULL;
}

static void walk_begin(struct walk *w, const uint8_t *image, uint64_t bytes)
{
	*w = (struct walk){.image = image, .image_bytes = bytes};
	enter_region(w, 0);
}

int chunks_mark(const uint8_t *image, uint64_t bytes, struct raw_marks *marks)
{
	const struct scp_chunk *c;
	struct walk w;
	uint64_t offset;
	bool sound;

	marks->mark = malloc(bytes / SCP_GRANULE * sizeof *marks->mark);
	if (!marks->mark)
		return -1;
	marks->count = 0;
	walk_begin(&w, image, bytes);
	while ((c = next_chunk(&w, &offset, &sound)) && sound)
		marks->mark[marks->count++] = (struct raw_mark){offset, c->used};
	return 0;
}

/* Both walks go through the chunks in the same order, so *next only advances. */
static uint64_t marked_used(const struct raw_marks *marks, uint32_t *next, uint64_t offset)
{
	if (marks->all)
		return UINT64_MAX;
	for (uint32_t i = *next; i < marks->count; i++) {
		if (marks->mark[i].offset == offset) {
			*next = i + 1;
			return marks->mark[i].used;
		}
	}
	return 0;
}

static bool belongs(uint32_t record_type, const struct scp_chunk *c)
{
	const struct record_kind *kind = &record_kinds[record_type];

	if (c->magic == SCP_OPTIONAL_MAGIC || kind->optional)
		return c->magic == SCP_OPTIONAL_MAGIC && c->type == kind->optional;
	return kind->of_process == (c->type == SCP_CHUNK_PROCESS);
}

/* Of optional chunks. */
static bool is_of_no_table(uint32_t chunk_type)
{
	return chunk_type == SCP_OPTIONAL_ACCOUNT || chunk_type == SCP_OPTIONAL_CHECKS ||
	       chunk_type == SCP_OPTIONAL_ENDS || chunk_type == SCP_OPTIONAL_ATTACH ||
	       chunk_type == SCP_OPTIONAL_SOURCE || chunk_type == SCP_OPTIONAL_SAMPLES;
}

/* An optional chunk that this reader does not know. */
static bool is_foreign(const struct scp_chunk *c)
{
	return c->magic == SCP_OPTIONAL_MAGIC && c->type != SCP_OPTIONAL_SLOWEST &&
	       c->type != SCP_OPTIONAL_STATES && c->type != SCP_OPTIONAL_TAIL &&
	       c->type != SCP_OPTIONAL_LOOK && !is_of_no_table(c->type);
}

/* Where a chunk ended at each of the earlier readings (enum raw_reading). */
struct limits {
	uint64_t end[RAW_READINGS];
};

/* Was it there when the records that it refers to were read? */
static bool too_young(uint32_t type, uint64_t end, const struct limits *limits)
{
	return type < RAW_TYPES && end > limits->end[record_kinds[type].reading];
}

static int collect_record(struct raw_file *raw, const struct scp_chunk *c, uint64_t offset,
			  const struct scp_record *rec, struct profile_error *err)
{
	struct raw_ref ref = {.table = c->table, .at = (uint32_t)(offset / SCP_RECORD_ALIGN)};

	if (rec->type < SCP_REC_FUNCTION || rec->type >= RAW_TYPES || !belongs(rec->type, c))
		return error_damaged(
			err, raw->path,
			"a record of type %u stands at byte %llu, in a chunk of type %u", rec->type,
			(unsigned long long)offset, c->type);
	if (records_check(raw->path, rec, c->table, &ref, err))
		return -1;
	if (!ARRAY_PUT(raw->list[rec->type].ref, raw->list[rec->type].count, ref))
		return error_no_memory(err, raw->path);
	return 0;
}

/* A thread was about to begin its table when the process was killed, or read: the chunk gets its
 * number before the first record counts. */
static bool is_unfinished(const struct scp_chunk *c)
{
	return c->magic == SCP_CHUNK_MAGIC && c->type == SCP_CHUNK_TABLE && !c->table &&
	       c->used == sizeof *c;
}

static int collect_chunk(struct raw_file *raw, const struct scp_chunk *c, uint64_t offset,
			 const struct limits *limits, struct profile_error *err)
{
	uint64_t at = sizeof *c;

	if (is_unfinished(c))
		return 0;
	if (c->magic == SCP_OPTIONAL_MAGIC
		    ? is_of_no_table(c->type) != (c->table == 0)
		    : (c->type != SCP_CHUNK_PROCESS && c->type != SCP_CHUNK_TABLE) ||
			      (c->type == SCP_CHUNK_TABLE) != (c->table != 0))
		return error_damaged(err, raw->path, "the chunk at byte %llu has type %u, table %u",
				     (unsigned long long)offset, c->type, c->table);
	while (at < c->used) {
		const uint8_t *p = raw->image + offset + at;
		const struct scp_record *rec = (const struct scp_record *)(const void *)p;

		if (c->used - at < SCP_RECORD_ALIGN || rec->bytes < SCP_RECORD_ALIGN ||
		    rec->bytes % SCP_RECORD_ALIGN || rec->bytes > c->used - at)
			return error_damaged(err, raw->path,
					     "the record at byte %llu does not fit its chunk",
					     (unsigned long long)(offset + at));
		if (!too_young(rec->type, at + rec->bytes, limits) &&
		    collect_record(raw, c, offset + at, rec, err))
			return -1;
		at += rec->bytes;
	}
	return 0;
}

int chunks_collect(struct raw_file *raw, struct profile_error *err)
{
	uint32_t next_first = 0, next_second = 0;
	const struct scp_chunk *c;
	struct walk w;
	uint64_t offset;
	bool sound;

	walk_begin(&w, raw->image, raw->image_bytes);
	while ((c = next_chunk(&w, &offset, &sound))) {
		struct limits limits = {{UINT64_MAX}};

		if (!sound)
			return error_damaged(err, raw->path,
					     "the chunk at byte %llu claims %llu bytes, %llu used",
					     (unsigned long long)offset,
					     (unsigned long long)c->bytes,
					     (unsigned long long)c->used);
		limits.end[RAW_FIRST] = marked_used(&raw->first, &next_first, offset);
		limits.end[RAW_SECOND] = marked_used(&raw->second, &next_second, offset);
		if (!is_foreign(c) && collect_chunk(raw, c, offset, &limits, err))
			return -1;
	}
	return 0;
}
