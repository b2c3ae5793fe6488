// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: the slow clock counts the ticks that fall into a region, and their mean tells the
 * region's. The time is made up, and so are the page clock's ticks: at random distances of half to
 * one and a half milliseconds, as the ticker's. Whatever else the machine does, two runs of one
 * seed count the same.
 *
 * Usage: made_ticks page FILE		writes a page clock that stands still
 *        made_ticks run FILE SEED	moves it; prints NAME CALLS TICKS MEAN_NS of each region */
#include <stdint.h>
#include <sys/mman.h>

#include "scprof.h"
#include "scprof_format.h"
#include "target.h"

#define TICK_NS 1000000u
#define ROUNDS	10000u /* 500 ticks in all: from 1 000 on, reports measure a tick's real length */

static struct scp_clock_page *page;
static uint64_t state, now_ns, due_ns;

struct region {
	const char *name;
	uint64_t calls, ticks, ns;
};

/* Up to `most`, any as likely as any other (splitmix64). */
static uint64_t random_up_to(uint64_t most)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % (most + 1);
}

/* A time of `mean_ns` on the average, uniform, passes. */
static void pass(struct region *r, uint64_t mean_ns)
{
	uint64_t took = random_up_to(2 * mean_ns), before = page->ticks;

	now_ns += took;
	for (; due_ns <= now_ns; due_ns += TICK_NS / 2 + random_up_to(TICK_NS))
		__atomic_store_n(&page->ticks, page->ticks + 1, __ATOMIC_RELAXED);
	r->calls++;
	r->ticks += page->ticks - before;
	r->ns += took;
}

static void map_page(const char *path, int flags)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);

	if (fd < 0 || ftruncate(fd, SCP_CLOCK_PAGE_BYTES))
		die(path);
	page = mmap(NULL, SCP_CLOCK_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		die("mmap");
}

static void tell(const struct region *r)
{
	say("%s %lu %lu %.3f\n", r->name, (unsigned long)r->calls, (unsigned long)r->ticks,
	    (double)r->ns / (double)r->calls);
}

static void run(void)
{
	struct region brief = {.name = "brief"}, lengthy = {.name = "lengthy"}, between = {0};

	due_ns = TICK_NS / 2 + random_up_to(TICK_NS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		SCPROF_BEGIN("brief");
		pass(&brief, 10000);
		SCPROF_END;
		pass(&between, 20000);
		if (i % 20)
			continue;
		SCPROF_BEGIN("lengthy");
		pass(&lengthy, 400000);
		SCPROF_END;
	}
	tell(&brief);
	tell(&lengthy);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "page")) {
		map_page(argv[2], O_CREAT | O_EXCL);
		page->flags = SCP_CLOCK_RANDOMIZED;
		page->interval_ps = TICK_NS * UINT64_C(1000);
		memcpy(page->magic, SCP_CLOCK_PAGE_MAGIC, sizeof(page->magic));
		return 0;
	}
	if (argc != 4 || strcmp(argv[1], "run"))
		return 2;
	map_page(argv[2], 0);
	state = strtoul(argv[3], NULL, 10);
	run();
	return 0;
}
