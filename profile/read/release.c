// SPDX-License-Identifier: GPL-3.0-or-later
/* Give the image's memory back while the model grows: a file of a million call paths need not
 * be there twice. How many records each piece of the image holds is counted when they
 * are listed; what has been loaded is not looked at again, and a piece without any more is
 * dropped. A live file's copy stays whole, since it is compared and copied again.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "profile/base/array.h"
#include "profile/read/raw.h"

/* Bytes: a huge page, which is not to be cut up, of 32768 records at most. */
#define PIECE ARRAY_HUGE_PAGE

int release_begin(struct raw_file *raw)
{
	if (raw->live)
		return 0;
	raw->records = calloc(raw->image_bytes / PIECE + 1, sizeof *raw->records);
	return raw->records ? 0 : -1;
}

static uint64_t first_piece(const struct raw_file *raw, const struct raw_ref *ref, uint64_t *last)
{
	const struct scp_record *rec = raw_record(raw, ref);
	uint64_t at = (uint64_t)ref->at * SCP_RECORD_ALIGN;

	*last = (at + rec->bytes - 1) / PIECE;
	return at / PIECE;
}

void release_count(struct raw_file *raw, const struct raw_ref *ref)
{
	uint64_t last;

	if (!raw->records)
		return;
	for (uint64_t i = first_piece(raw, ref, &last); i <= last; i++)
		raw->records[i]++;
}

/* A small image begins anywhere in a page: whole pages inside the piece can go. */
static void drop(const struct raw_file *raw, uint64_t piece)
{
	uintptr_t page = 4096, begin = (uintptr_t)(raw->image + piece * PIECE);
	uintptr_t end = begin + PIECE, stop = (uintptr_t)(raw->image + raw->image_bytes);

	if (piece == 0)
		return; /* the header */
	begin = (begin + page - 1) & ~(page - 1);
	end = (end < stop ? end : stop) & ~(page - 1);
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void release_record(const struct raw_file *raw, const struct raw_ref *ref)
{
	uint64_t last;

	if (!raw->records)
		return;
	for (uint64_t i = first_piece(raw, ref, &last); i <= last; i++)
		if (--raw->records[i] == 0)
			drop(raw, i);
}
