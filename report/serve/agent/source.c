// SPDX-License-Identifier: GPL-3.0-or-later
/* A file is opened once; checks and readings all use that descriptor. */
#include "report/serve/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/model/model.h"

const char *const source_state_names[SOURCE_STATES] = {
	[SOURCE_FOLLOWED] = "followed",	  [SOURCE_ENDED] = "ended",
	[SOURCE_REFUSED] = "refused",	  [SOURCE_MERGED] = "merged",
	[SOURCE_DUPLICATE] = "duplicate", [SOURCE_WAITING] = "waiting",
};

const struct source_fault_words source_faults[SOURCE_FAULTS] = {
	[SOURCE_FAULT_LINK] = {"link", "a symbolic link"},
	[SOURCE_FAULT_KIND] = {"kind", "no regular file"},
	[SOURCE_FAULT_OWNER] = {"owner", "another user's"},
	[SOURCE_FAULT_OPEN] = {"open", "cannot be opened"},
	[SOURCE_FAULT_SIZE] = {"size", "larger than what is read"},
	[SOURCE_FAULT_CONTENT] = {"content", "damaged, or no profile"},
	[SOURCE_FAULT_BACKWARDS] = {"backwards", "its sums went back"},
	[SOURCE_FAULT_MEMORY] = {"memory", "no memory to read it"},
};

static int refuse(struct source *s, enum source_fault why, enum source_fault *fault)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	*fault = why;
	return -1;
}

int source_open(struct source *s, int directory, const char *name, const struct source_limits *l,
		enum source_fault *fault)
{
	struct stat st;

	s->fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (s->fd < 0)
		return refuse(s, errno == ELOOP ? SOURCE_FAULT_LINK : SOURCE_FAULT_OPEN, fault);
	if (fstat(s->fd, &st) || !S_ISREG(st.st_mode))
		return refuse(s, SOURCE_FAULT_KIND, fault);
	if (!l->any_owner && st.st_uid != geteuid())
		return refuse(s, SOURCE_FAULT_OWNER, fault);
	s->device = st.st_dev;
	s->inode = st.st_ino;
	s->written = st.st_mtim;
	s->identity.uid = st.st_uid;
	return 0;
}

void source_release(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	row_counters_free(&s->cells);
	profile_free(s->last);
	s->fd = -1;
	s->last = NULL;
	s->alive = false;
}

void source_close(struct source *s)
{
	source_release(s);
	PROF_FREE(s, path, program);
}

bool source_is(const struct source *s, int directory, const char *name)
{
	struct stat st;

	return !fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_dev == s->device &&
	       st.st_ino == s->inode &&
	       (s->state != SOURCE_MERGED || !memcmp(&st.st_mtim, &s->written, sizeof(s->written)));
}

struct profile *source_load(const struct source *s, const struct source_limits *l,
			    enum source_fault *fault)
{
	struct profile_error err;
	struct stat st;

	*fault = SOURCE_FAULT_SIZE;
	if (fstat(s->fd, &st) || (uint64_t)st.st_size > l->most_bytes)
		return NULL;
	*fault = SOURCE_FAULT_MEMORY;
	struct profile *p = profile_new();
	if (!p)
		return NULL;
	*fault = SOURCE_FAULT_CONTENT;
	if (profile_add_open(p, s->fd, l->most_bytes, &err) == 0)
		return p;
	profile_free(p);
	return NULL;
}

/* The model by function replaces that of the reading before. */
static int keep(struct source *s, const struct profile *p, const bool *skip)
{
	struct profile *now = profile_new();
	struct profile_error err;

	if (!now || functions_add(now, p, skip, &err)) {
		profile_free(now);
		return -1;
	}
	profile_free(s->last);
	s->last = now;
	return 0;
}

void source_describe(struct source *s, const struct profile *p)
{
	const struct prof_process *of = &p->process[0];
	struct source_figures f = {.cpu_ns = p->usage_cpu_of ? p->usage.cpu_ns : UINT64_MAX,
				   .ended = process_end_name(of)};
	char name[LABEL_BYTES];

	for (uint32_t i = 0; i < p->entries; i++)
		f.calls += p->entry[i].sums.calls;
	for (uint32_t i = 0; i < p->functions; i++)
		f.calls += p->function[i].overflow_calls;
	for (uint32_t i = 0; i < p->processes; i++)
		f.processes += p->process[i].count;
	if (of->end_mono_ns > of->start_mono_ns)
		f.wall_ns = of->end_mono_ns - of->start_mono_ns;
	label_clean(name, of->program);
	free(s->program);
	s->program = strdup(name);
	s->figures = f;
	s->clock = p->clock.kind;
}

bool source_is_finished(const struct source *s)
{
	return s->listed && !s->alive && s->program;
}

enum source_result source_take(struct source *s, struct counters *c, const struct profile *p,
			       bool count, enum source_fault *fault)
{
	bool *skip = calloc((size_t)p->functions + 1, sizeof(*skip));
	enum source_result result = SOURCE_FAILED;
	bool grew;

	*fault = SOURCE_FAULT_MEMORY;
	if (skip && row_counters_take(&s->cells, c, s->service, p, skip) == 0) {
		*fault = SOURCE_FAULT_BACKWARDS;
		if (row_counters_publish(&s->cells, s->service, p, count, s->past, &grew) == 0)
			result = s->last && !grew ? SOURCE_SAME : SOURCE_GREW;
	}
	if (result != SOURCE_FAILED && keep(s, p, skip))
		*fault = SOURCE_FAULT_MEMORY; /* the sums are right; the means are older */
	free(skip);
	return result;
}
