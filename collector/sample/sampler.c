// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread of the tool takes records from the rings about ten times a second, puts those of all
 * CPUs into the order of time, and counts. Each time it draws new periods: nothing periodic in a
 * program keeps step with them. */
#include "collector/sample/sampler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/launch/recording_control.h"
#include "collector/sample/sample_private.h"
#include "collector/shared_page.h"
#include "include/scprof_control.h"
#include "profile/base/error.h"
#include "stats/numerics/random.h"

#define LOOK_MS	  100
#define MARGIN_NS UINT64_C(2000000)  /* a record may be in its ring that much after its time */
#define DRAW_NS	  UINT64_C(50000000) /* at first: later each such part of the time until then */
#define DRAW_PART 64
#define DRAW_MOST UINT64_C(400000000)
#define WAKES	  256

struct sampler {
	struct sample_events events;
	struct sample_spaces spaces;
	struct sample_counts counts;
	struct sample_save save;
	struct recording_control *control; /* NULL: recording is always on */
	const struct scp_control_changes *changes;
	uint32_t change; /* the last one that was taken */
	struct random random;
	uint64_t period_ns, lost, cut;
	uint64_t before_ns; /* charged to the processes before there were samples */
	bool ages;	    /* Python's last sample (python_ages) */
	unsigned wakes;	    /* so many more samples it wakes up for, where they do */
	struct sample_path path;
	int stop; /* eventfd */
	bool runs;
	pthread_t thread;
};

/* Processes say when they start and stop recording, up to that instant, which is all that is
 * believed of them. */
static void take_changes(struct sampler *s, uint64_t until_ns)
{
	const struct scp_control_changes *all = __atomic_load_n(&s->changes, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; all && i < SCP_CONTROL_CHANGES; i++) {
		const struct scp_control_change *next =
			&all->change[(s->change + 1) % SCP_CONTROL_CHANGES];
		uint32_t number = __atomic_load_n(&next->number, __ATOMIC_ACQUIRE);
		uint32_t pid_on = next->pid_on;

		if (number <= s->change || next->at_ns > until_ns)
			return;
		s->change = number; /* those in between, of which there is too much, are lost */
		uint32_t life = space_find_inner(&s->spaces, (pid_t)(pid_on >> 1));

		if (life != SAMPLE_NONE)
			s->spaces.life[life].records = pid_on & 1;
	}
}

static bool was_on(struct sampler *s, const struct sample_life *l, uint64_t at_ns)
{
	struct recording_control *control = __atomic_load_n(&s->control, __ATOMIC_ACQUIRE);

	return (!control || recording_control_was_on(control, at_ns)) &&
	       (!s->changes || l->records);
}

/* numbers 8, time 8, ABI 8, registers, bytes asked 8, the piece, bytes that it has 8 */
static void take_sample(struct sampler *s, const struct perf_event_header *h, uint64_t at_ns)
{
	const size_t registers = 32, asked = registers + 8 * SAFE_POINT_SAMPLED;
	const pid_t pid = (pid_t)half_at(h, 8);
	uint32_t known = space_find(&s->spaces, pid);
	uint32_t life = known == SAMPLE_NONE ? space_adopt(&s->spaces, pid) : known;
	struct sample_stack stack = {.count = 0};
	uint64_t value[SAFE_POINT_SAMPLED], size;

	if (life == SAMPLE_NONE || !s->spaces.life[life].counts || h->size < asked + 8 ||
	    word_at(h, 24) != PERF_SAMPLE_REGS_ABI_64 || !was_on(s, &s->spaces.life[life], at_ns))
		return;
	memcpy(value, (const uint8_t *)h + registers, sizeof(value));
	machine_take_sampled(value, &stack.registers);
	size = word_at(h, asked);
	if (size && asked + 16 + size <= h->size) {
		uint64_t has = word_at(h, asked + 8 + size);

		stack.count = has < size ? has : size;
	}
	stack.bytes = (const uint8_t *)h + asked + 8;
	stack.at = stack.registers.of[ARCH_SP];
	struct sample_life *read = space_read(&s->spaces, life);
	struct profile *names = counts_names(&s->counts);

	stack.tid = (pid_t)half_at(h, 12);
	stack.now_ns = read && read->python ? clocks_read_ns(CLOCK_MONOTONIC_RAW) : at_ns;
	stack.age_ns = stack.now_ns - at_ns;
	stack.events = &s->events;
	stack.chain = s->events.chain;
	if (!read || !names) {
		s->lost++;
		return;
	}
	walk_sample(&s->spaces.images, read, &stack, names, &s->path);
	if (read->python) {
		s->ages = python_ages(read->python);
		s->wakes += s->ages && s->wakes < WAKES;
	}
	s->cut += (s->path.flags & SCP_PATH_CUT) != 0;
	s->lost += !counts_add(&s->counts, life, &s->path);
}

