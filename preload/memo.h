// SPDX-License-Identifier: Apache-2.0
/* Call paths at the price of comparing a few words.
 *
 * The unwinder's result is a function of what it reads: the return address, the
 * stack pointer, now and then the frame pointer, one saved return address a
 * frame, and the unwind tables. A memo holds a result together with exactly
 * those words. As long as all of them are equal, and no code was unloaded, the
 * unwinder would walk the same way again, so the path is the same: not likely
 * the same, but by construction.
 *
 * Reading those words is as safe as unwinding: word i is where the unwinder
 * would look next once words 0 .. i-1 were found equal. They are compared in
 * blocks of four, and a block never reaches into a page that an earlier word
 * has not led to; short blocks repeat their first word. */
#ifndef SCPROF_MEMO_H
#define SCPROF_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "process.h"
#include "thread.h"

#define MEMO_BLOCK 4u

struct scp_memo {
	uint64_t ra, cfa;
	uint64_t function_generation; /* function << 32 | generation */
	uint64_t fp, fp_mask;         /* compared where the result depends on it */
	struct scp_memo *next;        /* other callers with the same address and stack pointer */
	struct scp_path_node *path;   /* NULL: no room in the profile */
	uint32_t blocks, unused;
	struct scp_rt *rt[SCP_OUTCOMES];
	uint64_t reserved[4];
	struct noted_word word[];
};

static inline __attribute__((always_inline)) uint32_t memo_slot(uint64_t ra, uint64_t cfa, uint32_t function)
{
	uint64_t h = (ra ^ cfa << 13 ^ (uint64_t)function << 40) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 40) & (MEMO_FRONT - 1);
}

static inline __attribute__((always_inline)) bool memo_matches(const struct scp_memo *m, uint64_t ra, uint64_t cfa,
							       uint64_t fp, uint32_t function)
{
	uint64_t tag = (uint64_t)function << 32 | process_epoch.now.generation;
	if (unlikely(((m->ra ^ ra) | (m->cfa ^ cfa) | (m->function_generation ^ tag) |
		      ((m->fp ^ fp) & m->fp_mask)) != 0))
		return false;
	const struct noted_word *w = m->word, *end = w + MEMO_BLOCK * m->blocks;
	for (; w != end; w += MEMO_BLOCK) {
		uint64_t different = 0;
		for (unsigned i = 0; i < MEMO_BLOCK; i++)
			different |= *(const volatile uint64_t *)w[i].address ^ w[i].value;
		if (unlikely(different))
			return false;
	}
	return true;
}

_Static_assert(sizeof(struct scp_memo) == sizeof((struct scp_thread *)0)->spare[0], "spare memos");

/* Find or make the memo of this call. The slow path: unwinds, interns the path.
 * Bookkeeping must be marked. nested: the call is made inside another. */
HIDDEN struct scp_memo *memo_find(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				  uint32_t function, bool nested);

/* Is the wrapped call whose caller's stack pointer is `open_cfa` still below us
 * on the stack? (Else it was left by longjmp, an exception, or cancellation.)
 * True where that cannot be known. */
HIDDEN bool memo_call_in_progress(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				  uint64_t open_cfa);

#endif
