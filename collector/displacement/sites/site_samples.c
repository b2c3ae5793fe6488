// SPDX-License-Identifier: GPL-3.0-or-later
/* Entries are published in an array that never moves: a count, raised when an element is
 * complete, is all that the fluid's threads need to see. Each thread has readings of its
 * own, behind a lock that only the end of the run contends for. */
#include "collector/displacement/sites/site_samples.h"

#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/displacement/displacement.h"
#include "collector/displacement/sites/site_dither.h"
#include "collector/machine/tasks.h"
#include "profile/live/live.h"
#include "profile/base/kernel_file.h"
#include "profile/base/array.h"

/* A process that writes a profile, by its CPU clock: time that the host of a virtual machine stole
 * is not in it, as it is in a perf counter. A thread that runs right now is behind by up to a tick
 * of the kernel. */
struct site_clock {
	pid_t pid;
	uint64_t last_ns; /* 0: not read yet */
	bool gone;
};

/* The readings of one thread. */
struct reader {
	pthread_mutex_t lock;
	struct site_reading *reading;
	uint32_t *calls;
	uint32_t readings, room, used, calls_room;
	uint64_t last[SITE_SAMPLES_ENTRIES];
	uint64_t program_ns, softirqd_ns;
	bool full; /* out of memory: what there is stays good */
};

struct file {
	char *name;
	struct watch watch;
	size_t listed; /* of watch.entry, in `entry` or beyond the limit */
};

struct entry {
	int fd;
	uint64_t at;
	uint32_t file, table, id;
};

struct site_samples {
	char *profiles;
	size_t cpus;
	atomic_bool ended;
	atomic_size_t entries;
	struct entry entry[SITE_SAMPLES_ENTRIES];
	struct file file[SITE_SAMPLES_FILES];
	size_t files, missed;
	struct site_clock *program;
	uint32_t programs;
	pid_t softirqd[CPU_SETSIZE]; /* ksoftirqd of each CPU of the set; 0: not known */
	const struct displacement *displace;
	struct site_dither *dither; /* NULL: none */
	struct reader reader[];	    /* cpus, and one for the ticks */
};

static void find_softirqd(struct site_samples *s, const cpu_set_t *cpus)
{
	DIR *proc = kernel_file_folder("/proc");
	char name[32];
	int pid, cpu;

	while ((pid = kernel_file_next(&proc)) >= 0) {
		size_t place = 0;

		if (kernel_file_line(name, sizeof(name), "/proc/%d/comm", pid) ||
		    sscanf(name, "ksoftirqd/%d", &cpu) != 1 || cpu < 0 || cpu >= CPU_SETSIZE ||
		    !CPU_ISSET(cpu, cpus))
			continue;
		for (int before = 0; before < cpu; before++)
			place += CPU_ISSET(before, cpus) != 0;
		s->softirqd[place] = pid;
	}
}

struct site_samples *site_samples_open(const char *profiles, const cpu_set_t *cpus)
{
	size_t count = (size_t)CPU_COUNT(cpus);
	struct site_samples *s = calloc(1, sizeof(*s) + (count + 1) * sizeof(s->reader[0]));

	if (!s)
		return NULL;
	s->cpus = count;
	for (size_t i = 0; i <= count; i++)
		pthread_mutex_init(&s->reader[i].lock, NULL);
	s->profiles = strdup(profiles);
	find_softirqd(s, cpus);
	if (s->profiles)
		return s;
	site_samples_close(s);
	return NULL;
}

void site_samples_close(struct site_samples *s)
{
	for (size_t i = 0; i <= s->cpus; i++) {
		PROF_FREE(&s->reader[i], reading, calls);
		pthread_mutex_destroy(&s->reader[i].lock);
	}
	for (size_t i = 0; i < s->files; i++) {
		entry_watch_close(&s->file[i].watch);
		free(s->file[i].name);
	}
	PROF_FREE(s, program, profiles);
	free(s);
}

/* Of the ksoftirqd threads of so many CPUs, since the reader's last reading: the first one's is not
 * used. */
static double softirqd_since(const struct site_samples *s, struct reader *r, size_t first,
			     size_t count)
{
	uint64_t before = r->softirqd_ns;

	r->softirqd_ns = 0;
	for (size_t i = first; i < first + count; i++)
		r->softirqd_ns += s->softirqd[i] ? tasks_clock_ns(s->softirqd[i]) : 0;
	return r->softirqd_ns > before ? (double)(r->softirqd_ns - before) / 1e9 : 0;
}

static void read_programs(struct site_samples *s, struct site_reading *reading)
{
	for (struct site_clock *k = s->program; k < s->program + s->programs; k++) {
		uint64_t before = k->last_ns;

		if (k->gone)
			continue;
		k->last_ns = tasks_clock_ns(k->pid);
		k->gone = !k->last_ns;
		reading->incomplete |= k->gone || !before;
		if (!k->gone && before)
			reading->program += (double)(int64_t)(k->last_ns - before) / 1e9;
	}
}

/* Unless it is there already. */
static void add_program(struct site_samples *s, pid_t pid)
{
	for (uint32_t i = 0; i < s->programs; i++)
		if (s->program[i].pid == pid)
			return;
	(void)ARRAY_PUT(s->program, s->programs, (struct site_clock){.pid = pid});
}

/* A new reading; NULL: out of memory. */
static struct site_reading *read_calls(struct site_samples *s, struct reader *r)
{
	size_t entries = atomic_load_explicit(&s->entries, memory_order_acquire);
	struct site_reading *reading;

