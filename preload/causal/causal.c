// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal.h"

#include "preload/clock/clock.h"
#include "preload/filter/filter.h"
#include "preload/process/settings.h"
#include "preload/system/sys.h"

#define BYTES	 ((sizeof(struct scp_causal_page) + ARCH_PAGE_MAX - 1) & ~(size_t)(ARCH_PAGE_MAX - 1))
#define SPAN_NS	 50000u /* in which the counter is compared with a clock */
#define READINGS 64u

static void *page_at;

struct instant {
	uint64_t units, ns; /* of the counter, and CLOCK_MONOTONIC */
};

/* Both clocks at one instant: of some tries the one in which the least time passed between readings
 * of the counter, so that no thread that loses its CPU in between takes its wait for a slow
 * counter. */
static struct instant read_both(void)
{
	struct instant at = {0, 0};
	uint64_t best = UINT64_MAX;
	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t before = arch_counter(), mono = clock_mono_ns(), after = arch_counter();
		if (after - before >= best)
			continue;
		best = after - before;
		at = (struct instant){before + best / 2, mono};
	}
	return at;
}

/* How fast it counts, to a percent: for limits only. */
static bool compare_counter(void)
{
	const struct instant from = read_both();
	struct instant to;
	uint64_t best = UINT64_MAX;
	do
		to = read_both();
	while (to.ns - from.ns < SPAN_NS);
	uint64_t units = to.units - from.units, ns = to.ns - from.ns;
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
	if (page && page->bytes == sizeof *page) {
		void *last = page_at, *put = sys_put_page(&page_at, page, BYTES);
		if (!last || put == last)
			return put;
		page_at = last; /* which threads of an earlier session may still use */
	}
	if (page)
		sys_munmap(page, BYTES);
	return NULL;
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
