// SPDX-License-Identifier: Apache-2.0
/* Choosing and describing the clock. The default is the processor's counter
 * where it is invariant and the kernel itself trusts it, otherwise the coarse
 * clock: a slow clock with honest statistics beats a fast one that lies. */
#include <time.h>

#include "include/scprof_names.h"
#include "preload/clock/clock.h"
#include "preload/system/sys.h"

struct clock_choice clock_chosen;

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

uint64_t clock_system_ns(int id)
{
	struct timespec t;
	clock_gettime(id, &t); /* the vDSO's: no system call but for thread-cpu */
	return ns_of(&t);
}

bool clock_ask_kernel(int id, uint64_t *ns)
{
	struct timespec t;
	if (sys2(SYS_clock_gettime, id, &t) != 0)
		return false;
	*ns = ns_of(&t);
	return true;
}

uint64_t clock_mono_ns(void)
{
	return clock_system_ns(CLOCK_MONOTONIC_RAW);
}

COLD uint64_t clock_read_library(uint32_t kind)
{
	return clock_system_ns(kind == SCP_CLOCK_COARSE	      ? CLOCK_MONOTONIC_COARSE
			       : kind == SCP_CLOCK_THREAD_CPU ? CLOCK_THREAD_CPUTIME_ID
							      : CLOCK_MONOTONIC);
}

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/"

/* A file of one short line; "" where it cannot be read. */
static void read_line(const char *path, char *text, size_t room)
{
	sys_read_file(path, text, room);
	text[text_part(text, '\n')] = 0;
}

/* The kernel takes the TSC off this list for good when it catches it lying. */
static bool kernel_trusts_counter(void)
{
	char text[256];
#ifdef __aarch64__
	return true;
#endif
	read_line(CLOCKSOURCE "available_clocksource", text, sizeof text);
	for (const char *c = text; *c; c++)
		if (c[0] == 't' && c[1] == 's' && c[2] == 'c' && (c == text || c[-1] == ' '))
			return true;
	return false;
}

/* Can CLOCK_MONOTONIC be read without a system call? */
static bool fine_clock_is_cheap(void)
{
	static const char *const names[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
					    "arch_sys_counter"};
	char text[256];
	read_line(CLOCKSOURCE "current_clocksource", text, sizeof text);
	return text_index(text, names, 4) < 4;
}

bool clock_is_allowed(void)
{
	int mode = 1 /* PR_TSC_ENABLE */;
	long r = sys2(SYS_prctl, 25 /* PR_GET_TSC */, &mode);
	return r != 0 || mode == 1;
}

bool clock_needs_system_calls(void)
{
	return clock_chosen.kind == SCP_CLOCK_THREAD_CPU;
}

static uint32_t default_kind(void)
{
	return arch_counter_is_invariant() && kernel_trusts_counter() ? SCP_CLOCK_TSC
								      : SCP_CLOCK_COARSE;
}

static uint32_t kind_by_name(const char *name)
{
	static const char *const names[] = {SCP_CLOCK_NAMES};
	uint32_t i = name ? text_index(name, names, 7) : 0;
	return i < 7 ? i : SCP_CLOCK_NONE;
}

static void *page_at; /* who read the clock in an earlier session may come back */

void clock_forget(void)
{
	sys_empty_page(page_at, SCP_CLOCK_PAGE_BYTES, PROT_READ);
}

uint64_t clock_ticker_cpu(void)
{
	const struct scp_clock_page *page = (const void *)((uintptr_t)clock_chosen.page &
							   ~(uintptr_t)(SCP_CLOCK_PAGE_BYTES - 1));
	return page ? __atomic_load_n(&page->cpu, __ATOMIC_RELAXED) : 0;
}

static bool map_page(const char *path)
{
	struct scp_clock_page *page = NULL;
	if (path)
		page = sys_map_given(path, O_RDONLY, sizeof *page, SCP_CLOCK_PAGE_BYTES,
				     SCP_CLOCK_PAGE_MAGIC);
	page = sys_put_page(&page_at, page, SCP_CLOCK_PAGE_BYTES);
	if (page)
		clock_chosen.page = &page->ticks;
	return page != NULL;
}

