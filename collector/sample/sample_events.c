// SPDX-License-Identifier: GPL-3.0-or-later
/* Events of whole CPUs where that is allowed: an event that a thread inherits fires after a whole
 * period of that thread at first, and so never in one that is shorter. */
#include "collector/sample/sample_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profile/base/kernel_file.h"
#include "profile/base/array.h"
#include "stats/numerics/random.h"

#define MOST_WHOLE     16 /* CPUs: each has a timer, which an idle one has, too */
#define MOST_EVENTS    512u
#define REDRAW_SAMPLES 8
#define MOST_RING      (UINT64_C(4) << 20)
#define LEAST_RING     (UINT64_C(1) << 17)
#define NEXT_BYTES     192 /* of most records */

static struct perf_event_attr describe(const struct sample_events *e, uint64_t period_ns)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = e->whole ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER,
		.inherit = !e->whole,
		.exclude_kernel = e->user,
		.exclude_hv = 1,
		.exclude_idle = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.wakeup_events = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.sample_regs_user = machine_sampled,
		.sample_stack_user = SAMPLE_STACK,
	};
}

static bool map_ring(struct sample_ring *r, int fd)
{
	long page = sysconf(_SC_PAGESIZE);

	*r = (struct sample_ring){.fd = fd};
	for (r->bytes = MOST_RING; r->bytes >= LEAST_RING; r->bytes /= 2) {
		void *at = mmap(NULL, r->bytes + (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED,
				fd, 0);

		r->page = at == MAP_FAILED ? NULL : at;
		r->data = (const uint8_t *)at + page;
		if (r->page)
			return true;
	}
	return false;
}

/* 1: done; 0: there is no such CPU, or it is off; -1: it cannot be. The first event of a CPU has
 * its ring, to which the others write. */
static int open_one(struct sample_events *e, struct perf_event_attr *attr, pid_t tid, int cpu,
		    uint32_t at)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	const struct sample_event event = {.fd = fd, .tid = tid, .ring = at};

	if (fd < 0)
		return errno == ENODEV ? 0 : -1;
	if (e->events == MOST_EVENTS || !ARRAY_PUT(e->event, e->events, event))
		return close(fd), -1;
	if (at < e->rings)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, e->ring[at].fd) ? -1 : 1;
	struct sample_ring *ring = ARRAY_APPEND(e->ring, e->rings);
	if (ring && map_ring(ring, fd))
		return 1;
	e->rings -= ring != NULL;
	return -1;
}

static bool open_all(struct sample_events *e, struct perf_event_attr *attr, pid_t tid)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	uint32_t at = 0;

	for (int cpu = 0; cpu < cpus; cpu++) {
		int done = open_one(e, attr, tid, cpu, at);

		if (done < 0)
			return false;
		at += (uint32_t)done;
	}
	return at > 0;
}

static bool open_threads(struct sample_events *e, struct perf_event_attr *attr, pid_t pid)
{
	DIR *d = kernel_file_folder("/proc/%d/task", (int)pid);
	int tid, threads = 0;
	bool fine = true;

	for (; fine && (tid = kernel_file_next(&d)) >= 0; threads++)
		fine = open_all(e, attr, tid) || (errno == ESRCH && threads);
	kernel_file_leave(&d);
	return fine && threads;
}

static void explain(struct sample_events *e)
{
	char level[32] = "";
	int error = errno;

	kernel_file_line(level, sizeof(level), "/proc/sys/kernel/perf_event_paranoid");
	snprintf(e->why, sizeof(e->why),
		 "perf_event_open: %s (kernel.perf_event_paranoid is %.8s: sysctl "
		 "kernel.perf_event_paranoid=2 or CAP_PERFMON allow it; a sandbox must, too)",
		 strerror(error), level);
}

bool sample_events_open(struct sample_events *e, const pid_t *pid, size_t count, bool begins,
			uint64_t period_ns)
{
	/* whole CPUs; threads, in the kernel as well; threads in user space */
	for (int way = sysconf(_SC_NPROCESSORS_CONF) > MOST_WHOLE; way < 3; way++) {
		*e = (struct sample_events){.whole = way == 0, .user = way == 2};
		struct perf_event_attr attr = describe(e, period_ns);
		bool fine = way || open_all(e, &attr, -1);

		attr.disabled = attr.enable_on_exec = begins && way;
		for (size_t i = 0; way && fine && i < count; i++)
			fine = open_threads(e, &attr, pid[i]);
		if (fine)
			return true;
		explain(e);
		if (way < 2)
			sample_events_close(e);
	}
	return false;
}

