// SPDX-License-Identifier: Apache-2.0
/* Call paths at the price of comparing a few words.
 *
 * The unwinder's result is a function of what it reads: the return address, the stack pointer, now
 * and then the frame pointer, one saved return address a frame, and the unwind tables. A memo holds
 * a result together with exactly those words, in the order in which they were read. As long as all
 * of them are equal, and no code was unloaded, the unwinder would walk the same way again, so the
 * path is the same: not likely the same, but by construction.
 *
 * Comparing is as safe as unwinding: word i is where the unwinder would look next once words 0 ..
 * i-1 were found equal, so it is not touched before.
 *
 * With thousands of paths most of the time goes to fetching memos, so they are small: a word of the
 * stack above the caller that holds an address, as nearly all are, takes eight bytes (packed), in
 * blocks that are filled up by repeating the last one. Any other takes sixteen (wide). Where a word
 * of the stack cannot be packed none is.
 *
 * Memos are written over at any time while bookkeeping is marked. So all of them is done with
 * bookkeeping marked; what a call keeps is the site. */
#pragma once

#include "preload/table/thread.h"

#define MEMO_BLOCK	  4u  /* packed words that are compared at a time */
#define MEMO_STEPS	  12u /* memos that are compared in a search */
#define MEMO_PYTHON_STEPS 4u  /* of them, by one word of Python's each */

#define MEMO_USES_FP (1u << 31)
#define MEMO_NOTHING UINT32_MAX /* it matches no call */

struct scp_memo {
	uint64_t ra, cfa;
	uint64_t base; /* packed words count from here: from the cfa */
	struct scp_site *site;
	/* thread.open of a call that was found to be in progress on this path; 0: none. As long
	 * as the words are equal the walk that found it would find it again. */
	uint64_t inside;
	/* Of which calls (by thread.open) the words tell whether they are in progress: all
	 * (REACH_ALL), where the unwinder went as far as it could; else one, or 0: none. */
	uint64_t reach;
	uint32_t function;     /* MEMO_USES_FP set: the result depends on the frame pointer */
	uint32_t tag;	       /* of its place: see path_cache.c */
	uint16_t stack_words;  /* of selected functions: see selected.h */
	uint16_t room : 15;    /* for so many of .word, four at a time */
	uint16_t leads : 1;    /* searches went on from it to others */
	uint16_t wide, packed; /* words of either kind */
	uint64_t word[]; /* wide ones by address and value, then packed ones, then a memo_tail */
};
_Static_assert(sizeof(struct scp_memo) == 64, "a cache line");

struct memo_tail {
	uint64_t fp;	       /* frame pointer at the call, if that is used */
	uint64_t python_words; /* the first of the wide ones */
};

/* A packed word: what it held, above its distance from the base in words. */
#define MEMO_DISTANCE_BITS 16
#define MEMO_DISTANCE_MOST UINT16_MAX

/* A word of the program's memory. It is not volatile, so that a comparison takes one instruction.
 * The compiler cannot read it before the comparison that guards it, since reading might fault. */
typedef uint64_t __attribute__((may_alias)) memo_word;

static inline const memo_word *memo_address(const struct scp_memo *m, uint64_t packed)
{
	return (const memo_word *)m->base + (packed & MEMO_DISTANCE_MOST);
}

/* Cheap rather than good: a slot has the one memo that was used last. */
static inline __attribute__((always_inline)) uint32_t memo_slot(uint64_t ra, uint64_t cfa)
{
	return (uint32_t)(ra * 5 + (cfa >> 4)) & (MEMO_FRONT - 1);
}

static inline __attribute__((always_inline)) bool memo_differs(const struct scp_memo *m,
							       uint64_t packed)
{
	return *memo_address(m, packed) != packed >> MEMO_DISTANCE_BITS;
}

static inline __attribute__((always_inline)) bool memo_differs_widely(const struct scp_memo *m,
								      unsigned i)
{
	return *(const memo_word *)m->word[2 * i] != m->word[2 * i + 1];
}

static inline const uint64_t *memo_packed(const struct scp_memo *m)
{
	return m->word + 2 * m->wide;
}

static inline struct memo_tail *memo_tail(struct scp_memo *m)
{
	return (struct memo_tail *)(m->word + 2 * m->wide + m->packed);
}

/* The generation is the caller's to compare. */
static inline __attribute__((always_inline)) bool memo_matches(struct scp_memo *m, uint64_t ra,
							       uint64_t cfa, uint64_t fp,
							       uint32_t function)
{
	if (unlikely(m->ra != ra) || unlikely(m->cfa != cfa))
		return false;
	if (unlikely(m->function != function) &&
	    (m->function != (function | MEMO_USES_FP) || memo_tail(m)->fp != fp))
		return false;
#pragma GCC unroll 1
	for (unsigned i = 0; unlikely(i < m->wide); i++)
		if (unlikely(memo_differs_widely(m, i)))
			return false;
	const uint64_t *w = memo_packed(m), *end = w + m->packed;
#pragma GCC unroll 1
	for (; likely(w != end); w += MEMO_BLOCK)
		if (unlikely(memo_differs(m, w[0]) || memo_differs(m, w[1]) ||
			     memo_differs(m, w[2]) || memo_differs(m, w[3])))
			return false;
	return true;
}

/* Look for a memo where that of the slot does not match; what is found is in the slot from now on.
 * No walk. NULL: not found, or only by all of Python's words. */
HIDDEN struct scp_memo *path_cache_search(struct scp_thread *t, uint64_t ra, uint64_t cfa,
					  uint64_t fp, uint32_t function);

/* Programs that take many paths take them in an order, mostly. With bookkeeping marked: a top-level
 * call after thread.previous was found to begin with `m`, which was not at hand. */
HIDDEN void follower_note(struct scp_thread *t, struct scp_memo *m);

/* A call of `rt` has come after one of `from`, and where it is counted may be new. */
HIDDEN void follower_renew(struct scp_rt *from, struct scp_rt *rt);

/* Put what came after that call last time at hand, and fetch what it needs. */
HIDDEN void follower_fetch(struct scp_thread *t, const struct scp_follower *f);

_Static_assert(SCP_TIMEOUT + 1 == SCP_OUTCOMES, "the last outcome is none of selected functions");
_Static_assert(sizeof(struct scp_memo) + sizeof(struct memo_tail) <=
		       sizeof((struct scp_thread *)0)->spare,
	       "spare memo");

/* Find or make the memo of this call: walks the stack. from->outer: thread.open of the call that
 * this one is made inside (0: of none); whether that is in progress is in t->found.outer then.
 * NULL: no room, or the thread's session ended meanwhile. */
HIDDEN struct scp_memo *path_cache_find(struct scp_thread *t, const struct walk_start *from,
					uint32_t function);

/* A call of this path is found to be inside `outer`: known from now on, if the words tell. */
static inline __attribute__((always_inline)) void memo_note_inside(struct scp_memo *m,
								   uintptr_t outer)
{
	if (likely(outer <= OPEN_REGION) || likely(m->reach == REACH_ALL) || m->reach == outer)
		m->inside = outer;
	else
		m->inside = 0;
}
