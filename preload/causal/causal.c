// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal.h"

#include "preload/clock/clock.h"
#include "preload/filter/filter.h"
#include "preload/process/settings.h"
#include "preload/system/sys.h"

#define BYTES	 ((sizeof(struct scp_causal_page) + ARCH_PAGE_MAX - 1) & ~(size_t)(ARCH_PAGE_MAX - 1))
#define SPAN_NS	 100000u /* in which the counter is compared with a clock */
#define READINGS 64u

static void *page_at;

/* How fast it counts, to a percent: for limits only. */
static bool compare_counter(void)
{
	struct scp_anchor from, to;
	uint64_t best = UINT64_MAX;

	clock_anchor(SCP_CLOCK_TSC, &from);
	do
		clock_anchor(SCP_CLOCK_TSC, &to);
	while (to.mono_ns - from.mono_ns < SPAN_NS);
	uint64_t units = to.clock_at - from.clock_at, ns = to.mono_ns - from.mono_ns;
	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t a = arch_counter(), took = arch_counter() - a;
		best = took < best ? took : best;
	}
	causal_counter = (struct causal_counter){units * 1000 / ns, best};
	return units && !(units >> 40);
}

/* Not in use yet; NULL: it cannot be had. */
static struct scp_causal_page *map_page(const char *path)
{
	struct scp_causal_page *page = NULL;
	if (clock_is_allowed() && compare_counter())
		page = sys_map_given(path, O_RDWR, sizeof *page, BYTES, SCP_CAUSAL_MAGIC);
	if (page && page->bytes != sizeof *page) {
		sys_munmap(page, BYTES);
		page = NULL;
	}
	return sys_put_page(&page_at, page, BYTES);
}

void causal_read(void)
{
	const char *path = settings_variable("SCPROF_CAUSAL");
	causal_page = NULL;
	thread_all_general = false;
	if (!path)
		return;
	struct scp_causal_page *page = map_page(path);
	if (!page) {
		filter_note_ignored("SCPROF_CAUSAL");
		return;
	}
	causal_site_begin(page);
	thread_all_general = clock_chosen.beside = true;
	thread_ends = causal_block_end;
	__atomic_store_n(&causal_page, page, __ATOMIC_RELEASE);
}

void causal_forget(void)
{
	sys_empty_page(page_at, BYTES, PROT_READ | PROT_WRITE);
	causal_page = NULL;
	thread_all_general = false;
}