	r->full = !array_reach((void **)&r->reading, &r->room, r->readings, sizeof(*reading), 0) ||
		  !array_reach((void **)&r->calls, &r->calls_room, r->used + (uint32_t)entries,
			       sizeof(*r->calls), 0);
	if (r->full)
		return NULL;
	reading = &r->reading[r->readings++];
	*reading = (struct site_reading){.first = r->used, .entries = entries};
	for (size_t i = 0; i < entries; i++) {
		uint64_t now = entry_watch_calls(s->entry[i].fd, s->entry[i].at);
		/* one that went back wraps around */
		bool sound = now != UINT64_MAX && now - r->last[i] <= UINT32_MAX;

		r->calls[r->used++] = sound ? (uint32_t)(now - r->last[i]) : 0;
		if (sound)
			r->last[i] = now;
	}
	return reading;
}

void site_samples_begin(struct site_samples *s, const struct displacement *d,
			struct site_dither *dither)
{
	s->displace = d;
	s->dither = dither;
}

void site_samples_edge(void *context, size_t cpu, size_t window)
{
	struct site_samples *s = context;
	struct reader *r = &s->reader[cpu];

	if (!atomic_load_explicit(&s->entries, memory_order_acquire) ||
	    atomic_load_explicit(&s->ended, memory_order_relaxed))
		return;
	pthread_mutex_lock(&r->lock);
	struct site_reading *reading = r->full ? NULL : read_calls(s, r);
	if (reading) {
		reading->window = window;
		reading->softirqd = softirqd_since(s, r, cpu, 1);
		uint64_t now =
			s->displace ? displacement_run_program_ns(s->displace, cpu) : UINT64_MAX;
		reading->program = NAN;
		if (now != UINT64_MAX) {
			reading->program = (double)(int64_t)(now - r->program_ns) / 1e9;
			r->program_ns = now;
		}
	}
	pthread_mutex_unlock(&r->lock);
}

static void add_file(struct site_samples *s, const char *name)
{
	char path[8192];
	struct file *f = &s->file[s->files];

	for (size_t i = 0; i < s->files; i++)
		if (!strcmp(s->file[i].name, name))
			return;
	if (s->files == SITE_SAMPLES_FILES) {
		s->missed++;
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", s->profiles, name);
	if (entry_watch_open(&f->watch, path))
		return;
	f->name = strdup(name);
	f->listed = 0;
	if (f->name)
		s->files++;
	else
		entry_watch_close(&f->watch);
}

static void publish(struct site_samples *s, uint32_t file)
{
	struct file *f = &s->file[file];

	for (; f->listed < f->watch.entries; f->listed++) {
		const struct watch_entry *e = &f->watch.entry[f->listed];
		size_t at = atomic_load_explicit(&s->entries, memory_order_relaxed);

		if (at == SITE_SAMPLES_ENTRIES) {
			s->missed++;
			continue;
		}
		s->entry[at] = (struct entry){f->watch.fd, e->at, file, e->table, e->id};
		atomic_store_explicit(&s->entries, at + 1, memory_order_release);
	}
}

static void find(struct site_samples *s)
{
	DIR *dir = opendir(s->profiles);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!fnmatch("scprof.*.scp", entry->d_name, 0))
			add_file(s, entry->d_name);
	kernel_file_leave(&dir);
	for (uint32_t i = 0; i < s->files; i++) {
		entry_watch_look(&s->file[i].watch);
		publish(s, i);
		if (s->file[i].watch.pid)
			add_program(s, (pid_t)s->file[i].watch.pid);
	}
}

void site_samples_tick(void *context, double at)
{
	struct site_samples *s = context;
	struct reader *r = &s->reader[s->cpus];

	find(s);
	pthread_mutex_lock(&r->lock);
	struct site_reading *reading = r->full ? NULL : read_calls(s, r);
	if (reading) {
		reading->at = at;
		read_programs(s, reading);
		if (s->dither)
			reading->program -= site_dither_spun(s->dither);
		reading->softirqd = softirqd_since(s, r, 0, s->cpus);
	}
	if (s->dither)
		site_dither_tick(s->dither, at);
	pthread_mutex_unlock(&r->lock);
}

void site_samples_end(struct site_samples *s)
{
	atomic_store(&s->ended, true);
	/* a reading that is under way ends now */
	for (size_t i = 0; i <= s->cpus; i++) {
		pthread_mutex_lock(&s->reader[i].lock);
		s->reader[i].full = true;
		pthread_mutex_unlock(&s->reader[i].lock);
	}
	find(s);
}

size_t site_samples_entries(const struct site_samples *s, size_t *missed)
{
	*missed = s->missed;
	return atomic_load(&s->entries);
}

struct site_sampled site_samples_entry(const struct site_samples *s, size_t i)
{
	const struct entry *e = &s->entry[i];
	const struct watch *w = &s->file[e->file].watch;
	struct site_sampled sampled = {s->file[e->file].name, 0, w->entries};

	for (size_t k = 0; k < w->entries; k++)
		sampled.ordinal += w->entry[k].table < e->table ||
				   (w->entry[k].table == e->table && w->entry[k].id < e->id);
	return sampled;
}

size_t site_samples_readings(const struct site_samples *s, size_t cpu)
{
	return s->reader[cpu].readings;
}

struct site_reading site_samples_reading(const struct site_samples *s, size_t cpu, size_t i)
{
	struct site_reading g = s->reader[cpu].reading[i];

	g.calls = s->reader[cpu].calls + g.first;
	return g;
}
