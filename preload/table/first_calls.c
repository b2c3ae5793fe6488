// SPDX-License-Identifier: Apache-2.0
/* A call's duration is here before entry.calls has the call, and histograms have all first calls
 * before entry.calls says that they are to be used: a reader finds each call once, whenever the
 * process is killed. */
#include "preload/table/table.h"
#include "preload/table/recording.h"

static COLD void begin(struct scp_thread *t, struct scp_rt *rt)
{
	struct recording recording = recording_begin(t);
	struct scp_first_calls *f =
		table_more(t, rt) ? record_begin_of(t, rt, NULL, 0, SCP_REC_FIRST_CALLS, sizeof *f)
				  : NULL;
	if (f) {
		f->units[0] = rt->entry->units;
		file_publish_record_at(&t->chunk, f, rt->more->first, f);
	}
	recording_end(t, &recording);
}

/* Counts are set, not added: it may be done again. */
static COLD void begin_histogram(struct scp_thread *t, struct scp_rt *rt,
				 const struct scp_first_calls *f)
{
	uint64_t units[SCP_FIRST_CALLS];
	for (uint32_t i = 0; i < SCP_FIRST_CALLS; i++)
		units[i] = *(const volatile uint64_t *)&f->units[i]; /* of the file: read once */
	for (uint32_t i = 0; i < SCP_FIRST_CALLS; i++) {
		uint64_t same = 0, *count = table_count(t, rt, units[i]);
		for (uint32_t k = 0; k < SCP_FIRST_CALLS; k++)
			same += sums_bucket(units[k]) == sums_bucket(units[i]);
		if (count)
			*count = same;
	}
}

COLD void first_calls_add(struct scp_thread *t, struct scp_rt *rt, uint64_t calls, uint64_t units)
{
	if (calls == 1 && (!rt->more || !rt->more->first))
		begin(t, rt);
	struct scp_first_calls *f = rt->more ? rt->more->first : NULL;
	if (f && calls < SCP_FIRST_CALLS)
		f->units[calls] = units;
	else if (f && t->histograms)
		begin_histogram(t, rt, f);
}
