// SPDX-License-Identifier: Apache-2.0
#include <linux/perf_event.h>

#include "include/scprof_format.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/switches/switch_track.h"
#include "preload/system/sys.h"
#include "preload/process/libc.h"

#define PAGE_BYTES 4096u
#define STILL	   UINT64_C(1)

struct switch_choice switch_chosen;

/* struct rseq_cs of linux/rseq.h, which older systems lack. */
struct rseq_descriptor {
	uint32_t version, flags;
	const void *start;
	uint64_t bytes;
	const void *abort;
} __attribute__((aligned(32)));

/* No code runs here. The kernel looks for the signature in the four bytes before the abort address,
 * which must be outside of the range, and kills where it is not there. */
static const struct {
	uint32_t range, signature;
	uint32_t abort;
} landing = {0, ARCH_RSEQ_SIGNATURE, 0};
static const struct rseq_descriptor descriptor = {0, 0, &landing.range, sizeof landing.range,
						  &landing.abort};

/* Of libc; NULL where it has none. */
static const ptrdiff_t *rseq_offset;
static const unsigned *rseq_size;
static bool areas_are_ours;

static struct rseq_area *area_of_libc(void)
{
	return (struct rseq_area *)((char *)arch_thread_pointer() + *rseq_offset);
}

void switch_detector_find(void)
{
	rseq_size = libc_find("__rseq_size");
	rseq_offset = libc_find("__rseq_offset");
}

/* One that was there before us, which may kill for a call that no program makes. Unknown: yes. */
static bool thread_has_filter(void)
{
	static const char none[] = "\nSeccomp:\t0\n";
	char block[256];
	unsigned same = 0; /* of `none`, whose first byte is no other's but the last */
	long n, fd = sys_open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return true;
	while (none[same] && (n = sys_read((int)fd, block, sizeof block)) > 0)
		for (long i = 0; i < n && none[same]; i++)
			same = block[i] == none[same] ? same + 1 : block[i] == none[0];
	sys_close((int)fd);
	return none[same] != 0;
}

/* What was there when the program began all its threads inherit. */
static bool has_filter(void)
{
	static enum { UNKNOWN, NONE, SOME } inherited;
	if (libc_opened_later) /* by now it may have made some */
		return thread_has_filter();
	if (inherited == UNKNOWN)
		inherited = thread_has_filter() ? SOME : NONE;
	return inherited == SOME;
}

/* Where the program may come to ask for areas of its own without our notice, because callers are
 * not led to us for ever, none is ours. */
static bool find_rseq(void)
{
	if (!rseq_size || !rseq_offset) {
		areas_are_ours = !libc_opened_later && !has_filter() && switch_area_take();
		if (!areas_are_ours)
			switch_chosen.flags |= SCP_SWITCH_NO_LIBC;
		return areas_are_ours;
	}
	if (!*rseq_size || area_of_libc()->cpu_id < 0) {
		switch_chosen.flags |= SCP_SWITCH_DISABLED;
		return false;
	}
	return true;
}

static void *open_page(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = PERF_ATTR_SIZE_VER0,
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	uint64_t signals;
	if (sys_sandboxed || has_filter())
		return NULL;
	sys_hold_signals(&signals);
	long fd = sys_move_away(
		arch_syscall(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0));
	void *page = NULL;
	if (fd >= 0) {
		page = sys_mmap(PAGE_BYTES, PROT_READ, MAP_SHARED, (int)fd, 0);
		page = sys_failed(page) ? NULL : page;
		sys_close((int)fd); /* the mapping keeps the event */
	}
	sys_release_signals(&signals);
	return page;
}

static bool find_perf(void)
{
	void *page = open_page();
	if (page)
		sys_munmap(page, PAGE_BYTES);
	else
		switch_chosen.flags |= SCP_SWITCH_NO_PERF;
	return page;
}