/* Short periods have more samples than long ones: the rate's mean is log 3 = 1.0986 times the mean
 * period's. */
static uint64_t draw(struct random *r, uint64_t period_ns)
{
	uint64_t mean = period_ns + period_ns / 10;

	return mean / 2 + random_below(r, mean + 1);
}

void sample_events_redraw(struct sample_events *e, struct random *r, uint64_t period_ns)
{
	for (uint32_t i = 0; i < e->events; i++) {
		uint64_t drawn = draw(r, period_ns);

		if (e->event[i].samples < REDRAW_SAMPLES)
			continue;
		e->event[i].samples = 0;
		ioctl(e->event[i].fd, PERF_EVENT_IOC_PERIOD, &drawn);
	}
}

void sample_events_close(struct sample_events *e)
{
	if (e->chains.tried) {
		close(e->chains.threads);
		close(e->chains.outputs);
		e->chains.tried = false;
	}
	for (uint32_t i = 0; i < e->rings; i++) {
		munmap(e->ring[i].page, e->ring[i].bytes + (size_t)sysconf(_SC_PAGESIZE));
		PROF_FREE(&e->ring[i], whole, chain);
	}
	for (uint32_t i = 0; i < e->events; i++)
		close(e->event[i].fd);
	PROF_FREE(e, ring, event);
	e->rings = e->events = 0;
}

/* Samples have it behind the numbers of process and thread; all others at the end. */
static uint64_t time_of(const struct perf_event_header *h)
{
	size_t at = h->type == PERF_RECORD_SAMPLE ? 16 : h->size - 8u;

	return h->size >= 24 ? word_at(h, at) : 0;
}

/* The kernel writes behind data_head while we read before it: the line that it writes for each
 * record is left to it meanwhile. Records are aligned to eight bytes, so that a header is whole,
 * but a record may wrap. */
static void look_at_next(struct sample_ring *r)
{
	if (r->tail - r->freed >= (r->tail < r->head ? r->bytes / 8 : 1)) {
		__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
		r->freed = r->tail;
	}
	if (r->tail >= r->head)
		r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = r->tail & (r->bytes - 1), left = r->bytes - at;
	const struct perf_event_header *h = (const void *)(r->data + at);

	if (r->tail >= r->head || h->size < sizeof(*h) || h->size > r->head - r->tail)
		return;
	for (uint64_t line = 0; line < NEXT_BYTES; line += 64) /* another CPU wrote it */
		__builtin_prefetch(r->data + ((r->tail + h->size + line) & (r->bytes - 1)));
	if (h->size > left) {
		r->whole = r->whole ? r->whole : malloc(UINT16_MAX + 1);
		if (!r->whole)
			return;
		uint16_t size = h->size;

		memcpy(r->whole, h, left);
		memcpy((uint8_t *)r->whole + left, r->data, size - left);
		h = (const void *)r->whole;
	}
	r->next = h;
	r->time_ns = time_of(h);
}

static void note_sample(struct sample_events *e, uint32_t ring, const struct perf_event_header *h)
{
	for (uint32_t i = 0; i < e->events; i++)
		if (e->event[i].ring == ring &&
		    (e->whole || e->event[i].tid == (pid_t)half_at(h, 12)))
			e->event[i].samples++;
}

static const struct perf_event_header *next(struct sample_events *e, uint64_t limit_ns,
					    uint64_t *time_ns, struct sample_ring **from)
{
	struct sample_ring *oldest = NULL;

	for (struct sample_ring *r = e->ring; r < e->ring + e->rings; r++) {
		if (!r->next)
			look_at_next(r);
		if (r->next && r->time_ns <= limit_ns && (!oldest || r->time_ns < oldest->time_ns))
			oldest = r;
	}
	if (!oldest)
		return NULL;
	const struct perf_event_header *h = oldest->next;

	*time_ns = oldest->time_ns;
	*from = oldest;
	oldest->next = NULL;
	oldest->tail += h->size;
	return h;
}

const struct perf_event_header *sample_events_next(struct sample_events *e, uint64_t limit_ns,
						   uint64_t *time_ns)
{
	const struct perf_event_header *h;
	struct sample_ring *from = NULL;

	do {
		h = next(e, limit_ns, time_ns, &from);
	} while (h && chain_keep(e, from, h));
	if (h && h->type == PERF_RECORD_SAMPLE && h->size >= 24)
		note_sample(e, (uint32_t)(from - e->ring), h);
	return h;
}
