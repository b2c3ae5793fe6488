// SPDX-License-Identifier: GPL-3.0-or-later
/* When to read which file. A living process is read at every refresh. One that is gone is read
 * once more, and then ever more rarely for as long as its file stays open (agent_meet.c): a
 * process of another container looks gone from here, and is noticed by what it adds. */
#include "serve/agent_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_WAIT_NS	   (UINT64_C(960) * 1000000000)
#define OTHER_DESCRIPTORS  256 /* connections, directories, libraries, modules */
#define FEWEST_DESCRIPTORS 16

uint64_t agent_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void agent_lock(struct agent *a)
{
	pthread_mutex_lock(&a->lock);
}

void agent_unlock(struct agent *a)
{
	pthread_mutex_unlock(&a->lock);
}

/* Half of them: a page has a copy of each while it is made. */
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
	struct timespec t;

	*a = (struct agent){.options = *o,
			    .limits = {.most_bytes = o->most_bytes, .any_owner = !geteuid()}};
	a->options.most_files = most_open(o->most_files);
	clock_gettime(CLOCK_REALTIME, &t);
	a->started_real_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	counters_begin(&a->counters, o->most_services, o->most_functions);
	return pthread_mutex_init(&a->lock, NULL) ? -1 : 0;
}

void agent_close(struct agent *a)
{
	for (struct source *s = a->sources, *next; s; s = next) {
		next = s->hh.next;
		agent_meet_drop(a, s);
	}
	counters_end(&a->counters);
	pthread_mutex_destroy(&a->lock);
}

static bool same_identity(const struct source_identity *a, const struct source_identity *b)
{
	return a->pid == b->pid && a->uid == b->uid && a->start_real_ns == b->start_real_ns &&
	       a->start_mono_ns == b->start_mono_ns;
}

/* A copy of a profile, or one that was moved to another file system: counted already. */
static bool is_counted(const struct agent *a, const struct source *s)
{
	size_t remembered = a->gones < AGENT_REMEMBERED ? a->gones : AGENT_REMEMBERED;

	for (const struct source *o = a->sources; o; o = o->hh.next)
		if (o != s && o->service && same_identity(&o->identity, &s->identity))
			return true;
	for (size_t i = 0; i < remembered; i++)
		if (same_identity(&a->gone[i], &s->identity))
			return true;
	return false;
}

static struct counters_service *service_of(struct agent *a, const struct source *s,
					   const char *program)
{
	if (s->identity.uid == geteuid())
		return counters_service(&a->counters, program);
	return counters_service_of(&a->counters, program, s->identity.uid);
}

/* At the first model of a file: whose is it? false: not to be counted. */
static bool introduce(struct agent *a, struct source *s, const struct profile *p)
{
	s->identity.pid = p->process[0].pid;
	s->identity.start_real_ns = p->process[0].start_real_ns;
	s->identity.start_mono_ns = p->process[0].start_mono_ns;
	if (p->flags & SCP_FILE_MERGED)
		s->state = SOURCE_MERGED;
	else if (is_counted(a, s))
		s->state = SOURCE_DUPLICATE;
	else
		s->service = service_of(a, s, p->process[0].program);
	if (!s->service)
		return false;
	s->past = s->identity.start_real_ns < a->started_real_ns;
	s->from_now = a->options.from_now && s->past;
	s->service->processes++;
	return true;
}

void agent_wait_longer(struct source *s)
{
	s->wait_ns = s->wait_ns ? 2 * s->wait_ns : AGENT_SHORTEST_WAIT_NS;
	if (s->wait_ns > LONGEST_WAIT_NS)
		s->wait_ns = LONGEST_WAIT_NS;
	s->next_ns = agent_now_ns() + s->wait_ns;
}

static enum source_result read_model(struct agent *a, struct source *s, enum source_fault *fault)
{
	struct profile *p = source_load(s, &a->limits, fault);
	enum source_result result = SOURCE_FAILED;

	if (!p)
		return result;
	*fault = SOURCE_FAULT_MEMORY;
	if (p->processes && (s->service || introduce(a, s, p)))
		result = source_take(s, &a->counters, p, !s->from_now, fault);
	if (result != SOURCE_FAILED)
		s->from_now = s->past = false;
	profile_free(p);
	return result;
}

bool agent_is_set_aside(const struct source *s)
{
	return s->state == SOURCE_MERGED || s->state == SOURCE_DUPLICATE;
}

/* Liveness is looked at before the sums: a process that lives then and ends meanwhile is read
 * again the next time. */
void agent_read(struct agent *a, struct source *s)
{
	enum source_fault fault = SOURCE_FAULT_OPEN;
	enum source_result result = SOURCE_FAILED;

	if (s->fd >= 0) {
		source_look(s);
		result = read_model(a, s, &fault);
		if (agent_is_set_aside(s))
			return;
	}
	if (result == SOURCE_FAILED) {
		/* A file without a header yet is no fault of anybody's. */
		if (s->service || s->wait_ns)
			a->faults[fault]++;
		s->fault = fault;
		s->state = s->service ? s->state : SOURCE_REFUSED;
		agent_wait_longer(s);
		return;
	}
	s->state = s->alive || result == SOURCE_GREW ? SOURCE_FOLLOWED : SOURCE_ENDED;
	if (s->alive || result == SOURCE_GREW)
		s->wait_ns = s->next_ns = 0;
	else
		agent_wait_longer(s);
}

static void look_after(struct agent *a)
{
	for (struct source *s = a->sources, *next; s; s = next) {
		next = s->hh.next;
		if (s->fd < 0 || !source_removed(s))
			continue;
		if (!agent_is_set_aside(s))
			agent_read(a, s);
		if (!s->alive || agent_is_set_aside(s))
			agent_meet_retire(a, s);
	}
}

/* Names that are not open, and have not been met for a while, are forgotten. */
static void forget(struct agent *a)
{
	uint64_t now = agent_now_ns();
	for (struct source *s = a->sources, *next; s; s = next) {
		next = s->hh.next;
		if (s->fd < 0 && now > s->next_ns + AGENT_SHORTEST_WAIT_NS)
			agent_meet_retire(a, s);
	}
}

/* Files wait for room: have others ended? Nobody may ask for metrics, so it is seen here. */
static void look_for_ends(struct agent *a)
{
	uint64_t now = agent_now_ns();

	for (struct source *s = a->sources; s; s = s->hh.next) {
		if (s->fd < 0 || agent_is_set_aside(s) || now < s->next_ns)
			continue;
		source_look(s);
		if (!s->alive)
			agent_read(a, s);
	}
}

void agent_scan(struct agent *a)
{
	agent_lock(a);
	look_after(a);
	agent_find(a);
	if (a->files_beyond)
		look_for_ends(a);
	forget(a);
	a->scans++;
	agent_unlock(a);
}

void agent_refresh(struct agent *a)
{
	uint64_t began;

	agent_lock(a);
	began = agent_now_ns();
	if (!a->refreshed_ns || began - a->refreshed_ns > AGENT_FRESH_NS) {
		for (struct source *s = a->sources; s; s = s->hh.next)
			if (s->fd >= 0 && !agent_is_set_aside(s) && began >= s->next_ns)
				agent_read(a, s);
		counters_close_batches(&a->counters);
		a->refreshed_ns = agent_now_ns();
		a->refresh_s = (double)(a->refreshed_ns - began) / 1e9;
	}
	agent_unlock(a);
}
