// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal.h"

#include "preload/causal/causal_private.h"
#include "preload/clock/clock.h"
#include "preload/filter/filter.h"
#include "preload/process/settings.h"
#include "preload/system/sys.h"

struct scp_causal_page *causal_page;
struct causal_counter causal_counter;

#define BYTES	 ((sizeof(struct scp_causal_page) + ARCH_PAGE_MAX - 1) & ~(size_t)(ARCH_PAGE_MAX - 1))
#define SPAN_NS	 50000u /* in which the counter is compared with a clock */
#define READINGS 64u

static struct scp_causal_page *last_page;

struct instant {
	uint64_t units, ns; /* of the counter, and CLOCK_MONOTONIC */
};

/* Where there was a page is a page for ever, see filter/control.c: it becomes this one. */
static bool put_page(struct scp_causal_page *page)
{
	if (last_page && sys_failed(sys_move_mapping(page, BYTES, last_page)))
		return false;
	if (!last_page)
		last_page = page;
	return true;
}

static bool is_sound(const struct scp_causal_page *page)
{
	for (unsigned i = 0; i < sizeof page->magic; i++)
		if (page->magic[i] != SCP_CAUSAL_MAGIC[i])
			return false;
	return page->bytes == sizeof *page;
}

static bool map_page(const char *path)
{
	long fd = sys_open_given(path, O_RDWR, sizeof(struct scp_causal_page));
	if (fd < 0)
		return false;
	struct scp_causal_page *page =
		sys_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	sys_close((int)fd);
	if (sys_failed(page))
		return false;
	if (is_sound(page) && put_page(page))
		return true;
	sys_munmap(page, BYTES);
	return false;
}

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

/* Not in use yet; NULL: it cannot be had. Opens and closes a file, and reads the counter. */
static struct scp_causal_page *causal_page_map(const char *path)
{
	return compare_counter() && map_page(path) ? last_page : NULL;
}

/* Its file is let go, and it is not in use. */
static void causal_page_forget(void)
{
	void *empty = MAP_FAILED;
	if (last_page)
		empty = sys_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed(empty))
		sys_move_mapping(empty, BYTES, last_page);
	causal_page = NULL;
}

void causal_read(void)
{
	const char *path = settings_variable("SCPROF_CAUSAL");
	struct scp_causal_page *page = NULL;
	causal_page = NULL;
	thread_all_general = false;
	if (!path || !*path)
		return;
	if (clock_is_allowed())
		page = causal_page_map(path);
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
	causal_page_forget();
	thread_all_general = false;
}
