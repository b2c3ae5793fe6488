// SPDX-License-Identifier: Apache-2.0
/* A record is written once, and is complete before `used` of its chunk covers it: a process that
 * is killed in between leaves nothing of it. */
#include "preload/table/table.h"
#include "preload/process/process.h"

#define CHUNK_MAX (64u * SCP_GRANULE)

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + SCP_RECORD_ALIGN - 1) & ~(uint64_t)(SCP_RECORD_ALIGN - 1);
}

/* Not new: a record that was left half-written (by longjmp from a handler, say) may lie here. */
static void *clear(struct scp_record *r, uint32_t type, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		((uint64_t *)r)[i] = 0;
	*r = (struct scp_record){type, (uint32_t)bytes};
	return r;
}

void *record_begin_optional(struct scp_thread *t, struct file_chunk *c, uint32_t chunk_type,
			    uint32_t type, uint64_t bytes)
{
	bytes = aligned(bytes);
	file_settle_record(c);
	struct scp_record *r = file_next_record(c, bytes);
	if (!r && file_optional_chunk(t->file, c, chunk_type, t->table_id))
		r = file_next_record(c, bytes);
	return r ? clear(r, type, bytes) : NULL;
}

void *record_begin(struct scp_thread *t, uint32_t type, uint64_t bytes)
{
	bytes = aligned(bytes);
	file_settle_record(&t->chunk);
	struct scp_record *r = file_next_record(&t->chunk, bytes);
	if (!r) {
		if (!file_chunk(t->file, &t->chunk, t->chunk_bytes, SCP_CHUNK_TABLE, t->table_id) &&
		    (t->chunk_bytes == SCP_GRANULE || /* a last little room */
		     !file_chunk(t->file, &t->chunk, SCP_GRANULE, SCP_CHUNK_TABLE, t->table_id)))
			return NULL;
		t->chunk_bytes = t->chunk_bytes < CHUNK_MAX ? 2 * t->chunk_bytes : CHUNK_MAX;
		r = file_next_record(&t->chunk, bytes);
	}
	t->record_bytes = bytes;
	return r ? clear(r, type, bytes) : NULL;
}

void *record_begin_of(struct scp_thread *t, const struct scp_rt *rt, struct file_chunk *c,
		      uint32_t chunk_type, uint32_t type, uint64_t bytes)
{
	struct scp_record *r = c ? record_begin_optional(t, c, chunk_type, type, bytes)
				 : record_begin(t, type, bytes);
	if (r)
		*(uint32_t *)(r + 1) = rt->id;
	else
		process_loss(histogram_losses, 1);
	return r;
}

void record_publish(struct scp_thread *t)
{
	file_publish_record(&t->chunk, t->record_bytes);
}
