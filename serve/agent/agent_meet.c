// SPDX-License-Identifier: GPL-3.0-or-later
/* What is kept for a file that was found. Anybody can put names into a directory such as /dev/shm,
 * and ended processes leave files there for good: neither shall keep the agent from those that
 * run. Names that cannot be opened are counted apart, and where all descriptors are in use, that
 * of a file which has said all is given up: a small record stays, by which it is known again. Where
 * there is none, the user with most open files gives one up for who has fewer. */
#include "serve/agent/agent_private.h"

#include <stdlib.h>
#include <string.h>

#include "serve/monotonic.h"
#include "serve/sums/pool.h"

#define QUIET_NS (UINT64_C(8) * 1000000000)  /* after four readings with nothing new */
#define ASIDE_NS (UINT64_C(60) * 1000000000) /* a record stays while its file is not met */

static void hold(struct agent *a, struct source *s, enum source_holding holding)
{
	if (s->holding == SOURCE_OPEN)
		shares_remove(&a->shares, s->identity.uid);
	if (holding == SOURCE_OPEN)
		shares_add(&a->shares, s->identity.uid);
	a->held[s->holding]--;
	s->holding = holding;
	a->held[holding]++;
}

static struct source *new_source(struct agent *a, const char *path)
{
	struct source *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = -1;
	s->holding = SOURCE_NAMED;
	s->path = strdup(path);
	if (s->path)
		HASH_ADD_KEYPTR(hh, a->sources, s->path, strlen(s->path), s);
	if (s->path && s->hh.tbl) {
		a->held[SOURCE_NAMED]++;
		return s;
	}
	free(s->path);
	free(s);
	return NULL;
}

void agent_meet_drop(struct agent *a, struct source *s)
{
	hold(a, s, SOURCE_NAMED);
	a->held[SOURCE_NAMED]--;
	HASH_DEL(a->sources, s);
	source_close(s);
	free(s);
}

static void keep_means(struct source *s)
{
	if (s->service && s->last)
		pool_add(s->service->pool, s->last, NULL);
}

void agent_meet_retire(struct agent *a, struct source *s)
{
	keep_means(s);
	if (s->service)
		a->gone[a->gones++ % AGENT_REMEMBERED] = s->identity;
	agent_meet_drop(a, s);
}

static bool is_open_already(const struct agent *a, const struct source *s)
{
	for (const struct source *o = a->sources; o; o = o->hh.next)
		if (o != s && o->fd >= 0 && o->device == s->device && o->inode == s->inode)
			return true;
	return false;
}

/* How well it can be done without: 0 not at all. A file with a process that lives, or that may
 * live where it cannot be seen from here, is kept as long as there is another one. */
static uint64_t worth_closing(const struct source *s)
{
	if (s->fd < 0)
		return 0;
	if (agent_read_is_set_aside(s))
		return UINT64_MAX;
	return s->wait_ns >= QUIET_NS && (!s->alive || !s->service) ? s->wait_ns : 0;
}

/* One that was never counted becomes a name that is tried again in time. */
static void close_file(struct agent *a, struct source *s)
{
	keep_means(s);
	source_release(s);
	if (s->service || agent_read_is_set_aside(s)) {
		hold(a, s, SOURCE_ASIDE);
		s->next_ns = monotonic_now_ns() + ASIDE_NS;
	} else {
		hold(a, s, SOURCE_NAMED);
	}
}

/* The last that was found of the user who has most open, where the newcomer's user has fewer:
 * claims to be alive cost nothing, so they must not keep out those of others. */
static struct source *beyond_share(struct agent *a, const struct source *newcomer)
{
	const struct share *most = shares_most(a->shares);
	struct source *last = NULL;

	if (!most || most->files <= shares_of(a->shares, newcomer->identity.uid))
		return NULL;
	for (struct source *s = a->sources; s; s = s->hh.next)
		if (s->fd >= 0 && s->identity.uid == most->uid)
			last = s;
	return last;
}

