// SPDX-License-Identifier: GPL-3.0-or-later
/* A reading of a file, and when to read it again. A process that is alive is read at every refresh.
 * One that has ended is read once more, and then at growing intervals as long as its file is open
 * (agent_meet.c): a process of another container seems to have ended, but its sums still grow. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/serve/agent/agent.h"
#include "collector/clocks/clocks_read.h"
#include "profile/live/run_files.h"
#include "report/wording/utf8.h"

#define LONGEST_WAIT_NS (UINT64_C(960) * 1000000000)

static void read_source(struct agent *a, struct source *s);

/* Another file of the same process, which is counted: one of them is a copy. */
static struct source *find_twin(const struct agent *a, const struct source *s)
{
	struct source *o = a->sources;

	while (o && (o == s || !o->service ||
		     memcmp(&o->identity, &s->identity, sizeof(s->identity)) != 0))
		o = o->hh.next;
	return o;
}

/* A copy that was read first has less than its original, and then that is counted instead of it:
 * what it has more. Of a copy that was read last it is the other way round. */
static bool replaces(struct agent *a, struct source *s, struct source *twin)
{
	if (twin->fd < 0)
		return false;
	read_source(a, twin);
	if (s->figures.calls <= twin->figures.calls)
		return false;
	PROF_SET(s, twin, service, cells, last);
	twin->service = NULL;
	twin->cells = (struct cells){0};
	twin->last = NULL;
	twin->state = SOURCE_DUPLICATE;
	return true;
}

/* A copy of a profile that is gone, or one that was moved to another file system. */
static bool is_remembered(const struct agent *a, const struct source *s)
{
	size_t remembered = a->gones < AGENT_REMEMBERED ? a->gones : AGENT_REMEMBERED;

	for (size_t i = 0; i < remembered; i++)
		if (!memcmp(&a->gone[i], &s->identity, sizeof(s->identity)))
			return true;
	return false;
}

/* At the first reading of a file, find its service; false: it is not to be counted. */
static bool introduce(struct agent *a, struct source *s, const struct profile *p)
{
	PROF_SET(&s->identity, &p->process[0], pid, start_real_ns, start_mono_ns);
	struct source *twin = find_twin(a, s);
	if (p->flags & SCP_FILE_MERGED || fnmatch("scprof.*.scp", base_name(s->path), 0))
		s->state = SOURCE_MERGED;
	else if (twin && replaces(a, s, twin))
		return true;
	else if (twin || is_remembered(a, s))
		s->state = SOURCE_DUPLICATE;
	else
		s->service =
			counters_service(&a->counters, p->process[0].program,
					 s->identity.uid == geteuid() ? NULL : &s->identity.uid);
	if (!s->service)
		return false;
	s->past = s->alive ? s->identity.start_mono_ns < a->started_mono_ns
			   : s->identity.start_real_ns < a->started_real_ns;
	s->from_now = a->options.from_now && s->past;
	s->service->processes++;
	return true;
}

void agent_read_wait_longer(struct source *s)
{
	s->wait_ns = s->wait_ns ? 2 * s->wait_ns : AGENT_SHORTEST_WAIT_NS;
	if (s->wait_ns > LONGEST_WAIT_NS)
		s->wait_ns = LONGEST_WAIT_NS;
	s->next_ns = clocks_read_ns(CLOCK_MONOTONIC) + s->wait_ns;
}

static enum source_result read_model(struct agent *a, struct source *s, enum source_fault *fault)
{
	enum source_result result = SOURCE_FAILED;

	pthread_mutex_unlock(&a->lock);
	struct profile *p = source_load(s, &a->limits, fault);
	pthread_mutex_lock(&a->lock);
	if (!p)
		return result;
	*fault = SOURCE_FAULT_MEMORY;
	if (p->processes)
		source_describe(s, p);
	if (p->processes && (s->service || introduce(a, s, p)))
		result = source_take(s, &a->counters, p, !s->from_now, fault);
	if (result != SOURCE_FAILED)
		s->from_now = s->past = false;
	profile_free(p);
	return result;
}

bool agent_read_is_set_aside(const struct source *s)
{
	return s->state == SOURCE_MERGED || s->state == SOURCE_DUPLICATE;
}

/* Whether the process is alive is examined before the sums are read: if it ends in between, it is
 * read once more. */
static void read_source(struct agent *a, struct source *s)
{
	enum source_fault fault = SOURCE_FAULT_OPEN;
	enum source_result result = SOURCE_FAILED;

	if (s->fd >= 0) {
		s->alive = run_files_is_written(s->fd);
		result = read_model(a, s, &fault);
		if (agent_read_is_set_aside(s))
			return;
	}
	if (result == SOURCE_FAILED) {
		/* A file that has no header yet is no failure. */
		if (s->service || s->wait_ns)
			a->faults[fault]++;
		s->fault = fault;
		s->state = s->service ? s->state : SOURCE_REFUSED;
		agent_read_wait_longer(s);
		return;
	}
	s->state = s->alive || result == SOURCE_GREW ? SOURCE_FOLLOWED : SOURCE_ENDED;
	if (s->alive || result == SOURCE_GREW)
		s->wait_ns = s->next_ns = 0;
	else
		agent_read_wait_longer(s);
}

bool agent_read_source(struct agent *a, struct source *s)
{
	uint64_t began_ns = clocks_read_ns(CLOCK_MONOTONIC), now_ns;

	if (atomic_load(&a->stopping))
		return false;
	s->late = !shares_has_time(a->shares, s->identity.uid, began_ns);
	if (s->late && !s->service)
		s->state = SOURCE_WAITING;
	if (s->late)
		return false;
	s->read_ns = began_ns;
	read_source(a, s);
	now_ns = clocks_read_ns(CLOCK_MONOTONIC);
	shares_spend(&a->shares, s->identity.uid, now_ns, now_ns - began_ns);
	return true;
}

static struct share *find(struct share *shares, unsigned uid)
{
	struct share *s;

	HASH_FIND(hh, shares, &uid, sizeof(uid), s);
	return s;
}

/* NULL: out of memory. */
static struct share *find_or_add(struct share **shares, unsigned uid)
{
	struct share *s = find(*shares, uid);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->uid = uid;
	HASH_ADD(hh, *shares, uid, sizeof(s->uid), s);
	if (s->hh.tbl)
		return s;
	free(s);
	return NULL;
}

bool shares_has_time(struct share *shares, unsigned uid, uint64_t now_ns)
{
	const struct share *s = find(shares, uid);

	return !s || s->paid_ns < now_ns + SHARES_BURST_NS * (SHARES_PART - 1);
}

void shares_spend(struct share **shares, unsigned uid, uint64_t now_ns, uint64_t took_ns)
{
	struct share *s = find_or_add(shares, uid);
	const uint64_t began_ns = now_ns - took_ns;

	if (s)
		s->paid_ns =
			(s->paid_ns > began_ns ? s->paid_ns : began_ns) + took_ns * SHARES_PART;
}

void shares_tend(struct share **shares, uint64_t now_ns)
{
	for (struct share *s = *shares, *next; s; s = next) {
		next = s->hh.next;
		if (s->paid_ns > now_ns)
			continue;
		HASH_DEL(*shares, s);
		free(s);
	}
}
