// SPDX-License-Identifier: GPL-3.0-or-later
/* A profile file under construction: header, one region, chunk after chunk. A merged profile has no
 * more records than the model, so it is built in memory and written at once. */
#include "profile/write/image.h"

#include <stdlib.h>
#include <string.h>

#include "profile/read/raw.h"

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* `bytes` more, zeroed; the offset of the first, or 0 when out of memory. */
static uint64_t extend(struct image *img, uint64_t bytes)
{
	uint64_t at = img->used;

	if (img->failed)
		return 0;
	if (img->room - img->used < bytes) {
		uint64_t room = img->used + bytes + img->room;
		uint8_t *grown = realloc(img->bytes, room);

		if (!grown) {
			img->failed = true;
			return 0;
		}
		img->bytes = grown;
		img->room = room;
	}
	memset(img->bytes + at, 0, bytes);
	img->used += bytes;
	return at;
}

static void open_chunk(struct image *img, uint32_t magic, uint32_t type)
{
	struct scp_chunk *c;

	img->chunk = extend(img, sizeof *c);
	if (img->failed)
		return;
	c = (struct scp_chunk *)(void *)(img->bytes + img->chunk);
	c->magic = magic;
	c->type = type;
	c->table = img->table;
}

void image_begin(struct image *img)
{
	*img = (struct image){0};
	extend(img, SCP_HEADER_BYTES);
	open_chunk(img, SCP_CHUNK_MAGIC, SCP_CHUNK_PROCESS);
}

struct scp_header *image_header(const struct image *img)
{
	return (struct scp_header *)(void *)img->bytes;
}

void image_end(struct image *img)
{
	uint64_t used = img->used - img->chunk;

	extend(img, round_up(used, SCP_GRANULE) - used);
	if (img->failed)
		return;
	struct scp_chunk *c = (struct scp_chunk *)(void *)(img->bytes + img->chunk);
	c->used = used;
	c->bytes = img->used - img->chunk;
}

/* A chunk that has room for so many bytes more. */
static void find_chunk(struct image *img, const struct record_kind *kind, uint64_t bytes)
{
	uint32_t magic = kind->optional ? SCP_OPTIONAL_MAGIC : SCP_CHUNK_MAGIC;
	uint32_t type = kind->optional	   ? kind->optional
			: kind->of_process ? SCP_CHUNK_PROCESS
					   : SCP_CHUNK_TABLE;
	const struct scp_chunk *c = (const void *)(img->bytes + img->chunk);

	if (img->failed || (c->magic == magic && c->type == type && c->table == img->table &&
			    (!kind->optional || img->used - img->chunk + bytes <= SCP_GRANULE)))
		return;
	image_end(img);
	open_chunk(img, magic, type);
}

void *image_record(struct image *img, uint32_t type, uint64_t bytes)
{
	uint64_t whole = round_up(bytes, SCP_RECORD_ALIGN);

	find_chunk(img, &record_kinds[type], whole);
	uint64_t at = extend(img, whole);
	if (img->failed)
		return NULL;
	struct scp_record *r = (struct scp_record *)(void *)(img->bytes + at);
	r->type = type;
	r->bytes = (uint32_t)whole;
	return r;
}

void image_copy(struct image *img, uint32_t type, const void *record, uint64_t bytes)
{
	const size_t head = sizeof(struct scp_record);
	uint8_t *r = image_record(img, type, bytes);

	if (r)
		memcpy(r + head, (const uint8_t *)record + head, bytes - head);
}
