// SPDX-License-Identifier: Apache-2.0
/* Where memos lie: in sets of places, found by the words that were compared on the way. The
 * caller's bookkeeping is marked. */
#pragma once

#include "preload/call/path_cache.h"

#define MEMO_WAYS 4u /* places of a set: a cache line */

_Static_assert(MEMO_WAYS * sizeof(struct memo_place) == 64, "a set is a cache line");

/* A tree of read words: a memo that differs leads, by the word that does and what it is now, to one
 * that does not differ there. All words before are equal, so what is looked up is what a walk would
 * have read. A place may hold any other memo: what is found is compared. */
static inline uint64_t memo_mix(uint64_t place, uint64_t address, uint64_t value)
{
	uint64_t h = (place ^ address) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ h >> 32 ^ value) * UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 32;
}

static inline uint32_t memo_place_tag(uint64_t place)
{
	return (uint32_t)(place >> 32);
}

/* In a full set each memo has one that it would take. Without a memo that leads to others they
 * would all be lost: only where all of the set do is one of those taken. */
static inline struct memo_place *memo_find_victim(struct memo_place *set, uint64_t place)
{
	for (unsigned i = 0; i < MEMO_WAYS; i++) {
		struct memo_place *at = &set[(memo_place_tag(place) + i) % MEMO_WAYS];
		if (!at->memo->leads)
			return at;
	}
	return &set[memo_place_tag(place) % MEMO_WAYS];
}

/* The memo of this place; NULL: t->place_missed is where one would be put. Sets are filled from
 * their first place on. */
static inline struct scp_memo *memo_look_up(struct scp_thread *t, uint64_t place, uint64_t ra,
					    uint64_t cfa)
{
	struct memo_place *set = &t->place[place & (t->places - 1) & ~(uint64_t)(MEMO_WAYS - 1)];
	struct memo_place *free = NULL;
	for (unsigned i = 0; i < MEMO_WAYS; i++) {
		struct memo_place *at = &set[i];
		struct scp_memo *m = at->since == t->places_since ? at->memo : NULL;
		if (!m && !free)
			free = at;
		if (at->since != t->places_since)
			break;
		if (m && m->tag == memo_place_tag(place) && m->ra == ra && m->cfa == cfa) {
			t->place_missed = at;
			return m;
		}
	}
	t->place_missed = free ? free : memo_find_victim(set, place);
	return NULL;
}