void switch_detector_choose(const char *states, const char *detector, bool cpu_clock)
{
	struct switch_choice *c = &switch_chosen;
	*c = (struct switch_choice){.kind = SCP_SWITCH_NONE};
	bool off = states && text_equal(states, "off");
	if (off || cpu_clock) {
		c->flags = off ? SCP_SWITCH_OFF : SCP_SWITCH_CPU_CLOCK;
		return;
	}
	if (states && text_equal(states, "exact")) {
		c->flags = SCP_SWITCH_EXACT;
		c->exact = true;
	}
	bool any = !detector;
	c->only = !any;
	if ((any || text_equal(detector, "rseq")) && find_rseq())
		c->kind = SCP_SWITCH_RSEQ;
	else if ((any || text_equal(detector, "perf")) && find_perf())
		c->kind = SCP_SWITCH_PERF;
	else
		c->kind = SCP_SWITCH_SAMPLED;
}

void switch_detector_forget(struct switch_watch *w)
{
	w->page = NULL;
	w->still = w->armed;
	w->word = &w->still;
}

void switch_detector_give_way(struct switch_watch *w)
{
	if (switch_area_leave() && w && w->detector == SCP_SWITCH_RSEQ) {
		switch_detector_forget(w);
		w->detector = SCP_SWITCH_SAMPLED;
		w->weight = 0;
	}
}

void switch_detector_release(struct switch_watch *w)
{
	if (w->page && !sys_sandboxed)
		sys_munmap(w->page, PAGE_BYTES);
	w->page = NULL;
	w->detector = SCP_SWITCH_NONE;
	w->countdown = SWITCH_NEVER;
	w->word = &w->still;
	w->still = w->armed = w->expected = STILL;
}

void switch_detector_bind(struct switch_watch *w)
{
	switch_detector_release(w);
	w->detector = switch_chosen.kind;
	struct rseq_area *area = NULL;
	if (w->detector == SCP_SWITCH_RSEQ)
		area = areas_are_ours ? switch_area_take() : area_of_libc();
	if (area && area->cpu_id < 0) { /* a thread that libc did not make */
		w->detector = SCP_SWITCH_SAMPLED;
		return;
	}
	if (area) {
		w->word = &area->descriptor;
		w->armed = (uint64_t)&descriptor;
	} else if (w->detector != SCP_SWITCH_NONE && w->detector != SCP_SWITCH_SAMPLED) {
		w->detector = SCP_SWITCH_PERF; /* also where the program has an area of its own */
		w->page = open_page();
		if (!w->page) {
			w->detector = SCP_SWITCH_SAMPLED;
			return;
		}
		/* `lock`, and with it `index`, which does not change */
		w->word =
			(uint64_t *)((char *)w->page + offsetof(struct perf_event_mmap_page, lock));
	}
	switch_detector_arm(w);
}

int32_t switch_detector_cpu(const struct switch_watch *w)
{
	const struct rseq_area *area =
		(const void *)((const char *)w->word - offsetof(struct rseq_area, descriptor));
	return w->detector == SCP_SWITCH_RSEQ ? area->cpu_id : -1;
}

void switch_detector_arm(struct switch_watch *w)
{
	if (w->detector == SCP_SWITCH_RSEQ)
		*w->word = w->armed;
	else
		w->armed = *w->word;
	w->expected = w->armed;
}

void switch_detector_note(uint32_t flags)
{
	struct scp_header *h = process.file->header;
	if ((__atomic_load_n(&switch_chosen.flags, __ATOMIC_RELAXED) & flags) == flags)
		return; /* what other threads look at, too, is not written at every switch */
	__atomic_or_fetch(&switch_chosen.flags, flags, __ATOMIC_RELAXED);
	if (h)
		__atomic_or_fetch(&h->switches.flags, flags, __ATOMIC_RELAXED);
}

void switch_detector_give_up(void)
{
	struct scp_header *h = process.file->header;
	bool next = switch_chosen.kind == SCP_SWITCH_RSEQ && !switch_chosen.only && find_perf();
	switch_chosen.kind = next ? SCP_SWITCH_PERF : SCP_SWITCH_SAMPLED;
	if (h)
		h->switches.detector = switch_chosen.kind;
	switch_detector_note(SCP_SWITCH_MISSED);
}