/* A thread of an earlier session may read a clock at any time: what is chosen can be read. */
void clock_choose(const char *name, const char *page_path)
{
	struct clock_choice *c = &clock_chosen;
	uint32_t asked = kind_by_name(name), kind = asked, slow = SCP_CLOCK_NONE;
	c->fallback = 0;
	c->phases = false;
	c->tick_ns = 0;
	c->requested = asked;
	if (asked == SCP_CLOCK_PAGE && !map_page(page_path)) {
		kind = default_kind();
		c->fallback = 1;
	} else if (asked == SCP_CLOCK_DUAL) {
		kind = SCP_CLOCK_TSC;
		slow = map_page(page_path) ? SCP_CLOCK_PAGE : SCP_CLOCK_COARSE;
	} else if (asked == SCP_CLOCK_NONE) {
		kind = default_kind();
		c->fallback = name != NULL;
	}
	if (kind == SCP_CLOCK_COARSE || slow == SCP_CLOCK_COARSE) {
		struct timespec resolution = {0, 0};
		clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
		c->tick_ns = (uint64_t)resolution.tv_nsec;
		c->phases = c->tick_ns && fine_clock_is_cheap();
	}
	__atomic_store_n(&c->kind, kind, __ATOMIC_RELEASE);
	__atomic_store_n(&c->slow_kind, slow, __ATOMIC_RELEASE);
	c->beside = slow;
	c->histograms = kind == SCP_CLOCK_TSC || kind == SCP_CLOCK_MONOTONIC ||
			kind == SCP_CLOCK_THREAD_CPU;
}

/* The least of a few short loops. */
uint64_t clock_read_cost_ps(uint32_t kind)
{
	uint64_t best = ~UINT64_C(0);
	for (unsigned round = 0; round < 4; round++) {
		uint64_t from = clock_mono_ns();
		for (unsigned i = 0; i < 64; i++) {
			uint64_t v = clock_read(kind);
			__asm__ volatile("" : : "r"(v));
		}
		uint64_t took = clock_mono_ns() - from;
		best = took < best ? took : best;
	}
	return best * 1000 / 64;
}

static void describe(uint32_t kind, struct scp_clock *out)
{
	out->kind = kind;
	out->unit_ps = kind == SCP_CLOCK_TSC ? 0 : 1000;
	out->resolution_units = 1;
	if (kind == SCP_CLOCK_COARSE) {
		out->resolution_units = clock_chosen.tick_ns ? clock_chosen.tick_ns : 1;
	} else if (kind == SCP_CLOCK_PAGE) {
		const struct scp_clock_page *page = page_at;
		out->unit_ps = page->interval_ps;
		out->flags |= page->flags & SCP_CLOCK_RANDOMIZED;
	}
	out->read_ps = clock_read_cost_ps(kind);
	clock_anchor(kind, &out->first);
	out->last = out->first;
}

void clock_describe(struct scp_clock *clock, struct scp_clock *slow)
{
	struct scp_clock *d = &clock_chosen.described;
	*d = (struct scp_clock){0};
	describe(clock_chosen.kind, d);
	if (clock_chosen.fallback)
		d->flags |= SCP_CLOCK_FALLBACK;
	*clock = *d;
	if (clock_chosen.slow_kind)
		describe(clock_chosen.slow_kind, slow);
}

void clock_anchor(uint32_t kind, struct scp_anchor *anchor)
{
	uint64_t width = ~UINT64_C(0);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t before = clock_mono_ns();
		uint64_t reading = clock_read(kind);
		uint64_t after = clock_mono_ns();
		if (after - before >= width)
			continue;
		width = after - before;
		*anchor = (struct scp_anchor){reading, before + width / 2, width};
	}
}

/* Over so long a time the counter's rate is known to 1 %: an anchor is 0.1 us wide or so. */
#define RATE_SPAN_NS 100000u

COLD uint64_t clock_units_of(uint64_t ns)
{
	const struct scp_clock *c = &clock_chosen.described;
	uint64_t span_ns = c->unit_ps ? c->unit_ps : 1, span = 1000; /* ps, for 1000 */
	if (c->kind == SCP_CLOCK_TSC) {
		struct scp_anchor now;
		clock_anchor(c->kind, &now);
		span_ns = now.mono_ns - c->first.mono_ns;
		span = now.clock_at - c->first.clock_at;
		if (span_ns < RATE_SPAN_NS || !span)
			return 0;
	}
	unsigned __int128 units = ((unsigned __int128)ns * span + span_ns - 1) / span_ns;
	return units >> 63 ? UINT64_MAX >> 1 : (uint64_t)units;
}
