// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal_block.h"
#include "preload/system/sys.h"

#define SHARED	      (SCP_CAUSAL_THREADS - 1)
#define RECLAIM_TRIES 8u

__thread struct causal_block causal_block_self;

static bool own(struct scp_causal_page *page, uint32_t i, uint64_t from, uint64_t owner)
{
	return __atomic_compare_exchange_n(&page->thread[i].owner, &from, owner, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool is_free(const struct scp_causal_page *page, uint32_t i)
{
	return !__atomic_load_n(&page->thread[i].owner, __ATOMIC_RELAXED);
}

/* Of a thread of this process that ended without our hearing of it: a few are looked at in turn. */
static uint32_t reclaim(struct scp_causal_page *page, uint64_t owner)
{
	static uint32_t cursor;
	for (unsigned tries = 0; !sys_sandboxed && tries < RECLAIM_TRIES; tries++) {
		uint32_t i = __atomic_fetch_add(&cursor, 1, __ATOMIC_RELAXED) % SHARED;
		uint64_t held = __atomic_load_n(&page->thread[i].owner, __ATOMIC_RELAXED);
		if (held >> 32 == owner >> 32 &&
		    sys3(SYS_tgkill, (int)(owner >> 32), (uint32_t)held, 0) == -3 /* ESRCH */ &&
		    own(page, i, held, owner))
			return i;
	}
	return SHARED;
}

static uint32_t find(struct scp_causal_page *page, uint64_t owner)
{
	uint32_t first = (uint32_t)hash_mix(owner) % SHARED;
	if (!(uint32_t)owner) /* in a sandbox: it cannot be asked who we are */
		return SHARED;
	for (uint32_t n = 0, i = first; n < SHARED; n++, i = i + 1 == SHARED ? 0 : i + 1)
		if (is_free(page, i) && own(page, i, 0, owner))
			return i;
	return reclaim(page, owner);
}

static void give_back(struct causal_block *b)
{
	uint64_t owner = b->owner;
	if (b->counts && !b->shared)
		__atomic_compare_exchange_n(&b->counts->owner, &owner, 0, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	*b = (struct causal_block){0};
}

COLD struct causal_block *causal_block_take(const struct scp_thread *t)
{
	struct causal_block *b = &causal_block_self;
	uint64_t owner = (uint64_t)process.file->pid << 32 | (uint32_t)t->tid;
	struct scp_causal_page *page = causal_page_now();
	if (!page || !process_epoch.now.session)
		return NULL;
	if (b->owner == owner) /* of another session; in a child it is the parent's */
		give_back(b);
	uint32_t i = find(page, owner);
	if (i == SHARED)
		__atomic_add_fetch(&page->threads_lost, 1, __ATOMIC_RELAXED);
	*b = (struct causal_block){.counts = &page->thread[i],
				   .owner = owner,
				   .session = process_epoch.now.session,
				   .window = ~page->window,
				   .shared = i == SHARED};
	return b;
}

COLD void causal_block_end(void)
{
	struct causal_block *b = &causal_block_self;
	if (b->session && b->session == process_epoch.now.session)
		give_back(b);
}
