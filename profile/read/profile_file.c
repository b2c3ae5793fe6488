// SPDX-License-Identifier: GPL-3.0-or-later
/* Open a profile file and copy it into memory, live or not. Only regular files: a FIFO or a
 * terminal would make us wait for ever. Only what the header says was handed out is read, so a
 * sparse giant costs nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/read/raw.h"
#include "profile/base/error.h"
#include "profile/base/array.h"
#include "profile/model/clocks.h"

/* Check a profile's header: is it ours, whole, and in range. Everything later relies on what is
 * checked here: the regions lie inside the file and do not overlap, the strings end, the kinds are
 * known. */

static int check_kind_of_file(const char *path, const struct scp_header *h,
			      struct profile_error *err)
{
	if (h->byte_order == __builtin_bswap32(SCP_BYTE_ORDER))
		return error_fail(err, path,
				  "was written in the other byte order (big-endian); this scprof "
				  "reads little-endian profiles");
	if (h->byte_order != SCP_BYTE_ORDER)
		return error_damaged(err, path, "its byte-order mark is %#x", h->byte_order);
	if (h->version != SCP_VERSION)
		return error_fail(
			err, path,
			"has format version %u, this scprof reads %u.\nUse the scprof that "
			"belongs to the library that recorded it.",
			h->version, SCP_VERSION);
	if (h->header_bytes != SCP_HEADER_BYTES)
		return error_damaged(err, path, "its header claims %u bytes instead of %u",
				     h->header_bytes, SCP_HEADER_BYTES);
	return 0;
}

static int check_clock(const char *path, const char *which, const struct scp_clock *c,
		       struct profile_error *err)
{
	if (c->kind < SCP_CLOCK_TSC || c->kind > SCP_CLOCK_THREAD_CPU)
		return error_damaged(err, path, "the kind of its %s is %u", which, c->kind);
	if (c->resolution_units == 0)
		return error_damaged(err, path, "the resolution of its %s is 0", which);
	return 0;
}

static int check_fields(const char *path, const struct scp_header *h, struct profile_error *err)
{
	if (check_clock(path, "clock", &h->clock, err))
		return -1;
	if ((h->flags & SCP_FILE_DUAL) && check_clock(path, "slow clock", &h->slow_clock, err))
		return -1;
	if (h->clock_requested > SCP_CLOCK_DUAL)
		return error_damaged(err, path, "the clock asked for is %u", h->clock_requested);
	if (h->end_state > SCP_END_DETACHED)
		return error_damaged(err, path, "its end state is %u", h->end_state);
	if (h->argv_bytes > sizeof h->argv)
		return error_damaged(err, path, "its arguments claim %u of %zu bytes",
				     h->argv_bytes, sizeof h->argv);
	if (!memchr(h->exe, 0, sizeof h->exe) || !memchr(h->comm, 0, sizeof h->comm) ||
	    !memchr(h->program, 0, sizeof h->program))
		return error_damaged(err, path, "the program's name has no end");
	if (h->filters_bytes > sizeof h->filters ||
	    (h->filters_bytes && h->filters[h->filters_bytes - 1]))
		return error_damaged(err, path, "the text of its filters has no end");
	if (h->slowest.count > SCP_SLOWEST_MAX)
		return error_damaged(err, path, "it claims the %u slowest calls of %u at most",
				     h->slowest.count, SCP_SLOWEST_MAX);
	return overhead_check(path, h, err);
}

static int cut_short(const char *path, uint64_t got, uint64_t wanted, struct profile_error *err)
{
	return error_fail(
		err, path,
		"ends after %llu of %llu bytes: it was cut, e.g. by a full disk or an "
		"incomplete copy.\nCopy it again from where it was recorded, or leave it out.",
		(unsigned long long)got, (unsigned long long)wanted);
}

static int check_region(const char *path, const struct scp_header *h, uint32_t i, uint64_t size,
			struct profile_error *err)
{
	const struct scp_region *r = &h->regions[i];

