// SPDX-License-Identifier: Apache-2.0
/* The call that comes after a call of an entry: what came after it the last time that its memo had
 * to be searched for. With thousands of paths none of what a call needs is in a cache near the
 * processor: its memo, site, entry, gap and histogram, most of them found by one another. So they
 * are fetched all at once when the call before has ended, while the program goes on; and the memo
 * is where the call looks first, so that nothing is searched. A wrong guess costs the fetching
 * alone: what a memo says is compared as ever.
 * Where few paths are taken no memo is searched for, or it is at hand: nothing is fetched. */
#include "preload/call/call_fast.h"

#define LINE	   64u
#define LINES_MOST 6u /* a path of some 40 frames */

/* Where that call's duration is counted, most likely, and the gap before it. */
static void know_counts(struct scp_rt *from, struct scp_rt *rt)
{
	struct scp_rt_next *next = call_fast_next(from, rt);
	from->follower.count = table_usual_count(rt);
	from->follower.gap = next ? next->gap : NULL;
}

/* At the second call of a path, when it is noted, there is no histogram yet. */
void follower_renew(struct scp_rt *from, struct scp_rt *rt)
{
	if (from->follower.memo && from->follower.rt == rt)
		know_counts(from, rt);
}

COLD void follower_note(struct scp_thread *t, struct scp_memo *m)
{
	struct scp_rt *rt = m->site->rt[SCP_COMPLETED];
	struct scp_follower *f = &t->previous->follower;
	uint64_t lines = ((uint64_t)memo_tail(m) - (uint64_t)m + LINE - 1) / LINE;
	f->memo = NULL; /* none, wherever a handler leaves us */
	compiler_barrier();
	f->since = t->places_since;
	f->slot = (uint16_t)memo_slot(m->ra, m->cfa);
	f->lines = lines < LINES_MOST ? (uint16_t)lines : LINES_MOST;
	f->site = m->site;
	f->rt = rt;
	f->entry = rt->entry;
	know_counts(t->previous, rt);
	compiler_barrier();
	f->memo = m;
}

/* Memos of another count are gone. */
COLD void follower_fetch(struct scp_thread *t, const struct scp_follower *f)
{
	struct scp_memo *m = f->memo;
	if (f->since != t->places_since || t->front[f->slot] == m)
		return;
	t->front[f->slot] = m;
	for (unsigned line = 0; line < f->lines; line++)
		__builtin_prefetch((const uint8_t *)m + LINE * line);
	__builtin_prefetch(f->site);
	for (unsigned line = 0; line < sizeof *f->rt / LINE; line++)
		__builtin_prefetch((const uint8_t *)f->rt + LINE * line, 1);
	if (f->gap)
		__builtin_prefetch(f->gap, 1);
	__builtin_prefetch(f->entry, 1);
	__builtin_prefetch((const uint8_t *)f->entry + LINE, 1);
	__builtin_prefetch(f->count, 1); /* the shortest calls', and of calls twice as long */
	__builtin_prefetch((const uint8_t *)f->count + LINE, 1);
}
