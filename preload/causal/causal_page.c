// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal_page.h"
#include "preload/clock/clock.h"
#include "preload/system/sys.h"

struct scp_causal_page *causal_page;
struct causal_counter causal_counter;

#define BYTES	 ((sizeof(struct scp_causal_page) + ARCH_PAGE_MAX - 1) & ~(size_t)(ARCH_PAGE_MAX - 1))
#define SPAN_NS	 50000u /* in which the counter is compared with a clock */
#define READINGS 64u

static struct scp_causal_page *last_page;

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

/* How fast it counts, to a percent: for limits only. */
static bool compare_counter(void)
{
	uint64_t began = clock_mono_ns(), from = arch_counter(), ns, units, best = UINT64_MAX;
	do {
		units = arch_counter() - from;
		ns = clock_mono_ns() - began;
	} while (ns < SPAN_NS);
	for (unsigned i = 0; i < READINGS; i++) {
		uint64_t a = arch_counter(), took = arch_counter() - a;
		best = took < best ? took : best;
	}
	causal_counter = (struct causal_counter){units * 1000 / ns, best};
	return units && !(units >> 40);
}

struct scp_causal_page *causal_page_map(const char *path)
{
	return compare_counter() && map_page(path) ? last_page : NULL;
}

void causal_page_forget(void)
{
	void *empty = MAP_FAILED;
	if (last_page)
		empty = sys_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed(empty))
		sys_move_mapping(empty, BYTES, last_page);
	causal_page = NULL;
}
