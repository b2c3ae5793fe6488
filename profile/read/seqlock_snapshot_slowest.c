// SPDX-License-Identifier: GPL-3.0-or-later
/* SLOWEST records are written over for as long as the program runs, and then mean another
 * call of another entry: what they refer to is known only of the copy that is kept.
 *
 * In a live file an entry may be younger than the list of entries that we have; its call
 * is left out, for it ended while we were reading. In a file at rest that is damage.
 */
#include <string.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/read/raw.h"

#define TRIES	 20
#define IDENTITY offsetof(struct scp_slowest, seq)

/* Two copies, one after the other, that are the same and at rest. */
static void copy_at_rest(const struct raw_file *raw, const struct raw_ref *ref)
{
	struct scp_slowest *slot = raw_record(raw, ref), before, after;
	off_t at = (off_t)ref->at * SCP_RECORD_ALIGN;

	for (int i = 0; i < TRIES; i++) {
		if (pread(raw->fd, &before, sizeof before, at) != sizeof before ||
		    pread(raw->fd, &after, sizeof after, at) != sizeof after)
			return;
		if (before.seq & 1 || memcmp(&before, &after, sizeof before) != 0)
			continue;
		if (memcmp(slot, &before, IDENTITY) == 0)
			*slot = before;
		return;
	}
	slot->seq |= 1; /* not one call's */
}

int seqlock_snapshot_slowest_take(struct raw_file *raw, struct profile_error *err)
{
	struct raw_list *list = &raw->list[SCP_REC_SLOWEST];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_slowest *slot = raw_record(raw, &list->ref[i]);
		bool known;

		if (raw->live)
			copy_at_rest(raw, &list->ref[i]);
		if (slot->seq & 1)
			continue;
		known = raw_find(&raw->list[SCP_REC_ENTRY], list->ref[i].table, slot->entry, 0) !=
			PROF_NONE;
		if (!known && !raw->live)
			return error_damaged(
				err, raw->path,
				"slowest call %u of table %u names entry %u, which does not "
				"exist",
				slot->id, list->ref[i].table, slot->entry);
		if (!memchr(slot->name, 0, sizeof slot->name))
			return error_damaged(
				err, raw->path,
				"the thread's name of slowest call %u of table %u has no end",
				slot->id, list->ref[i].table);
		if (known)
			list->ref[kept++] = list->ref[i];
	}
	list->count = kept;
	return 0;
}
