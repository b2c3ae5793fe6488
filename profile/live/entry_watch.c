// SPDX-License-Identifier: GPL-3.0-or-later
/* A walk over the chunks that goes on where it stopped: chunks are only added, and filled
 * from front to back. */
#include "profile/live/live.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "profile/base/array.h"
#include "profile/base/given_file.h"
#include "profile/read/raw.h"

struct watch_chunk {
	uint64_t offset, bytes, scanned; /* up to here; 0: nothing to be found in it */
	uint32_t table;
};

int entry_watch_open(struct watch *w, const char *path)
{
	*w = (struct watch){.fd = given_file_open(path, O_NOFOLLOW, NULL, NULL)};
	return w->fd < 0 ? -1 : 0;
}

void entry_watch_close(struct watch *w)
{
	close(w->fd);
	PROF_FREE(w, entry, block, chunk);
	*w = (struct watch){.fd = -1};
}

bool entry_watch_read(int fd, void *to, size_t bytes, uint64_t at)
{
	return at < INT64_MAX && pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* An aligned word is read in one piece. */
uint64_t entry_watch_calls(int fd, uint64_t at)
{
	uint64_t calls;

	return entry_watch_read(fd, &calls, sizeof(calls), at) ? calls : UINT64_MAX;
}

static bool is_wanted(const struct watch_block *b)
{
	return b->type == SCP_REC_PHASE || b->type == SCP_REC_HIST || b->type == SCP_REC_STATES ||
	       (b->type == SCP_REC_BATCH && !b->sub);
}

static int note(struct watch *w, uint32_t table, const struct scp_record *r, uint64_t at)
{
	const struct record_kind *kind = &record_kinds[r->type < RAW_TYPES ? r->type : 0];
	const struct watch_block b = {.table = table,
				      .id = raw_field(r, kind->id_at),
				      .type = r->type,
				      .sub = raw_field(r, kind->sub_at),
				      .at = at};

	if (!kind->least || r->bytes < kind->least)
		return 0;
	if (r->type == SCP_REC_ENTRY) {
		const struct watch_entry entry = {table, b.id,
						  at + offsetof(struct scp_entry, calls)};

		return ARRAY_PUT(w->entry, w->entries, entry) ? 0 : -1;
	}
	return !is_wanted(&b) || ARRAY_PUT(w->block, w->blocks, b) ? 0 : -1;
}

/* The records behind c->scanned, as far as the writer says that they are complete. */
static int scan(struct watch *w, struct watch_chunk *c)
{
	struct scp_chunk now;
	union {
		struct scp_record rec;
		struct scp_entry entry; /* keys of all records lie before its seq */
	} r;

	if (!entry_watch_read(w->fd, &now, sizeof(now), c->offset) || now.used > c->bytes)
		return 0;
	while (c->scanned && c->scanned < now.used) {
		uint64_t at = c->offset + c->scanned;

		if (!entry_watch_read(w->fd, &r, offsetof(struct scp_entry, seq), at) ||
		    r.rec.bytes < SCP_RECORD_ALIGN || r.rec.bytes % SCP_RECORD_ALIGN ||
		    r.rec.bytes > now.used - c->scanned) {
			c->scanned = 0; /* damaged: profile_file_open will say so */
			return 0;
		}
		if (note(w, c->table, &r.rec, at))
			return -1;
		c->scanned += r.rec.bytes;
	}
	return 0;
}

static bool is_optional(const struct scp_chunk *c)
{
	return c->magic == SCP_OPTIONAL_MAGIC && c->type == SCP_OPTIONAL_STATES;
}

static struct watch_chunk *chunk_at(struct watch *w, uint64_t offset, const struct scp_chunk *c)
{
	bool of_table = is_optional(c) || c->type == SCP_CHUNK_TABLE;

	for (size_t i = w->chunks; i-- > 0;)
		if (w->chunk[i].offset == offset)
			return &w->chunk[i];
	struct watch_chunk *more = ARRAY_APPEND(w->chunk, w->chunks);
	if (more)
		*more = (struct watch_chunk){offset, c->bytes, of_table ? sizeof(*c) : 0, c->table};
	return more;
}

static int walk_region(struct watch *w, const struct scp_region *r)
{
	uint64_t end = r->used < r->bytes ? r->used : r->bytes;

	if (r->offset > INT64_MAX / 2 || end > INT64_MAX / 2)
		return 0;
	for (uint64_t at = 0; at < end;) {
		struct scp_chunk c;

		if (!entry_watch_read(w->fd, &c, sizeof(c), r->offset + at))
			return 0;
		if (c.magic != SCP_CHUNK_MAGIC && !is_optional(&c)) {
			at += SCP_GRANULE; /* not yet, or never */
			continue;
		}
		if (c.bytes < SCP_GRANULE || c.bytes % SCP_GRANULE || c.bytes > r->bytes - at)
			return 0;
		struct watch_chunk *known = chunk_at(w, r->offset + at, &c);
		if (!known || scan(w, known))
			return -1;
		at += c.bytes;
	}
	return 0;
}

int entry_watch_look(struct watch *w)
{
	struct scp_header h;

	if (!entry_watch_read(w->fd, &h, sizeof(h), 0) || h.version != SCP_VERSION)
		return 0;
	w->pid = h.pid;
	for (uint32_t i = 0; i < h.region_count && i < SCP_MAX_REGIONS; i++)
		if (walk_region(w, &h.regions[i]))
			return -1;
	return 0;
}
