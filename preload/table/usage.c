// SPDX-License-Identifier: Apache-2.0
/* Raw system calls only. What cannot be read now is not known now: an older value beside a newer
 * one would make shares of them wrong. */
#include <sys/resource.h>
#include <time.h>

#include "preload/clock/clock.h"
#include "preload/system/sys.h"
#include "preload/table/header.h"
#include "preload/process/libc.h"

#define STAT_BYTES 256u /* of /proc/stat; its first line is at most 215 */
/* On a machine of many CPUs the kernel writes a long file: the next reading is after so many times
 * of what one took. */
#define STAT_EVERY 2000u
#define IO_BYTES   256u /* of a file "io"; the two lines lie within the first 180 */

/* The kernel adds what children did to a process that waits for them: its own threads alone are
 * then no longer to be told from /proc/self/io. A process of one thread has that thread's own file.
 */
static struct {
	long children;		/* page faults of those waited for: no process is without */
	bool thread;		/* the thread's file could be read */
	uint64_t reads, writes; /* that the process had before, and its thread had not */
} begun;

bool usage_find(const char *text, const char *name, uint64_t *value)
{
	long bytes = (long)text_length(text), at = 0;
	while (at < bytes && !text_begins_with(text + at, name))
		while (at < bytes && text[at++] != '\n')
			;
	return at < bytes &&
	       text[text_number(text, at + (long)text_length(name), bytes, value)] == '\n';
}

static bool read_cpu(struct scp_usage *u)
{
	struct rusage r;
	if (!clock_ask_kernel(CLOCK_PROCESS_CPUTIME_ID, &u->cpu_ns) ||
	    sys2(SYS_getrusage, RUSAGE_SELF, &r) != 0)
		return false;
	u->voluntary = (uint64_t)r.ru_nvcsw;
	u->involuntary = (uint64_t)r.ru_nivcsw;
	return true;
}

/* The kernel counts a read when it has been done: that of the file is not in it yet. */
static bool read_file(const char *path, struct scp_usage *u)
{
	char text[IO_BYTES];
	uint64_t own_reads = sys_made.reads, own_writes = sys_made.writes;
	sys_read_file(path, text, sizeof text);
	if (!usage_find(text, "syscr: ", &u->reads) || !usage_find(text, "syscw: ", &u->writes))
		return false;
	u->reads -= own_reads;
	u->writes -= own_writes;
	return true;
}

static long children_faults(void)
{
	struct rusage r;
	return sys2(SYS_getrusage, RUSAGE_CHILDREN, &r) == 0 ? r.ru_minflt + r.ru_majflt : -1;
}

static bool read_io(struct scp_usage *u)
{
	if (begun.thread && libc_is_single_threaded())
		return read_file("/proc/thread-self/io", u);
	if (children_faults() != begun.children || !read_file("/proc/self/io", u))
		return false;
	u->reads -= begun.reads;
	u->writes -= begun.writes;
	return true;
}

static void begin_io(void)
{
	struct scp_usage thread, whole;
	begun.children = children_faults();
	begun.reads = begun.writes = 0;
	begun.thread = libc_is_single_threaded() && read_file("/proc/self/io", &whole) &&
		       read_file("/proc/thread-self/io", &thread);
	if (!begun.thread)
		return;
	begun.reads = whole.reads - thread.reads;
	begun.writes = whole.writes - thread.writes;
}

/* "cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ..." */
enum stat_field { IDLE_FIELD = 4, IOWAIT_FIELD, STEAL_FIELD = 8 };

bool usage_find_stolen(const char *text, struct scp_steal *s)
{
	uint64_t value = 0, busy = 0;
	long at = 4, end;

	if (!text_begins_with(text, "cpu "))
		return false;
	for (int field = 1; field <= STEAL_FIELD; field++, at = end) {
		while (text[at] == ' ')
			at++;
		end = text_number(text, at, STAT_BYTES, &value);
		if (end == at || !text[end])
			return false;
		if (field != IDLE_FIELD && field != IOWAIT_FIELD)
			busy += value;
	}
	s->stolen_ns = value * SCP_STEAL_STEP_NS;
	s->busy_ns = busy * SCP_STEAL_STEP_NS;
	return true;
}

/* Where one takes long, they are far between, but for the last one. */
static struct scp_steal read_steal(const struct scp_header *h)
{
	const struct scp_steal *before = &h->steal_last;
	static uint64_t took_ns;
	char text[STAT_BYTES];
	struct scp_steal s = {.mono_ns = clock_mono_ns()};
	if (before->known && h->end_state == SCP_END_RUNNING &&
	    s.mono_ns - before->mono_ns < took_ns * STAT_EVERY)
		return *before;
	if (sys_read_file("/proc/stat", text, sizeof text) < 0)
		return s;
	s.known = usage_find_stolen(text, &s) ? SCP_STEAL_KNOWN : 0;
	took_ns = clock_mono_ns() - s.mono_ns;
	return s;
}

/* What the process has used, and what all have. */
struct reading {
	struct scp_usage usage;
	struct scp_steal steal;
};

static struct reading read_now(const struct scp_header *h)
{
	struct reading r = {.usage.mono_ns = clock_mono_ns()};
	if (read_cpu(&r.usage))
		r.usage.known |= SCP_USAGE_CPU;
	if (read_io(&r.usage))
		r.usage.known |= SCP_USAGE_IO;
	r.steal = read_steal(h);
	return r;
}

/* Nothing is known while it changes: the process may be killed, and read, at any time. */
static void publish(struct scp_usage *usage, struct scp_steal *steal, const struct reading *r)
{
	struct reading values = *r;
	values.usage.known = usage->known = 0;
	values.steal.known = steal->known = 0;
	publish_barrier();
	*usage = values.usage;
	*steal = values.steal;
	publish_barrier();
	usage->known = r->usage.known;
	steal->known = r->steal.known;
}

void usage_begin(struct scp_header *h)
{
	/* A forked child's counts begin at 0, and so do ours. */
	sys_made.reads = sys_made.writes = 0;
	begin_io();
	const struct reading now = read_now(h);
	publish(&h->usage_first, &h->steal_first, &now);
	publish(&h->usage_last, &h->steal_last, &now);
}

void usage_count(struct scp_header *h)
{
	const struct reading now = read_now(h);
	publish(&h->usage_last, &h->steal_last, &now);
}

/* The beginning moves on by as much. */
void usage_leave_out(struct scp_header *h)
{
	const struct reading now = read_now(h), last = {h->usage_last, h->steal_last};
	struct reading first = {h->usage_first, h->steal_first};
	first.usage.known &= last.usage.known & now.usage.known;
	first.usage.cpu_ns += now.usage.cpu_ns - last.usage.cpu_ns;
	first.usage.voluntary += now.usage.voluntary - last.usage.voluntary;
	first.usage.involuntary += now.usage.involuntary - last.usage.involuntary;
	first.usage.reads += now.usage.reads - last.usage.reads;
	first.usage.writes += now.usage.writes - last.usage.writes;
	first.steal.known &= last.steal.known & now.steal.known; /* each 0 or SCP_STEAL_KNOWN */
	first.steal.busy_ns += now.steal.busy_ns - last.steal.busy_ns;
	first.steal.stolen_ns += now.steal.stolen_ns - last.steal.stolen_ns;
	h->usage_last.known = h->steal_last.known = 0;
	publish_barrier();
	publish(&h->usage_first, &h->steal_first, &first);
	publish(&h->usage_last, &h->steal_last, &now);
}
