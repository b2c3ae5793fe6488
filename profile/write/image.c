// SPDX-License-Identifier: GPL-3.0-or-later
/* A profile file under construction: header, one region, chunk after chunk. It is written piece by
 * piece: a whole one in memory costs its pages, which are dear where the machine is a guest. */
#include "profile/write/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/read/raw.h"

#define PIECE (256u << 10)

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static int write_at(int fd, const void *bytes, uint64_t count, uint64_t at)
{
	for (uint64_t done = 0; done < count;) {
		ssize_t n =
			pwrite(fd, (const uint8_t *)bytes + done, count - done, (off_t)(at + done));

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (uint64_t)n : 0;
	}
	return 0;
}

static void flush(struct image *img)
{
	if (!img->error && write_at(img->fd, img->piece, img->used - img->start, img->start))
		img->error = errno;
	img->start = img->used;
}

/* `bytes` more, zeroed; NULL where it has failed. */
static void *extend(struct image *img, uint64_t bytes)
{
	if (img->used - img->start + bytes > img->room)
		flush(img);
	if (!img->error && bytes > img->room) {
		free(img->piece);
		img->room = bytes > PIECE ? bytes : PIECE;
		img->piece = malloc(img->room);
		if (!img->piece)
			img->error = ENOMEM;
	}
	if (img->error)
		return NULL;
	uint8_t *at = img->piece + (img->used - img->start);
	img->used += bytes;
	return memset(at, 0, bytes);
}

/* Its sizes are filled when it is complete. */
static void open_chunk(struct image *img, uint32_t magic, uint32_t type)
{
	img->chunk_at = img->used;
	img->chunk = (struct scp_chunk){.magic = magic, .type = type, .table = img->table};
	extend(img, sizeof img->chunk);
}

static void replace(struct image *img, const void *bytes, uint64_t count, uint64_t at)
{
	if (!img->error && at >= img->start)
		memcpy(img->piece + (at - img->start), bytes, count);
	else if (!img->error && write_at(img->fd, bytes, count, at))
		img->error = errno;
}

void image_begin(struct image *img, int fd)
{
	*img = (struct image){.fd = fd};
	extend(img, SCP_HEADER_BYTES);
	open_chunk(img, SCP_CHUNK_MAGIC, SCP_CHUNK_PROCESS);
}

static void end_chunk(struct image *img)
{
	img->chunk.used = img->used - img->chunk_at;
	extend(img, round_up(img->chunk.used, SCP_GRANULE) - img->chunk.used);
	img->chunk.bytes = img->used - img->chunk_at;
	replace(img, &img->chunk, sizeof img->chunk, img->chunk_at);
}

int image_end(struct image *img, struct scp_header *header)
{
	end_chunk(img);
	header->region_count = 1;
	header->regions[0].offset = SCP_HEADER_BYTES;
	header->regions[0].bytes = header->regions[0].used = img->used - SCP_HEADER_BYTES;
	replace(img, header, sizeof *header, 0);
	flush(img);
	PROF_FREE(img, piece);
	errno = img->error;
	return img->error ? -1 : 0;
}

/* A chunk that has room for so many bytes more. */
static void find_chunk(struct image *img, const struct record_kind *kind, uint64_t bytes)
{
	uint32_t magic = kind->optional ? SCP_OPTIONAL_MAGIC : SCP_CHUNK_MAGIC;
	uint32_t type = kind->optional	   ? kind->optional
			: kind->of_process ? SCP_CHUNK_PROCESS
					   : SCP_CHUNK_TABLE;
	const struct scp_chunk *c = &img->chunk;

	if (c->magic == magic && c->type == type && c->table == img->table &&
	    (!kind->optional || img->used - img->chunk_at + bytes <= SCP_GRANULE))
		return;
	end_chunk(img);
	open_chunk(img, magic, type);
}

void *image_record(struct image *img, uint32_t type, uint64_t bytes)
{
	uint64_t whole = round_up(bytes, SCP_RECORD_ALIGN);

	find_chunk(img, &record_kinds[type], whole);
	struct scp_record *r = extend(img, whole);
	if (!r)
		return NULL;
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
