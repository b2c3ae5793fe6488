// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread that sleeps until something is due. */
#include "collector/launch/recording_control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/shared_page.h"
#include "include/scprof_control.h"
#include "profile/base/error.h"
#include "profile/base/kernel_file.h"

#define KEPT_FLIPS 1024u /* power of two */

struct recording_control {
	struct recording_schedule schedule;
	struct scp_control_page *page, said; /* what the page says: it is never read */
	char *path;
	pthread_t thread;
	bool running;
	bool ending;	  /* whether `end` wakes the thread to end itself, or to end recording */
	int end, signals; /* eventfd, signalfd; -1: none */
	pthread_mutex_t lock; /* of what follows */
	bool began_on;
	uint64_t flips, flip_ns[KEPT_FLIPS]; /* the latest ones, by number */
};

void recording_control_schedule_begin(struct recording_schedule *s,
				      const struct recording_plan *plan, uint64_t now_ns)
{
	bool on = !plan->stopped && !plan->after_ns;
	uint64_t wait_ns = on ? plan->for_ns : plan->after_ns;

	*s = (struct recording_schedule){*plan, on, wait_ns ? now_ns + wait_ns : UINT64_MAX};
}

void recording_control_schedule_flip(struct recording_schedule *s, uint64_t now_ns)
{
	s->on = !s->on;
	s->due_ns = s->on && s->plan.for_ns ? now_ns + s->plan.for_ns : UINT64_MAX;
}

static void put(struct scp_control_page *to, const struct scp_control_page *p)
{
	__atomic_store_n(&to->seq, p->seq - 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&to->on_ns, p->on_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&to->since_ns, p->since_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&to->word, p->word, __ATOMIC_SEQ_CST);
	__atomic_store_n(&to->seq, p->seq, __ATOMIC_RELEASE);
}

static void flip(struct recording_control *w, uint64_t now)
{
	struct scp_control_page p = w->said;

	recording_control_schedule_flip(&w->schedule, now);
	if (p.word & 1)
		p.on_ns += now - p.since_ns;
	p.since_ns = now;
	p.word = (p.word & ~UINT64_C(0xffffffff)) |
		 (uint32_t)(((p.word >> 1) + 1) << 1 | w->schedule.on);
	p.seq += 2;
	put(&w->said, &p);
	put(w->page, &p);
	pthread_mutex_lock(&w->lock);
	w->flip_ns[w->flips++ % KEPT_FLIPS] = now;
	pthread_mutex_unlock(&w->lock);
}

bool recording_control_was_on(struct recording_control *w, uint64_t at_ns)
{
	pthread_mutex_lock(&w->lock);
	uint64_t before = w->flips, kept = before < KEPT_FLIPS ? before : KEPT_FLIPS;

	while (before > w->flips - kept && w->flip_ns[(before - 1) % KEPT_FLIPS] > at_ns)
		before--;
	bool known = before > w->flips - kept || before == 0;
	bool on = known && w->began_on == !(before & 1);

	pthread_mutex_unlock(&w->lock);
	return on;
}

static void *windows_main(void *argument)
{
	struct recording_control *w = argument;
	struct pollfd fds[2] = {{.fd = w->end, .events = POLLIN},
				{.fd = w->signals, .events = POLLIN}};

	pthread_setname_np(pthread_self(), "scprof-windows");
	for (;;) {
		uint64_t now = clocks_read_ns(CLOCK_MONOTONIC_RAW), due = w->schedule.due_ns;
		struct timespec wait = clocks_read_timespec(due > now ? due - now : 0);

		if (due <= now) {
			flip(w, now);
			continue;
		}
		if (ppoll(fds, 2, due == UINT64_MAX ? NULL : &wait, NULL) <= 0)
			continue;
		if (fds[0].revents && __atomic_load_n(&w->ending, __ATOMIC_ACQUIRE))
			return NULL;
		uint64_t count;
		if (fds[0].revents) {
			if (!eventfd_read(w->end, &count) && w->schedule.on)
				flip(w, clocks_read_ns(CLOCK_MONOTONIC_RAW));
			w->schedule.due_ns = UINT64_MAX;
		}
		struct signalfd_siginfo s;
		while (fds[1].revents && read(w->signals, &s, sizeof(s)) == (ssize_t)sizeof(s))
			flip(w, clocks_read_ns(CLOCK_MONOTONIC_RAW));
	}
}

/* Of this thread, in memory that nobody else writes: the kernel follows the list when it ends. */
static struct robust_list_head robust;
static struct robust_list robust_entry;

