// SPDX-License-Identifier: GPL-3.0-or-later
/* The rounds: which files are read when, and in which order. */
#include "report/serve/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "profile/base/array.h"
#include "profile/live/run_files.h"

#define OTHER_DESCRIPTORS  256 /* connections, directories, libraries, modules */
#define FEWEST_DESCRIPTORS 16

/* Half of the limit: a page has a copy of each while it is rendered. */
static uint32_t most_open(uint32_t wanted)
{
	struct rlimit limit;
	uint64_t most = FEWEST_DESCRIPTORS;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return wanted;
	if (limit.rlim_cur > OTHER_DESCRIPTORS + 2 * FEWEST_DESCRIPTORS)
		most = (limit.rlim_cur - OTHER_DESCRIPTORS) / 2;
	return wanted < most ? wanted : (uint32_t)most;
}

int agent_open(struct agent *a, const struct agent_options *o)
{
	*a = (struct agent){.options = *o,
			    .limits = {.most_bytes = o->most_bytes, .any_owner = !geteuid()},
			    .counters = {.most_services = o->most_services,
					 .most_functions = o->most_functions}};
	a->options.most_files = most_open(o->most_files);
	a->started_real_ns = clocks_read_ns(CLOCK_REALTIME);
	a->started_mono_ns = clocks_read_ns(CLOCK_MONOTONIC_RAW);
	return pthread_mutex_init(&a->lock, NULL) || pthread_mutex_init(&a->reading, NULL) ||
			       sem_init(&a->stopped, 0, 0)
		       ? -1
		       : 0;
}

void agent_close(struct agent *a)
{
	for (struct source *s = a->sources, *next; s; s = next) {
		next = s->hh.next;
		agent_meet_drop(a, s);
	}
	counters_end(&a->counters);
	shares_tend(&a->shares, UINT64_MAX);
	sem_destroy(&a->stopped);
	pthread_mutex_destroy(&a->reading);
	pthread_mutex_destroy(&a->lock);
}

void agent_stop(struct agent *a)
{
	atomic_store(&a->stopping, true);
	sem_post(&a->stopped);
}

/* So much later than now, by the clock of all waiting and all limits of time in serve/. */
static struct timespec after(uint64_t ns)
{
	return clocks_read_timespec(clocks_read_ns(CLOCK_MONOTONIC) + ns);
}

bool agent_wait(struct agent *a, uint64_t ns)
{
	const struct timespec until = after(ns);

	while (!atomic_load(&a->stopping) &&
	       sem_clockwait(&a->stopped, CLOCK_MONOTONIC, &until) < 0)
		if (errno != EINTR)
			return true;
	return false;
}

/* A file that was deleted, or moved, is closed when its last calls have been read: another one may
 * have its name. */
static void look_after(struct agent *a)
{
	for (struct source *s = a->sources, *next; s; s = next) {
		next = s->hh.next;
		if (s->fd < 0 || source_is(s, AT_FDCWD, s->path))
			continue;
		if (!agent_read_is_set_aside(s) && !agent_read_source(a, s))
			continue;
		if (!s->alive || agent_read_is_set_aside(s))
			agent_meet_retire(a, s);
	}
}

/* Forget names that are not open and have not been found for a while. */
static void forget(struct agent *a)
{
	uint64_t now = clocks_read_ns(CLOCK_MONOTONIC);

	for (struct source *s = a->sources, *next; s; s = next) {
		next = s->hh.next;
		if (s->fd < 0 && now > s->next_ns + AGENT_SHORTEST_WAIT_NS)
			agent_meet_retire(a, s);
	}
	shares_tend(&a->shares, now);
}

/* Files wait for a free place: have other processes ended? Refreshes, which would notice, may
 * never come. */
static void look_for_ends(struct agent *a)
{
	uint64_t now = clocks_read_ns(CLOCK_MONOTONIC);

	for (struct source *s = a->sources; s; s = s->hh.next) {
		if (s->fd < 0 || agent_read_is_set_aside(s) || now < s->next_ns)
			continue;
		s->alive = run_files_is_written(s->fd);
		if (!s->alive)
			agent_read_source(a, s);
	}
}

ARRAY_COMPARE(by_last_reading, struct source *, ARRAY_ORDER((*a)->read_ns, (*b)->read_ns))

/* The oldest reading comes first, so that each file is read in some round. */
static void read_due(struct agent *a, bool late_only)
{
	const uint64_t now = clocks_read_ns(CLOCK_MONOTONIC);
	struct source **due = calloc((size_t)HASH_COUNT(a->sources) + 1, sizeof(struct source *));
	size_t count = 0;

	for (struct source *s = due ? a->sources : NULL; s; s = s->hh.next)
		if (s->fd >= 0 && !agent_read_is_set_aside(s) && now >= s->next_ns &&
		    (s->late || !late_only))
			due[count++] = s;
	ARRAY_SORT(due, count, by_last_reading);
	for (size_t i = 0; i < count; i++)
		agent_read_source(a, due[i]);
	a->faults[SOURCE_FAULT_MEMORY] += !due;
	free(due);
}

size_t agent_late(struct agent *a)
{
	size_t late = 0;

	pthread_mutex_lock(&a->lock);
	for (const struct source *s = a->sources; s; s = s->hh.next)
		late += s->fd >= 0 && s->late;
	pthread_mutex_unlock(&a->lock);
	return late;
}

void agent_scan(struct agent *a)
{
	pthread_mutex_lock(&a->reading);
	pthread_mutex_lock(&a->lock);
	look_after(a);
	read_due(a, true);
	pthread_mutex_unlock(&a->lock);
	agent_find_files(a);
	pthread_mutex_lock(&a->lock);
	PROF_SET(a, &a->search, files_beyond, directories_failed);
	if (a->files_beyond)
		look_for_ends(a);
	forget(a);
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_unlock(&a->reading);
}

static void refresh(struct agent *a)
{
	const uint64_t began = clocks_read_ns(CLOCK_MONOTONIC);

	if (a->refreshed_ns && began - a->refreshed_ns <= AGENT_FRESH_NS)
		return;
	read_due(a, false);
	counters_close_batches(&a->counters);
	a->refreshed_ns = clocks_read_ns(CLOCK_MONOTONIC);
	a->refresh_s = (double)(a->refreshed_ns - began) / 1e9;
}

void agent_refresh(struct agent *a)
{
	const struct timespec until = after(AGENT_PATIENCE_NS);

	if (pthread_mutex_clocklock(&a->reading, CLOCK_MONOTONIC, &until))
		return;
	pthread_mutex_lock(&a->lock);
	refresh(a);
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_unlock(&a->reading);
}
