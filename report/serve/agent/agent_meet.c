// SPDX-License-Identifier: GPL-3.0-or-later
/* This keeps a record for each file that was found. Everybody can create names in a directory such
 * as /dev/shm, and ended processes leave their files there: neither may prevent the agent from
 * reading running processes. Names that cannot be opened have a limit of their own. If all
 * descriptors are in use, a file that is complete is closed: a small record stays, by which it is
 * recognized. */
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/serve/agent/agent.h"
#include "collector/clocks/clocks_read.h"

#define QUIET_NS (UINT64_C(8) * 1000000000)  /* after four readings with nothing new */
#define ASIDE_NS (UINT64_C(60) * 1000000000) /* a record stays while its file is not met */

static void hold(struct agent *a, struct source *s, enum source_holding holding)
{
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
		pool_add(&s->service->pool, s->last, NULL);
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

/* How dispensable an open file is; 0: needed. A file is needed if its process is alive, or may be
 * in another container. */
static uint64_t worth_closing(const struct source *s)
{
	if (s->fd < 0)
		return 0;
	if (agent_read_is_set_aside(s))
		return UINT64_MAX;
	return s->wait_ns >= QUIET_NS && (!s->alive || !s->service) ? s->wait_ns : 0;
}

/* A file that was never counted becomes a name, which is tried again later. */
static void close_file(struct agent *a, struct source *s)
{
	keep_means(s);
	source_release(s);
	if (s->service || agent_read_is_set_aside(s)) {
		hold(a, s, SOURCE_ASIDE);
		s->next_ns = clocks_read_ns(CLOCK_MONOTONIC) + ASIDE_NS;
	} else {
		hold(a, s, SOURCE_NAMED);
	}
}

/* Anybody can pretend that processes are alive: another user has at most half of the files that
 * everybody else leaves, so that such users never have all. */
static bool is_beyond_share(const struct agent *a, const struct source *newcomer)
{
	const uint32_t uid = newcomer->identity.uid;
	size_t own = 0, others = 0;

	for (const struct source *s = a->sources; s; s = s->hh.next) {
		own += s->fd >= 0 && s != newcomer && s->identity.uid == uid;
		others += s->fd >= 0 && s->identity.uid != uid;
	}
	return uid != geteuid() && own >= (a->options.most_files - others) / 2;
}

/* Close a file where one too many is open, of all or of this user; false: all are needed. */
static bool has_room(struct agent *a, const struct source *newcomer)
{
	bool share = is_beyond_share(a, newcomer);
	const uid_t own = geteuid();
	size_t aside[2] = {0, 0}; /* records of others, and of ours */
	struct source *best = NULL;

	if (!share && a->held[SOURCE_OPEN] <= a->options.most_files)
		return true;
	for (struct source *s = a->sources; s; s = s->hh.next)
		aside[s->identity.uid == own] += s->holding == SOURCE_ASIDE;
	for (struct source *s = a->sources; s; s = s->hh.next)
		if (s != newcomer && worth_closing(s) > (best ? worth_closing(best) : 0) &&
		    aside[s->identity.uid == own] < AGENT_ASIDE &&
		    (!share || s->identity.uid == newcomer->identity.uid))
			best = s;
	if (best) {
		close_file(a, best);
		return true;
	}
	a->search.full = !share;
	return false;
}

/* Beyond the limit, a name is not remembered: the next scan tries it again. */
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

/* true: there is nothing to do for it now. */
static bool is_known(struct agent *a, struct source **found, int directory, const char *name)
{
	struct source *s = *found;

	if (s->fd >= 0)
		return true;
	if (s->holding != SOURCE_ASIDE)
		return clocks_read_ns(CLOCK_MONOTONIC) < s->next_ns;
	if (source_is(s, directory, name)) {
		s->next_ns = clocks_read_ns(CLOCK_MONOTONIC) + ASIDE_NS;
		return true;
	}
	agent_meet_retire(a, s); /* another file has its name now */
	*found = NULL;
	return false;
}

static void meet(struct agent *a, int directory, const char *path, const char *name, bool listed)
{
	enum source_fault fault;
	struct source *s;

	HASH_FIND(hh, a->sources, path, strlen(path), s);
	if (s && is_known(a, &s, directory, name))
		return;
	if (a->search.full) {
		a->search.files_beyond++;
		return;
	}
	s = s ? s : new_source(a, path);
	if (!s)
		return;
	s->listed = listed;
	if (source_open(s, directory, name, &a->limits, &fault)) {
		refuse(a, s, fault);
		return;
	}
	hold(a, s, SOURCE_OPEN);
	if (!has_room(a, s)) {
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

/* Profiles are *.scp in a given directory, or scprof.*.scp in the directory of a run below it
 * (collector/launch/run_directory.c: [.]scprof.XXXXXX, root's with `profiles.RANDOM` in it).
 * Links below a given directory are not followed, and the number of names is limited. */

#define MOST_NAMES 100000 /* of one directory */
#define ALL_NAMES  200000 /* of all of them */

enum depth { NAMED, RUN, RUN_PROFILES };

static void look_through(struct agent *a, int at, const char *path, enum depth depth);

static bool is_run(const char *name)
{
	return !fnmatch("scprof.??????", name, 0) || !fnmatch(".scprof.??????", name, 0);
}

static void descend(struct agent *a, int at, const char *path, const char *name, enum depth depth)
{
	char below[PATH_MAX];

	if ((size_t)snprintf(below, sizeof(below), "%s/%s", path, name) >= sizeof(below))
		return;
	if (!a->search.names_left) {
		a->search.files_beyond++;
		return;
	}
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		look_through(a, fd, below, depth);
}

static void meet_entry(struct agent *a, int at, const char *path, const char *name,
		       enum depth depth)
{
	char full[PATH_MAX];

	if (!strcmp(name, PROF_SAMPLES_FILE)) {
		if (a->options.meet_samples)
			a->options.meet_samples(a, at, path, name);
	} else if (!fnmatch(depth == NAMED ? "*.scp" : "scprof.*.scp", name, FNM_PERIOD)) {
		if ((size_t)snprintf(full, sizeof(full), "%s/%s", path, name) >= sizeof(full))
			return;
		pthread_mutex_lock(&a->lock);
		meet(a, at, full, name, depth == NAMED);
		pthread_mutex_unlock(&a->lock);
	} else if (depth == NAMED && is_run(name)) {
		descend(a, at, path, name, RUN);
	} else if (depth == RUN && !strncmp(name, "profiles.", 9)) {
		descend(a, at, path, name, RUN_PROFILES);
	}
}

/* Takes the descriptor. */
static void look_through(struct agent *a, int at, const char *path, enum depth depth)
{
	DIR *directory = fdopendir(at);
	struct dirent *entry = NULL;
	size_t names = 0;

	if (!directory) {
		close(at);
		a->search.directories_failed++;
		return;
	}
	while (!atomic_load(&a->stopping) && (entry = readdir(directory)) && names++ < MOST_NAMES &&
	       a->search.names_left) {
		a->search.names_left--;
		meet_entry(a, at, path, entry->d_name, depth);
	}
	a->search.files_beyond += entry != NULL;
	closedir(directory);
}

void agent_find_files(struct agent *a)
{
	a->search = (struct agent_search){
		.names_left = a->options.most_names ? a->options.most_names : ALL_NAMES};
	for (size_t i = 0; i < a->options.directories; i++) {
		const char *path = a->options.directory[i];
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0)
			look_through(a, fd, path, NAMED);
		else
			a->search.directories_failed++;
	}
}