/* numbers 8, address, length, offset, device 8, inode, its generation, protection 8, the name */
static void take_map(struct sampler *s, const struct perf_event_header *h)
{
	const size_t name = 72;

	if (h->size <= name + 16 || !memchr((const char *)h + name, 0, h->size - name))
		return;
	const struct sample_map m = {word_at(h, 16), word_at(h, 16) + word_at(h, 24),
				     word_at(h, 32), SAMPLE_NONE};
	const uint64_t file[] = {makedev(half_at(h, 40), half_at(h, 44)), word_at(h, 48)};

	space_map(&s->spaces, (pid_t)half_at(h, 8), &m, (const char *)h + name, file);
}

static void take_record(struct sampler *s, const struct perf_event_header *h, uint64_t at_ns)
{
	pid_t pid = h->size >= 24 ? (pid_t)half_at(h, 8) : 0;

	take_changes(s, at_ns); /* first: a fork takes over what its parent does */
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(s, h, at_ns);
	case PERF_RECORD_MMAP2:
		return take_map(s, h);
	case PERF_RECORD_COMM:
		if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
			space_exec(&s->spaces, pid, at_ns);
		return;
	case PERF_RECORD_FORK: /* process, parent, thread, parent's thread */
		return space_fork(&s->spaces, (pid_t)half_at(h, 12), pid, at_ns);
	case PERF_RECORD_EXIT:
		if (pid == (pid_t)half_at(h, 16))
			space_end(&s->spaces, pid, at_ns);
		return;
	case PERF_RECORD_LOST:
		s->lost += word_at(h, 16);
		return space_catch_up(&s->spaces);
	case PERF_RECORD_LOST_SAMPLES:
		s->lost += word_at(h, 8);
		return;
	default:
		return;
	}
}

/* Counts what is older than `limit_ns`. */
static void look(struct sampler *s, uint64_t limit_ns)
{
	const struct perf_event_header *h;
	uint64_t at_ns;

	while ((h = sample_events_next(&s->events, limit_ns, &at_ns)))
		take_record(s, h, at_ns);
	space_purge(&s->spaces, limit_ns);
}

static struct prof_sampling describe(const struct sampler *s)
{
	return (struct prof_sampling){.period_ns = s->period_ns,
				      .lost = s->lost,
				      .cut = s->cut,
				      .flags = s->events.user ? SCP_SAMPLING_USER : 0};
}

/* Since samples began; 0: not known, as where they stop at times. */
static uint64_t charged_ns(struct sampler *s)
{
	uint64_t now_ns = space_charged_ns(&s->spaces, s->events.user);

	if (__atomic_load_n(&s->control, __ATOMIC_ACQUIRE) || s->changes || now_ns < s->before_ns)
		return 0;
	return now_ns - s->before_ns;
}

/* Until there is something to do. That is each sample, where what Python's memory tells is soon
 * old; but where most samples are of others, not each of those. False: it is to stop. */
static bool wait(struct sampler *s, struct pollfd *on, int ms)
{
	bool all = s->ages && s->wakes > 0;

	if (poll(on, all ? 1 + s->events.rings : 1, ms) > 0 && on[0].revents)
		return false;
	for (uint32_t i = 1; i <= s->events.rings; i++)
		if (on[i].revents & ~POLLIN) /* its thread has ended */
			on[i].fd = -1;
	s->wakes -= all;
	return true;
}

