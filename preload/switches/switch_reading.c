// SPDX-License-Identifier: Apache-2.0
/* What the kernel says of the calling thread. */
#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "include/scprof_format.h"
#include "preload/clock/clock.h"
#include "preload/switches/switch_track.h"
#include "preload/system/sys.h"

#define PATH_BYTES 64u
#define TRIES	   3u
#define APART_NS   5000u

/* "CPU DELAY SLICES", in ns. The first is as old as the last tick; the second changes only
 * when the thread gets a CPU. */
static bool take_delay(const char *text, long n, uint64_t *delay)
{
	long at = 0;
	while (at < n && text[at] != ' ')
		at++;
	return ++at < n && text_number(text, at, n, delay) > at;
}

/* By number: that is faster than /proc/thread-self. Where /proc is of other process ids it is not
 * there, or another thread's; so the own number is not looked for elsewhere. */
static bool read_delay(int32_t tid, uint64_t *delay)
{
	char path[PATH_BYTES], text[PATH_BYTES];
	uint64_t signals;
	size_t at = text_append(path, sizeof path, 0, "/proc/self/task/");
	at = text_append_number(path, sizeof path, at, (uint64_t)tid);
	text_append(path, sizeof path, at, "/schedstat");
	sys_hold_signals(&signals); /* a handler that leaves would leave the descriptor */
	long n = sys_read_file(path, text, sizeof text);
	sys_release_signals(&signals);
	if (n > 0 && take_delay(text, n, delay))
		return true;
	if (n != -EMFILE && n != -ENFILE) /* for a moment only */
		switch_detector_note(SCP_SWITCH_NO_DELAY);
	return false;
}

/* Both of one instant: where they are too far apart the thread lost its CPU between them. */
static bool read_clocks(struct switch_reading *r)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = clock_mono_ns();
		if (!clock_ask_kernel(CLOCK_THREAD_CPUTIME_ID, &r->cpu_ns))
			return false;
		uint64_t took = clock_mono_ns() - before;
		r->mono_ns = before + took / 2;
		if (took < APART_NS)
			break;
	}
	return true;
}

COLD bool switch_reading_take_clocks(struct switch_reading *r)
{
	r->has_delay = false;
	return !sys_sandboxed && read_clocks(r);
}

static bool read_switches(struct switch_reading *r)
{
	struct rusage usage;
	if (sys2(SYS_getrusage, RUSAGE_THREAD, &usage) != 0)
		return false;
	r->voluntary = (uint64_t)usage.ru_nvcsw;
	r->involuntary = (uint64_t)usage.ru_nivcsw;
	return true;
}

COLD bool switch_reading_take(struct switch_reading *r, int32_t tid, bool delay, bool prove)
{
	struct switch_reading before = {0};
	r->is_derived = false;
	for (unsigned i = 0; i < TRIES && !sys_sandboxed; i++) {
		if ((prove && !read_switches(&before)) || !read_clocks(r) ||
		    (!prove && !read_switches(r)))
			return false;
		r->has_delay = delay && !(switch_chosen.flags & SCP_SWITCH_NO_DELAY) &&
			       read_delay(tid, &r->delay_ns);
		if (!prove || (read_switches(r) && before.voluntary == r->voluntary &&
			       before.involuntary == r->involuntary))
			return true;
	}
	return false;
}

COLD bool switch_reading_derive(struct switch_reading *r, int32_t tid,
				const struct switch_reading *since)
{
	struct switch_reading before;
	if (sys_sandboxed || !read_switches(&before) || before.voluntary != since->voluntary)
		return false;
	r->mono_ns = clock_mono_ns();
	r->has_delay = r->is_derived = true;
	if (!read_delay(tid, &r->delay_ns) || !read_switches(r) ||
	    r->voluntary != since->voluntary || r->involuntary != before.involuntary ||
	    switch_reading_lacks_delay(r, since))
		return false;
	r->cpu_ns = since->cpu_ns + (r->mono_ns - since->mono_ns) - (r->delay_ns - since->delay_ns);
	return true;
}