static bool create_page(struct recording_control *w)
{
	w->page = shared_page_create(w->path, SCP_CONTROL_BYTES, SHARED_PAGE_READ);
	if (!w->page)
		return false;
	w->said.since_ns = clocks_read_ns(CLOCK_MONOTONIC_RAW);
	w->said.word = w->schedule.on;
	memcpy(w->said.magic, SCP_CONTROL_MAGIC, sizeof(w->said.magic));
	/* whatever ends this thread is told by the page (no mutex of the tool is robust) */
	robust_entry.next = &robust.list;
	robust.list.next = &robust_entry;
	robust.futex_offset = (char *)&w->page->word + sizeof(uint32_t) - (char *)&robust_entry;
	if (!syscall(SYS_set_robust_list, &robust, sizeof(robust)))
		w->said.word |= (uint64_t)gettid() << 32;
	*w->page = w->said;
	return true;
}

static void release(struct recording_control *w)
{
	if (w->page) { /* the last targets go on as they are */
		__atomic_store_n(&w->page->word, w->said.word & UINT32_MAX, __ATOMIC_SEQ_CST);
		robust.list.next = &robust.list;
		shared_page_remove(w->page, w->path);
	}
	kernel_file_close(&w->end);
	kernel_file_close(&w->signals);
	free(w->path);
	free(w);
}

struct recording_control *recording_control_create(const char *path,
						   const struct recording_plan *plan,
						   struct profile_error *err)
{
	struct recording_control *w = calloc(1, sizeof(*w));

	if (w) {
		sigset_t set;

		sigemptyset(&set);
		w->signals = plan->signal && !sigaddset(&set, plan->signal)
				     ? signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)
				     : -1;
		w->end = eventfd(0, EFD_CLOEXEC);
		recording_control_schedule_begin(&w->schedule, plan, 0);
		w->began_on = w->schedule.on;
		pthread_mutex_init(&w->lock, NULL);
		if (w->end >= 0 && (w->signals >= 0 || !plan->signal) && (w->path = strdup(path)) &&
		    create_page(w))
			return w;
	}
	error_set(err, "cannot make the page that stops and starts recording, %s: %s", path,
		  strerror(errno));
	if (w)
		release(w);
	return NULL;
}

int recording_control_begin(struct recording_control *w)
{
	const struct recording_plan plan = w->schedule.plan;

	recording_control_schedule_begin(&w->schedule, &plan, clocks_read_ns(CLOCK_MONOTONIC_RAW));
	errno = shared_page_start_thread(&w->thread, windows_main, w);
	w->running = !errno;
	return errno ? -1 : 0;
}

void recording_control_finish(struct recording_control *w)
{
	eventfd_write(w->end, 1); /* cannot fail: nothing else counts it up */
}

uint64_t recording_control_due(const struct recording_control *w, bool *on)
{
	uint64_t due = __atomic_load_n(&w->schedule.due_ns, __ATOMIC_RELAXED),
		 now = clocks_read_ns(CLOCK_MONOTONIC_RAW);

	*on = __atomic_load_n(&w->schedule.on, __ATOMIC_RELAXED);
	return due == UINT64_MAX ? due : due > now ? due - now : 0;
}

double recording_control_recorded_s(const struct recording_control *w)
{
	const struct scp_control_page *p = &w->said;
	uint64_t ns;
	uint32_t seq;

	do {
		seq = __atomic_load_n(&p->seq, __ATOMIC_ACQUIRE);
		ns = __atomic_load_n(&p->on_ns, __ATOMIC_RELAXED);
		if (__atomic_load_n(&p->word, __ATOMIC_RELAXED) & 1)
			ns += clocks_read_ns(CLOCK_MONOTONIC_RAW) -
			      __atomic_load_n(&p->since_ns, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || seq != __atomic_load_n(&p->seq, __ATOMIC_RELAXED));
	return (double)ns / 1e9;
}

bool recording_control_stop(struct recording_control *w)
{
	bool cut = shared_page_was_cut(w->page);

	__atomic_store_n(&w->ending, true, __ATOMIC_RELEASE);
	if (w->running && !eventfd_write(w->end, 1))
		pthread_join(w->thread, NULL);
	release(w);
	return cut;
}

/* The directory of a run is locked while its tool lives. */
bool recording_control_tool_lives(const char *path)
{
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(path, '/') - path), path);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
	close(fd);
	return locked;
}