static void *run(void *context)
{
	struct sampler *s = context;
	/* until a ring may be half full */
	uint64_t ms = s->events.ring[0].bytes / (2 * SAMPLE_STACK) * s->period_ns / 2000000;
	struct pollfd *on = calloc(1 + s->events.rings, sizeof(*on));
	uint64_t drawn = 0, begun = clocks_read_ns(CLOCK_MONOTONIC_RAW);

	/* where that is allowed: the rings of whole CPUs fill with what others compute */
	setpriority(PRIO_PROCESS, (id_t)gettid(), -10);
	for (uint32_t i = 0; on && i <= s->events.rings; i++)
		on[i] = (struct pollfd){.fd = i ? s->events.ring[i - 1].fd : s->stop,
					.events = POLLIN};
	while (on && wait(s, on, (int)(ms < LOOK_MS ? ms + 1 : LOOK_MS))) {
		uint64_t now = clocks_read_ns(CLOCK_MONOTONIC_RAW);
		uint64_t pause = DRAW_NS + (now - begun) / DRAW_PART;

		if (now - drawn > (pause < DRAW_MOST ? pause : DRAW_MOST)) {
			/* asks the other CPUs, and waits for them */
			sample_events_redraw(&s->events, &s->random, s->period_ns);
			drawn = now;
		}
		look(s, s->ages ? now : now - MARGIN_NS);
		if (save_is_due(&s->save, &s->counts, now)) {
			struct prof_sampling how = describe(s);

			how.cpu_ns = charged_ns(s);
			save_begin(&s->save, &s->spaces, &s->counts, &how, now);
		}
	}
	free(on);
	return NULL;
}

/* It reads a page that the processes write, and may cut. */
static int start_thread(struct sampler *s)
{
	s->stop = eventfd(0, EFD_CLOEXEC);
	if (s->stop < 0)
		return errno;
	int failed = shared_page_start_thread(&s->thread, run, s);

	s->runs = !failed;
	return failed;
}

struct sampler *sampler_begin(const pid_t *pid, size_t count, bool begins, uint64_t period_ns,
			      const char *directory, struct profile_error *err)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int failed = ENOMEM;

	if (!s) {
		error_set(err, "%s", strerror(failed));
		return NULL;
	}
	s->stop = -1;
	s->period_ns = period_ns;
	s->wakes = WAKES;
	s->save.directory = strdup(directory); /* or nothing is saved */
	s->save.due_ns = clocks_read_ns(CLOCK_MONOTONIC_RAW) + UINT64_C(1000000000);
	random_seed(&s->random, random_fresh_seed());
	if (!sample_events_open(&s->events, pid, count, begins, period_ns)) {
		error_set(err, "%s", s->events.why);
	} else {
		bool fine = true;

		for (size_t i = 0; fine && i < count; i++)
			fine = space_add(&s->spaces, pid[i], !begins,
					 clocks_read_ns(CLOCK_MONOTONIC_RAW));
		s->before_ns = space_charged_ns(&s->spaces, s->events.user);
		failed = fine ? start_thread(s) : failed;
		error_set(err, "%s", strerror(failed));
	}
	if (s->runs)
		return s;
	sampler_free(s);
	return NULL;
}

void sampler_follow(struct sampler *s, struct recording_control *control,
		    const struct scp_control_changes *changes)
{
	__atomic_store_n(&s->control, control, __ATOMIC_RELEASE);
	__atomic_store_n(&s->changes, changes, __ATOMIC_RELEASE);
}

void sampler_stop(struct sampler *s)
{
	if (!s->runs)
		return;
	eventfd_write(s->stop, 1);
	pthread_join(s->thread, NULL);
	s->runs = false;
	save_end(&s->save);
	look(s, UINT64_MAX);
	sample_events_close(&s->events);
}

int sampler_into(struct sampler *s, struct profile *p, uint64_t cpu_ns, uint64_t user_ns)
{
	struct prof_sampling how = describe(s);

	how.cpu_ns = s->events.user ? user_ns : cpu_ns;
	return save_into(&s->spaces, &s->counts, &how, p);
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	sampler_stop(s);
	save_end(&s->save);
	sample_events_close(&s->events);
	space_free(&s->spaces);
	counts_free(&s->counts);
	if (s->stop > 0)
		close(s->stop);
	free(s);
}