/* What it counted stays its own, so that it goes on from there when it is opened again. */
static void cut_off(struct agent *a, struct source *s)
{
	if (!s->service) {
		close_file(a, s);
		return;
	}
	s->cut_off = true;
	source_lend(s);
	hold(a, s, SOURCE_ASIDE);
	s->next_ns = monotonic_now_ns() + ASIDE_NS;
}

/* A descriptor for one more file than there may be; false: none can be done without. */
static bool make_room(struct agent *a, const struct source *newcomer)
{
	struct source *best = NULL;

	for (struct source *s = a->sources; s; s = s->hh.next)
		if (s != newcomer && worth_closing(s) > (best ? worth_closing(best) : 0))
			best = s;
	if (best && a->held[SOURCE_ASIDE] < AGENT_ASIDE) {
		close_file(a, best);
		return true;
	}
	best = a->held[SOURCE_ASIDE] < 2 * AGENT_ASIDE ? beyond_share(a, newcomer) : NULL;
	if (best)
		cut_off(a, best);
	return best != NULL;
}

/* Beyond the limit of names it is not remembered, and tried again at the next scan. */
static void refuse(struct agent *a, struct source *s, enum source_fault fault)
{
	if (a->held[SOURCE_NAMED] > AGENT_NAMES) {
		a->search.files_beyond++;
		agent_meet_drop(a, s);
		return;
	}
	s->state = SOURCE_REFUSED;
	s->fault = fault;
	a->faults[fault]++;
	agent_read_wait_longer(s);
}

/* A file that was cut off, where there is room again: false, and it waits on. */
static bool reopen(struct agent *a, struct source *s, int directory, const char *name)
{
	const uint32_t uid = s->identity.uid;
	const dev_t device = s->device;
	const ino_t inode = s->inode;
	enum source_fault fault;

	if (a->held[SOURCE_OPEN] >= a->options.most_files ||
	    source_open(s, directory, name, &a->limits, &fault))
		return false;
	if (s->device != device || s->inode != inode) { /* since it was looked at */
		source_lend(s);
		s->device = device;
		s->inode = inode;
		s->identity.uid = uid;
		return false;
	}
	s->cut_off = false;
	s->wait_ns = s->next_ns = 0;
	hold(a, s, SOURCE_OPEN);
	agent_read_source(a, s);
	return true;
}

/* true: there is nothing to do about it now. */
static bool is_known(struct agent *a, struct source **found, int directory, const char *name)
{
	struct source *s = *found;

	if (s->fd >= 0)
		return true;
	if (s->holding != SOURCE_ASIDE)
		return monotonic_now_ns() < s->next_ns;
	if (source_is(s, directory, name)) {
		s->next_ns = monotonic_now_ns() + ASIDE_NS;
		a->search.files_beyond += s->cut_off && !reopen(a, s, directory, name);
		return true;
	}
	agent_meet_retire(a, s); /* another file has its name now */
	*found = NULL;
	return false;
}

static void meet(struct agent *a, int directory, const char *path, const char *name)
{
	enum source_fault fault;
	struct source *s;

	HASH_FIND(hh, a->sources, path, strlen(path), s);
	if (s && is_known(a, &s, directory, name))
		return;
	s = s ? s : new_source(a, path);
	if (!s)
		return;
	if (source_open(s, directory, name, &a->limits, &fault)) {
		refuse(a, s, fault);
		return;
	}
	hold(a, s, SOURCE_OPEN);
	if (a->held[SOURCE_OPEN] > a->options.most_files && !make_room(a, s)) {
		a->search.files_beyond++;
		agent_meet_drop(a, s);
		return;
	}
	s->wait_ns = 0;
	if (is_open_already(a, s))
		s->state = SOURCE_DUPLICATE;
	else
		agent_read_source(a, s);
}

void agent_meet_file(struct agent *a, int directory, const char *path, const char *name)
{
	agent_lock(a);
	meet(a, directory, path, name);
	agent_unlock(a);
}