	if (r->offset % SCP_GRANULE || r->bytes % SCP_GRANULE || r->offset < SCP_HEADER_BYTES ||
	    r->offset > INT64_MAX || r->bytes > INT64_MAX - r->offset)
		return error_damaged(err, path, "region %u lies at %llu with %llu bytes", i,
				     (unsigned long long)r->offset, (unsigned long long)r->bytes);
	if (r->offset + r->bytes > size)
		return cut_short(path, size, r->offset + r->bytes, err);
	for (uint32_t k = 0; k < i; k++) {
		const struct scp_region *o = &h->regions[k];

		if (r->offset < o->offset + o->bytes && o->offset < r->offset + r->bytes)
			return error_damaged(err, path, "regions %u and %u overlap", k, i);
	}
	return 0;
}

static int header_check(const char *path, const struct scp_header *h, uint64_t file_bytes,
			struct profile_error *err)
{
	if (check_kind_of_file(path, h, err) || check_fields(path, h, err))
		return -1;
	if (h->region_count > SCP_MAX_REGIONS)
		return error_damaged(err, path, "it claims %u regions of %u", h->region_count,
				     SCP_MAX_REGIONS);
	for (uint32_t i = 0; i < h->region_count; i++)
		if (check_region(path, h, i, file_bytes, err))
			return -1;
	return 0;
}

uint64_t header_used_end(const struct scp_header *h)
{
	uint64_t end = SCP_HEADER_BYTES;

	for (uint32_t i = 0; i < h->region_count; i++) {
		uint64_t e = h->regions[i].offset + raw_region_used(&h->regions[i]);

		if (e > end)
			end = e;
	}
	return end;
}

#define HEADER_TRIES 20

