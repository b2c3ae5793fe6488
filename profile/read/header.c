// SPDX-License-Identifier: GPL-3.0-or-later
/* Check a profile's header: is it ours, whole, and in range.
 *
 * Everything later relies on what is checked here: the regions lie inside the
 * file and do not overlap, the strings end, the kinds are known.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/model/clocks.h"
#include "profile/read/raw.h"

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

static int check_region(const char *path, const struct scp_header *h, uint32_t i, uint64_t size,
			struct profile_error *err)
{
	const struct scp_region *r = &h->regions[i];

	if (r->offset % SCP_GRANULE || r->bytes % SCP_GRANULE || r->offset < SCP_HEADER_BYTES ||
	    r->offset > INT64_MAX || r->bytes > INT64_MAX - r->offset)
		return error_damaged(err, path, "region %u lies at %llu with %llu bytes", i,
				     (unsigned long long)r->offset, (unsigned long long)r->bytes);
	if (r->offset + r->bytes > size)
		return error_fail(
			err, path,
			"ends after %llu of %llu bytes: it was cut, e.g. by a full disk or an "
			"incomplete copy.\nCopy it again from where it was recorded, or leave "
			"it out.",
			(unsigned long long)size, (unsigned long long)(r->offset + r->bytes));
	for (uint32_t k = 0; k < i; k++) {
		const struct scp_region *o = &h->regions[k];

		if (r->offset < o->offset + o->bytes && o->offset < r->offset + r->bytes)
			return error_damaged(err, path, "regions %u and %u overlap", k, i);
	}
	return 0;
}

int header_check(const char *path, const struct scp_header *h, uint64_t file_bytes,
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
