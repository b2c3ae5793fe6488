// SPDX-License-Identifier: Apache-2.0
/* What a thread counts, in a block of the page that is its own: taken at its first count, given
 * back when it ends. The last block is everybody's who finds none. */
#ifndef SCPROF_PRELOAD_CAUSAL_CAUSAL_BLOCK_H
#define SCPROF_PRELOAD_CAUSAL_CAUSAL_BLOCK_H

#include "preload/causal/causal_page.h"
#include "preload/table/thread.h"

struct causal_block {
	struct scp_causal_thread *counts;
	uint64_t owner;
	uint32_t session; /* of process_epoch, that it was taken in */
	uint32_t window;  /* of the page, that `spent` is of */
	bool shared;
	uint64_t spent;		      /* units that the thread was delayed in this window */
	uint64_t own_from, own_spent; /* the same in a span of the library's */
};
extern HIDDEN __thread struct causal_block causal_block_self;

HIDDEN struct causal_block *causal_block_take(const struct scp_thread *t);

/* The calling thread's, with bookkeeping marked. */
static inline struct causal_block *causal_block_of(const struct scp_thread *t)
{
	struct causal_block *b = &causal_block_self;
	return likely(b->session == process_epoch.now.session) && likely(b->counts)
		       ? b
		       : causal_block_take(t);
}

static inline void causal_block_add(const struct causal_block *b, uint64_t *count, uint64_t by)
{
	if (unlikely(b->shared))
		__atomic_add_fetch(count, by, __ATOMIC_RELAXED);
	else
		__atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + by,
				 __ATOMIC_RELAXED);
}

/* The calling thread ends. */
HIDDEN void causal_block_end(void);

#endif