/* Read up to n bytes; *got tells how many there were. */
static int read_some(const struct raw_file *raw, void *buffer, size_t n, uint64_t offset,
		     size_t *got, struct profile_error *err)
{
	*got = 0;
	while (*got < n) {
		ssize_t r = pread(raw->fd, (char *)buffer + *got, n - *got, (off_t)(offset + *got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return error_fail(err, raw->path, "cannot read: %s", strerror(errno));
		if (r == 0)
			break;
		*got += (size_t)r;
	}
	return 0;
}

static int open_regular(struct raw_file *raw, bool links, struct profile_error *err)
{
	struct stat st;

	if (raw->fd < 0)
		raw->fd = open(raw->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
						  (links ? 0 : O_NOFOLLOW));
	if (raw->fd < 0 && errno == ELOOP && !links)
		return error_fail(
			err, raw->path,
			"is a symbolic link where a process writes its profile; it is not "
			"followed");
	if (raw->fd < 0)
		return error_fail(err, raw->path, "cannot open: %s", strerror(errno));
	if (fstat(raw->fd, &st) < 0)
		return error_fail(err, raw->path, "cannot read its size: %s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_fail(
			err, raw->path,
			"is a directory, not a profile.\nName the profiles in it, e.g. %s",
			"with DIR/*.scp.");
	if (!S_ISREG(st.st_mode))
		return error_fail(err, raw->path, "is not a regular file, so not a profile");
	raw->owner = st.st_uid;
	return 0;
}

static int read_header_once(const struct raw_file *raw, void *header, struct profile_error *err)
{
	size_t got;

	if (read_some(raw, header, SCP_HEADER_BYTES, 0, &got, err))
		return -1;
	if (got == 0)
		return error_fail(err, raw->path,
				  "is empty: nothing was recorded, or the copy failed");
	if (got < sizeof SCP_MAGIC - 1 || memcmp(header, SCP_MAGIC, sizeof SCP_MAGIC - 1) != 0)
		return error_fail(
			err, raw->path,
			"is not a scprof profile.\nProfiles are named *.scp and begin with "
			"\"SCPROF1\".");
	if (got < SCP_HEADER_BYTES)
		return cut_short(raw->path, got, SCP_HEADER_BYTES, err);
	return 0;
}

/* The last anchors are renewed in a running program; a pair from two moments
 * would make a wrong rate, so read until they stand still. */
static int read_header(const struct raw_file *raw, uint8_t *image, struct profile_error *err)
{
	const struct scp_header *h = (const struct scp_header *)(const void *)image;
	struct scp_anchor fast, slow;

	for (int i = 0; i < HEADER_TRIES; i++) {
		if (read_header_once(raw, image, err))
			return -1;
		if (h->end_state != SCP_END_RUNNING)
			return 0;
		if (i > 0 && memcmp(&fast, &h->clock.last, sizeof fast) == 0 &&
		    memcmp(&slow, &h->slow_clock.last, sizeof slow) == 0)
			return 0;
		fast = h->clock.last;
		slow = h->slow_clock.last;
	}
	return 0;
}

/* One copy of the file: header, then all that was handed out. */
static int take_copy(const struct raw_file *raw, uint8_t **copy, uint64_t *bytes,
		     struct profile_error *err)
{
	uint8_t *image = malloc(SCP_HEADER_BYTES), *grown;
	struct stat st;
	size_t got;

	*copy = image;
	if (!image)
		return error_no_memory(err, raw->path);
	if (read_header(raw, image, err))
		return -1;
	if (fstat(raw->fd, &st) < 0)
		return error_fail(err, raw->path, "cannot read its size: %s", strerror(errno));
	if (header_check(raw->path, (const void *)image, (uint64_t)st.st_size, err))
		return -1;
	uint64_t end = header_used_end((const void *)image);
	if (end > raw->most_bytes)
		return error_fail(err, raw->path,
				  "holds %llu bytes; scprof reads profiles of up to %llu MiB here",
				  (unsigned long long)end,
				  (unsigned long long)(raw->most_bytes >> 20));
	grown = array_alloc(end);
	if (!grown)
		return error_no_memory(err, raw->path);
	memcpy(grown, image, SCP_HEADER_BYTES);
	free(image);
	*copy = grown;
	*bytes = end;
	if (read_some(raw, grown + SCP_HEADER_BYTES, end - SCP_HEADER_BYTES, SCP_HEADER_BYTES, &got,
		      err))
		return -1;
	if (got < end - SCP_HEADER_BYTES)
		return cut_short(raw->path, got + SCP_HEADER_BYTES, end, err);
	return 0;
}

static int take_earlier(struct raw_file *raw, struct raw_marks *marks, struct profile_error *err)
{
	PROF_FREE(raw, earlier);
	if (take_copy(raw, &raw->earlier, &raw->earlier_bytes, err))
		return -1;
	if (chunks_mark(raw->earlier, raw->earlier_bytes, marks))
		return error_no_memory(err, raw->path);
	return 0;
}

static int copy_file(struct raw_file *raw, struct profile_error *err)
{
	if (take_copy(raw, &raw->image, &raw->image_bytes, err))
		return -1;
	const struct scp_header *h = raw_header(raw);
	raw->live = h->end_state == SCP_END_RUNNING && !(h->flags & SCP_FILE_MERGED);
	raw->first.all = raw->second.all = !raw->live;
	if (!raw->live)
		return 0;
	PROF_FREE(raw, image);
	if (take_earlier(raw, &raw->first, err) || take_earlier(raw, &raw->second, err))
		return -1;
	return take_copy(raw, &raw->image, &raw->image_bytes, err);
}

int profile_file_open(struct raw_file *raw, bool links, struct profile_error *err)
{
	if (open_regular(raw, links, err) || copy_file(raw, err) || chunks_collect(raw, err) ||
	    references_check(raw, err)) {
		profile_file_close(raw);
		return -1;
	}
	seqlock_snapshot_take(raw);
	if (seqlock_snapshot_slowest_take(raw, err)) {
		profile_file_close(raw);
		return -1;
	}
	return 0;
}

void profile_file_close(struct raw_file *raw)
{
	if (raw->fd >= 0)
		close(raw->fd);
	PROF_FREE(raw, image, earlier, first.mark, second.mark);
	for (int i = 0; i < RAW_TYPES; i++)
		free(raw->list[i].ref);
	*raw = (struct raw_file){.fd = -1};
}
